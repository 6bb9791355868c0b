import { depositIdOf } from '../../domain/execution/execution'
import type { Transfer } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import { sweepFloor } from './coverage'
import { rangeSize, type Scan } from './scan-blocks'

type Ports = Scan & { executions: Executions; scannedTo: () => Promise<number>; sweep: BalanceSweep['sweep'] }

type RangeRead = { readTo: number; found: number }

/**
 * Reads a range of blocks again, as far as it is confirmed. Known deposits stay as they are, and the scanner's cursor
 * does not move. A transfer that was scanned long ago and is not recorded may have been swept under another id, so it
 * is measured by the sweep.
 *
 * @returns The last block that was read, and how many new deposits were found.
 * @throws {RoutingError} an RPC_ code when the chain cannot be read.
 */
export const readRange = ({ chain, accounts, intake, tokens, executions, scannedTo, sweep }: Ports) => {
  const range = rangeSize()

  return async (fromBlock: number, toBlock: number): Promise<RangeRead> => {
    const [confirmed, scanned] = await Promise.all([chain.confirmed(), scannedTo()])
    const floor = sweepFloor(chain.chainId, scanned)
    await accounts.refresh()
    const last = Math.min(toBlock, confirmed.number)
    let [readTo, found] = [fromBlock - 1, 0]
    while (readTo < last) {
      const to = Math.min(last, readTo + range.blocks)
      const transfers = await chain.transfers(tokens(), readTo + 1, to).catch((error) => {
        if (range.refused(error)) return null
        throw error
      })
      if (!transfers) continue
      range.worked(transfers.length)
      for (const transfer of transfers) found += await foundIn(transfer, floor)
      readTo = to
    }
    return { readTo, found }
  }

  async function foundIn(transfer: Transfer, floor: number): Promise<number> {
    const { chainId } = chain
    if (transfer.amountRaw <= 0n) return 0
    const account = accounts.has(transfer.to) ? await accounts.find(transfer.to) : null
    if (!account) return 0
    const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
    if (transfer.block <= floor && !(await executions.load(id)))
      return (await sweep(transfer.token, [account.id])).found.length
    return (await intake.confirmed(chainId, transfer, account, 'SCANNER')) === 'STORED' ? 1 : 0
  }
}
