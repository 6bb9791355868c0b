import { isDeepStrictEqual } from 'node:util'
import { RoutingError } from '../../../domain/error'
import type { SecondNode } from '../../../ports/chain-client'
import { rpcError } from './error'

/**
 * Several nodes as one, with answers that two nodes agree on. Each node is called separately, so one node that stands
 * in for another never counts twice.
 */
export function quorum(nodes: readonly SecondNode[]): SecondNode {
  const agreed =
    <Args extends unknown[], Answer>(ask: (node: SecondNode, ...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      saidByTwo(nodes.map((node) => ask(node, ...args)))
  return {
    balanceOf: agreed((node, ...args) => node.balanceOf(...args)),
    routeUsed: agreed((node, ...args) => node.routeUsed(...args)),
    arrived: agreed((node, ...args) => node.arrived(...args)),
    receipt: agreed((node, ...args) => node.receipt(...args)),
    circleStatus: agreed((node, ...args) => node.circleStatus(...args)),
    acceptance: agreed((node, ...args) => node.acceptance(...args)),
    /** Returns the newest confirmed block that two nodes have. */
    async confirmed() {
      const settled = await Promise.allSettled(nodes.map((node) => node.confirmed()))
      const blocks = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      const second = blocks.toSorted((a, b) => b.number - a.number)[1]
      return second ?? Promise.reject(notTwo(settled))
    },
  }
}

async function saidByTwo<Answer>(asked: readonly Promise<Answer>[]): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const answers: Answer[] = []
  const hear = (answer: Answer): void => {
    if (answers.some((other) => isDeepStrictEqual(other, answer))) resolve(answer)
    answers.push(answer)
  }
  Promise.allSettled(asked.map((one) => one.then(hear))).then(() => {
    Promise.allSettled(asked).then((settled) => reject(notTwo(settled)))
  })
  return promise
}

/** Returns why no two nodes agreed: the failure of a node that did not answer, otherwise their disagreement. */
function notTwo(settled: readonly PromiseSettledResult<unknown>[]): RoutingError {
  const failed = settled.find((one) => one.status === 'rejected')
  return failed ? rpcError(failed.reason) : new RoutingError('RPC_FAILED', { cause: new Error('No two nodes agree') })
}
