import type { Address } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { isLive, sweptDepositIdOf } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { amountOf, sumOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'
import type { ChainClient, Held, Holding } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import { sweepFloor } from '../chains/coverage'
import { findSenders } from '../chains/find-senders'
import type { AddressMap, Holder } from '../intake/address-map'
import type { Intake } from '../intake/intake'

type Ports = {
  chain: ChainClient
  accounts: AddressMap
  executions: Executions
  intake: Intake
  scannedTo: () => Promise<number>
  /** One account could not be judged. The others still are. */
  onTrouble: (error: unknown) => void
}
/**
 * The result of a sweep. `found`: ids of the deposits that begin. `again`: accounts that could not be judged now.
 * `explained`: accounts whose balance the records explain. `block`: the block at which balances were read.
 */
export type Swept = { found: string[]; again: Address[]; explained: Holding[]; block: number }
export type IsKnown = (held: Holding) => boolean

const checksAtOnce = 16

export type BalanceSweep = ReturnType<typeof sweepBalances>

/**
 * Finds money that no record explains: native coins, and whatever else was missed. An account should hold what its
 * records brought, less what left. Anything above that becomes a deposit of its own.
 */
export function sweepBalances(ports: Ports) {
  const { chain, accounts, scannedTo, onTrouble } = ports
  const judge = judging(ports)

  async function blockFor(token: Address): Promise<number> {
    const [confirmed, scanned] = await Promise.all([chain.confirmed(), scannedTo()])
    // Above `sweepFloor` the scanner may still record a log. Native coin leaves no log, so it is swept up to the scan.
    return Math.min(confirmed.number, isNative(token) ? scanned : sweepFloor(chain.chainId, scanned))
  }

  /** Judges one account. A failure with one account must not keep the money of others from being found. */
  async function judgedOne(address: Address, token: Address, block: number): Promise<string | null> {
    try {
      const account = await accounts.find(address)
      return account && (await judge(account, token, block))
    } catch (error) {
      onTrouble(error)
      return 'AGAIN'
    }
  }

  async function judgedAll({ holding, unread }: Held, token: Address, block: number, isKnown: IsKnown): Promise<Swept> {
    const again: Address[] = [...unread]
    const found: string[] = []
    const explained: Holding[] = []
    await inParallel(holding, checksAtOnce, async (held) => {
      if (isKnown(held)) return
      const judged = await judgedOne(held.account, token, block)
      if (judged === 'AGAIN') again.push(held.account)
      else if (judged) found.push(judged)
      else explained.push(held)
    })
    return { found, again, explained, block }
  }

  return {
    /** @param isKnown Whether a balance is explained as it was before, so that it need not be judged again. */
    async sweep(token: Address, addresses: readonly Address[], isKnown: IsKnown = () => false): Promise<Swept> {
      const block = await blockFor(token)
      if (block < 0 || addresses.length === 0) return { found: [], again: [], explained: [], block }
      return judgedAll(await chain.holders(token, addresses, block), token, block, isKnown)
    },
    /** Sweeps the same accounts for several tokens, none of them the native coin, in as few requests as possible. */
    async sweepEach(tokens: readonly Address[], addresses: readonly Address[]): Promise<Swept[]> {
      const block = tokens[0] ? await blockFor(tokens[0]) : -1
      if (block < 0 || addresses.length === 0) return []
      const all = await chain.holdersOfEach(tokens, addresses, block)
      return inParallel([...all.entries()], 1, ([n, held]) => judgedAll(held, tokens[n]!, block, () => false))
    },
  }
}

/** Makes the function that compares what an account holds with what its records explain. */
function judging({ chain, executions, intake }: Ports) {
  const { chainId } = chain
  const sendersOf = findSenders(chain, executions)

  /**
   * @returns The id of the deposit that was found, null for none, or 'AGAIN' while a signed order may be moving the
   * money.
   */
  return async (account: Holder, token: Address, block: number): Promise<string | null> => {
    const lane = laneId(account.id, chainId, token)
    // The order of these reads matters: an order that was mined up to the block was signed before it, so it is either
    // seen here or counted as spent in the book.
    const unspent = await executions.unspentIn(lane)
    if (unspent.some(isLive)) return 'AGAIN'
    const book = await executions.bookOf(lane, block)
    if (!book || book.lastBlock > block) return 'AGAIN'
    const balance = await chain.balanceOf(token, account.id, block)

    const reserved = sumOf(unspent.filter(({ deposit }) => deposit.block <= block).map(broughtBy))
    const unexplained = balance - (book.broughtRaw - book.spentRaw)
    const unreserved = balance - reserved
    const isTakenAlong = unexplained > unreserved
    const amountRaw = isTakenAlong ? unreserved : unexplained
    if (amountRaw <= 0n) return null
    const find = book.finds + 1
    const senders = await sendersOf(account.id, token, block, book)
    const taken = await intake.swept(account, { chainId, token, amountRaw, block, find, ...senders })
    // Another sweeper recorded this first, perhaps at another block. The next look finds what remains.
    return taken === 'STORED' ? sweptDepositIdOf(chainId, account.id, token, find) : 'AGAIN'
  }
}

const broughtBy = ({ deposit }: { deposit: { amountRaw: string } }): bigint => amountOf(deposit.amountRaw)
