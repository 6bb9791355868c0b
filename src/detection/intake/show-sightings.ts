import { inParallel } from '../../domain/concurrency'
import type { Sighting } from '../../domain/deposit/sighting'
import { depositIdOf } from '../../domain/execution/execution'
import type { Block, Transfer } from '../../ports/chain-client'
import type { Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Scan } from '../chains/scan-blocks'

type Ports = Scan & { sightings: Sightings; executions: Executions }
const writesAtOnce = 16

/**
 * Shows transfers in blocks that may still vanish, and takes back those that have vanished. Nothing is routed because
 * of it.
 */
export function showSightings({ chain, accounts, intake, tokens, sightings, executions }: Ports) {
  const { chainId } = chain
  let shownTo: Block | null = null

  async function settle(sighting: Sighting, scannedBlock: number, here: ReadonlySet<string>): Promise<void> {
    if (here.has(placeOf(sighting))) return
    if (await executions.load(sighting.id)) return intake.routed(sighting)
    const transaction = await chain.transaction(sighting.txHash)
    const moved = transaction?.succeeded && transaction.transfers.find(({ logIndex }) => logIndex === sighting.logIndex)
    // The transaction is in another block that was not read yet. It will be seen there.
    if (moved && moved.block > scannedBlock && moved.to.toLowerCase() === sighting.account.toLowerCase()) return
    await intake.orphaned(sighting)
  }

  /** Whether the chain still contains the last block shown, so that everything shown below it is still valid. */
  async function isContinuedAt(head: Block): Promise<boolean> {
    if (!shownTo || shownTo.number > head.number) return false
    return (await chain.blockAt(shownTo.number))?.hash === shownTo.hash
  }

  /**
   * @param scannedBlock Executions begin up to this block; transfers above it are shown.
   * @param ahead The transfers above it, when they were read already.
   * @returns The blocks that contain unconfirmed transfers.
   */
  return async function show(head: Block, scannedBlock: number, ahead: readonly Transfer[] | null): Promise<number[]> {
    const isContinued = ahead === null && (await isContinuedAt(head))
    const from = Math.max(scannedBlock + 1, isContinued ? shownTo!.number + 1 : 0)
    const isMore = ahead === null && from <= head.number
    const transfers = isMore ? await chain.transfers(tokens(), from, head.number) : (ahead ?? [])
    const ours = transfers.filter(({ to }) => accounts.has(to))
    await inParallel(ours, writesAtOnce, async (transfer) => {
      const account = await accounts.find(transfer.to)
      if (account) await intake.seen(chainId, transfer, account, 'SCANNER')
    })

    // Unless the chain has reorganized, only sightings in scanned blocks are in doubt: they should have executions.
    const inDoubt = await sightings.confirming(chainId, isContinued ? scannedBlock : head.number)
    const here = new Set(ours.map((transfer: Transfer) => placeOf({ ...transfer, id: idOf(transfer) })))
    await inParallel(inDoubt, writesAtOnce, (sighting) => settle(sighting, scannedBlock, here))
    shownTo = head
    return ours.map(({ block }) => block)
  }

  function idOf({ txHash, logIndex }: Transfer): string {
    return depositIdOf(chainId, txHash, logIndex)
  }
}

const placeOf = ({ id, blockHash }: Pick<Sighting, 'id' | 'blockHash'>): string => `${id}@${blockHash}`
