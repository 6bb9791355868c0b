import { type ChainId, chainIds, chainKeyOf } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import type { Pointer } from '../../domain/wake-messages'
import type { AssetTransfers, ScanCursors } from '../../ports/detection'
import type { Pointers } from '../../ports/wakes'
import type { AddressBook } from '../webhooks/subscriptions'

type BackfillPorts = {
  transfersOf: Partial<Record<ChainId, AssetTransfers>>
  pointers: Pick<Pointers, 'publish'>
  /** Requests that a balance be measured. An amount of native coin is always measured before it counts. */
  requestSweep: (chainId: ChainId, account: Address, token: Address) => void
  now: () => number
  onTrouble: (work: string, error: unknown) => void
}

type Gap = { chainId: ChainId; fromBlock: number }

/** Webhooks and the scanner make up for a shorter pause immediately. */
const gapMs = 120_000
/** Number of accounts to query. Each costs a request, and the newest accounts are usually waiting for money. */
const accountsMax = 2_000
const atOnce = 4

/** Returns the chains whose detection was down. Call it before detection restarts and moves the cursors. */
export async function gapsOf(cursors: ScanCursors, now: number): Promise<Gap[]> {
  const read = await Promise.all(
    chainIds.map(async (chainId) => ({ chainId, at: await cursors.load(chainKeyOf(chainId)) })),
  )
  return read.flatMap(({ chainId, at }) =>
    at && at.updatedAt + gapMs < now ? [{ chainId, fromBlock: Math.max(0, at.scannedBlock + 1) }] : [],
  )
}

/** Queries Alchemy after downtime for the newest accounts' payments during it, and points detection at them. */
export async function backfill(
  gaps: readonly Gap[],
  book: AddressBook & { readonly size: number },
  { transfersOf, pointers, requestSweep, now, onTrouble }: BackfillPorts,
): Promise<void> {
  if (gaps.length === 0) return
  await book.refresh()
  const addresses = book.slice(Math.max(0, book.size - accountsMax), book.size).reverse()
  for (const { chainId, fromBlock } of gaps) {
    const source = transfersOf[chainId]
    if (!source) continue
    let isFailing = false
    await inParallel(addresses, atOnce, async (address) => {
      if (isFailing) return
      try {
        for await (const transfers of source.to(address, fromBlock)) {
          const pointed = [...new Set(transfers.map(({ hash }) => hash))]
          const seenAt = now()
          await pointers.publish(pointed.map((txHash): Pointer => ({ chainId, txHash, seenAt })))
          if (transfers.some(({ isNative }) => isNative)) requestSweep(chainId, address, zeroAddress)
        }
      } catch (error) {
        isFailing = true // the scanner and the sweep will find the same deposits later
        onTrouble(`backfill of ${chainKeyOf(chainId)}`, error)
      }
    })
  }
}
