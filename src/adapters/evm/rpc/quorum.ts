import { isDeepStrictEqual } from 'node:util'
import { isOurRefusal } from '../../../domain/chain/contract-refusals'
import { RoutingError } from '../../../domain/error'
import type { SecondNode } from '../../../ports/chain-client'
import { rpcError } from './error'

/**
 * Several nodes as one, whose responses two nodes agree on. Each node is called separately, without failing over to
 * another, so no node counts twice.
 */
export function quorum(nodes: readonly SecondNode[]): SecondNode {
  const agreed =
    <Args extends unknown[], Answer>(
      ask: (node: SecondNode, ...args: Args) => Promise<Answer>,
      isSame?: IsSame<Answer>,
    ) =>
    (...args: Args): Promise<Answer> =>
      saidByTwo(
        nodes.map((node) => ask(node, ...args)),
        isSame,
      )
  return {
    balanceOf: agreed((node, ...args) => node.balanceOf(...args)),
    routeUsed: agreed((node, ...args) => node.routeUsed(...args)),
    arrived: agreed((node, ...args) => node.arrived(...args)),
    receipt: agreed((node, ...args) => node.receipt(...args)),
    // A node without old states gives another reason. What counts is who must act.
    revertReason: agreed(
      (node, ...args) => node.revertReason(...args),
      (one, other) => isOurRefusal(one) === isOurRefusal(other),
    ),
    circleStatus: agreed((node, ...args) => node.circleStatus(...args)),
    acceptance: agreed((node, ...args) => node.acceptance(...args)),
    canRecover: agreed((node, ...args) => node.canRecover(...args)),
    tokenMetadata: agreed((node, ...args) => node.tokenMetadata(...args)),
    /** Returns the newest confirmed block that two nodes have. */
    confirmed: () =>
      mostOfTwo(
        nodes.map((node) => node.confirmed()),
        ({ number }) => BigInt(number),
      ),
    fee: () =>
      mostOfTwo(
        nodes.map((node) => node.fee()),
        ({ feeCap }) => feeCap,
      ),
    /** Throws a refusal if two nodes refuse for the same reason. */
    async estimate(...args) {
      const estimates = nodes.map((node) => node.estimate(...args))
      const refusals = (await Promise.allSettled(estimates)).flatMap((one) => refusalIn(one) ?? [])
      const shared = refusals.find(({ code }, n) => refusals.some((other, m) => m !== n && other.code === code))
      if (shared) throw shared
      const [gas, cost] = await Promise.all([
        mostOfTwo(estimates, ({ gasLimit }) => gasLimit),
        mostOfTwo(estimates, ({ costWei }) => costWei),
      ])
      return { gasLimit: gas.gasLimit, costWei: cost.costWei }
    },
  }
}

/** Returns the answer with the largest figure that two nodes reach. */
async function mostOfTwo<Answer>(pending: readonly Promise<Answer>[], of: (answer: Answer) => bigint): Promise<Answer> {
  const settled = await Promise.allSettled(pending)
  const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const second = answers.toSorted((a, b) => (of(a) === of(b) ? 0 : of(a) > of(b) ? -1 : 1))[1]
  return second ?? Promise.reject(notTwo(settled))
}

/** The chain's refusal in a node's answer. A failure of the node is none. */
const refusalIn = (one: PromiseSettledResult<unknown>): RoutingError | null =>
  one.status === 'rejected' && one.reason instanceof RoutingError && !one.reason.code.startsWith('RPC_')
    ? one.reason
    : null

type IsSame<Answer> = (one: Answer, other: Answer) => boolean

async function saidByTwo<Answer>(
  pending: readonly Promise<Answer>[],
  isSame: IsSame<Answer> = isDeepStrictEqual,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const answers: Answer[] = []
  const collect = (answer: Answer): void => {
    if (answers.some((other) => isSame(other, answer))) resolve(answer)
    answers.push(answer)
  }
  Promise.allSettled(pending.map((one) => one.then(collect))).then(() => {
    Promise.allSettled(pending).then((settled) => reject(notTwo(settled)))
  })
  return promise
}

/** Returns why no two nodes agreed: the failure of a node that did not answer, otherwise their disagreement. */
function notTwo(settled: readonly PromiseSettledResult<unknown>[]): RoutingError {
  const failed = settled.find((one) => one.status === 'rejected' && !refusalIn(one))
  return failed
    ? rpcError((failed as PromiseRejectedResult).reason)
    : new RoutingError('RPC_FAILED', { cause: new Error('No two nodes agree') })
}
