import { BoundedMap } from '../../domain/bounded-map'
import type { Address } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { type LaneBook, laneId } from '../../domain/execution/lane'
import { sumOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'
import type { ChainClient, Paid } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import { type Rise, risesUpTo } from '../sweeps/rises'

/**
 * Who sent money that a balance shows. `fromAddress` is set when there was only one sender. `senders` is everybody who
 * sent it or may have caused it to be sent; all of them are screened. `isSenderUnknown`: there may be further senders.
 */
export type Senders = { fromAddress: Address | null; senders: Address[]; isSenderUnknown?: true }

/**
 * How many times a node that cannot name the sender is asked before the deposit is recorded without one. It is asked at
 * each look, every two seconds.
 */
const triesMax = 5
const triedMax = 20_000
const sendersMax = 1_000

/**
 * Finds out who sent money that was found by its balance. It makes requests only when money was found. If no node
 * remembers or can trace the origin, the money is still not held back for ever: this is the usual reason for an unknown
 * sender, and says nothing against the money.
 */
export function findSenders(chain: ChainClient, { spendsOf }: Pick<Executions, 'spendsOf'>) {
  const tries = new BoundedMap<string, number>(triedMax)

  /** @throws errors that may pass the next time. */
  return async (account: Address, token: Address, block: number, book: LaneBook): Promise<Senders> => {
    const id = `${account}:${token}`
    const isLastTry = (tries.get(id) ?? 0) + 1 >= triesMax
    const everySpend = once(() => spendsOf(laneId(account, chain.chainId, token)))
    const paidUpTo = async (at: number): Promise<bigint> => {
      const spends = at < (book.summedTo ?? 0) ? await everySpend() : book.spends
      const spent = spends.filter((each) => each.block <= at)
      const held = await chain.balanceOf(token, account, at).catch((error) => {
        if (at < block && isNoBalance(error)) return 0n
        throw error
      })
      return held + sumOf(spent.map(({ amountRaw }) => amountRaw))
    }
    try {
      const { rises, isWhole } = await risesUpTo({ paidUpTo, knownRaw: book.broughtRaw, block, isLastTry })
      const paid = await Promise.all(rises.map((rise) => paidAt(account, token, rise, isLastTry)))
      tries.delete(id)
      return merged(paid, isWhole)
    } catch (error) {
      if (isLastTry) return { fromAddress: null, senders: [], isSenderUnknown: true }
      tries.set(id, (tries.get(id) ?? 0) + 1)
      throw error
    }
  }

  async function paidAt(account: Address, token: Address, { block, amountRaw }: Rise, isLastTry: boolean) {
    if (isNative(token)) return chain.paidIn(account, block, amountRaw, isLastTry)
    const transfers = await chain.transfers([token], block, block)
    const ours = transfers.filter(({ to }) => to.toLowerCase() === account.toLowerCase())
    const isCertain = sumOf(ours.map((each) => each.amountRaw)) >= amountRaw
    return { payers: ours.map(({ from }) => from), behind: [], isCertain }
  }
}

/** Whether the token's contract did not exist yet at that block, so that nobody held any of it. */
const isNoBalance = (error: unknown): boolean => error instanceof RoutingError && error.code === 'TOKEN_NOT_SUPPORTED'

function merged(paid: readonly Paid[], isWhole: boolean): Senders {
  const payers = [...new Set(paid.flatMap((each) => each.payers))]
  const all = [...new Set([...payers, ...paid.flatMap(({ behind }) => behind)])]
  const isKnown = isWhole && paid.every(({ isCertain }) => isCertain) && all.length <= sendersMax
  const fromAddress = isKnown && payers.length === 1 ? payers[0]! : null
  return { fromAddress, senders: all.slice(0, sendersMax), ...(!isKnown && { isSenderUnknown: true as const }) }
}

/** Makes a request when its answer is first needed, and keeps the answer. */
function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | null = null
  return () => {
    asked ??= ask()
    return asked
  }
}
