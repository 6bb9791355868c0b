import type { Address } from '../../domain/chain/hex'
import { isLive, sweptDepositIdOf } from '../../domain/execution/execution'
import { laneId } from '../../domain/execution/lane'
import { inParallel } from '../../domain/in-parallel'
import { amountOf, sumOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'
import type { ChainClient } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import { findSenders } from '../chains/find-senders'
import { sweepFloor } from '../chains/watermark'
import type { AddressMap, Holder } from '../intake/address-map'
import type { Intake } from '../intake/intake'

type Ports = {
  chain: ChainClient
  accounts: AddressMap
  executions: Executions
  intake: Intake
  scannedTo: () => Promise<number>
  /** One account could not be judged: the others are. */
  onTrouble: (error: unknown) => void
}
/**
 * `found`: ids of deposits that begin here. `again`: could not be judged now. `explained`: what they hold is in the
 * records. `block`: what was looked at.
 */
export type Swept = { found: string[]; again: Address[]; explained: Address[]; block: number }

const checksAtOnce = 16

export type BalanceSweep = ReturnType<typeof sweepBalances>

/**
 * Finds money that no record explains: native coins, and whatever else was missed. What an account should hold is what
 * its records brought less what they took; anything above is a deposit of its own.
 */
export function sweepBalances({ chain, accounts, executions, intake, scannedTo, onTrouble }: Ports) {
  const { chainId } = chain
  const sendersOf = findSenders(chain)

  async function blockFor(token: Address): Promise<number> {
    const [confirmed, scanned] = await Promise.all([chain.confirmed(), scannedTo()])
    // The scanner may still record a log above the floor; native coins leave none.
    return Math.min(confirmed.number, isNative(token) ? scanned : sweepFloor(chainId, scanned))
  }

  /** @returns the id of what was found, null for nothing, 'AGAIN' while something signed may have moved the money. */
  async function judge(account: Holder, token: Address, block: number): Promise<string | null> {
    const lane = laneId(account.id, chainId, token)
    // In this order: an order mined up to the block was signed before it, so it is seen here, or as spent in the book.
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
    // Another sweeper was first, at another block perhaps: what it left is for the next look.
    return taken === 'STORED' ? sweptDepositIdOf(chainId, account.id, token, find) : 'AGAIN'
  }

  /** Whatever is the matter with one account must not keep the money of others from being found. */
  async function judgedOne(address: Address, token: Address, block: number): Promise<string | null> {
    try {
      const account = await accounts.find(address)
      return account && (await judge(account, token, block))
    } catch (error) {
      onTrouble(error)
      return 'AGAIN'
    }
  }

  return {
    async sweep(token: Address, addresses: readonly Address[]): Promise<Swept> {
      const block = await blockFor(token)
      if (block < 0 || addresses.length === 0) return { found: [], again: [], explained: [], block }
      const { holding, unread } = await chain.holders(token, addresses, block)
      const again: Address[] = [...unread]
      const found: string[] = []
      const explained: Address[] = []
      await inParallel(holding, checksAtOnce, async (address) => {
        const judged = await judgedOne(address, token, block)
        if (judged === 'AGAIN') again.push(address)
        else if (judged) found.push(judged)
        else explained.push(address)
      })
      return { found, again, explained, block }
    },
  }
}

const broughtBy = ({ deposit }: { deposit: { amountRaw: string } }): bigint => amountOf(deposit.amountRaw)
