import { amountOf, sumOf } from '../../domain/amount'
import type { ChainId } from '../../domain/chain'
import { RoutingError } from '../../domain/error'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Step } from '../advance'

type Ports = {
  chains: Chains
  executions: Executions
  scannedTo: (chainId: ChainId) => Promise<number>
  pollMs: (chainId: ChainId) => number
}

/**
 * What this deposit may spend: the balance at a confirmed block less what the lane's other deposits brought.
 * The block is one up to which every deposit is recorded, and not before an earlier holder's move.
 *
 * @throws {RoutingError} BALANCE_TOO_LOW when that is less than what the deposit brought.
 */
export const verifyBalance =
  ({ chains, executions, scannedTo, pollMs }: Ports): Step =>
  async ({ id, deposit, facts }) => {
    const { chainId, lane, token, account, amountRaw } = deposit
    const [confirmed, scanned] = await Promise.all([chains[chainId].confirmed(), scannedTo(chainId)])
    const block = Math.min(confirmed.number, scanned)
    if (block < Math.max(deposit.block, facts.laneClearFrom ?? 0))
      return { askAgainInMs: pollMs(chainId), waitingFor: 'BLOCK' }

    const [balance, unspent] = await Promise.all([
      chains[chainId].balanceOf(token, account, block),
      executions.unspentIn(lane),
    ])
    const others = unspent.filter((other) => other.id !== id && other.deposit.block <= block)
    const totalReceivedRaw = balance - sumOf(others.map((other) => amountOf(other.deposit.amountRaw)))
    if (totalReceivedRaw < amountOf(amountRaw)) throw new RoutingError('BALANCE_TOO_LOW')
    return { type: 'balance verified', facts: { balance: { totalReceivedRaw: String(totalReceivedRaw), block } } }
  }
