import type { ChainClient } from '../ports/chain-client'
import { rangeSize } from './range-size'
import type { Scan } from './scan-blocks'

export type RangeRead = { readTo: number; found: number }

/**
 * Reads a range of blocks again, as far as it is confirmed. What is known stays as it is; the scanner's cursor is not
 * touched.
 *
 * @returns the last block that was read, and how many deposits nobody knew of.
 * @throws {RoutingError} an RPC_ code when the chain cannot be read.
 */
export const readRange = ({ chain, accounts, intake, tokens }: Scan & { chain: ChainClient }) => {
  const range = rangeSize()

  return async (fromBlock: number, toBlock: number): Promise<RangeRead> => {
    const confirmed = await chain.confirmed()
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
      for (const transfer of transfers) {
        const account = accounts.has(transfer.to) ? await accounts.find(transfer.to) : null
        if (account && (await intake.confirmed(chain.chainId, transfer, account, 'SCANNER')) === 'STORED') found += 1
      }
      readTo = to
    }
    return { readTo, found }
  }
}
