import { chainKeyOf } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import { inParallel } from '../../domain/in-parallel'
import type { ChainClient, Transfer } from '../../ports/chain-client'
import type { ScanCursor, ScanCursors } from '../../ports/detection'
import { rangeSize } from '../chains/range-size'
import { sweepFloor } from '../chains/watermark'
import type { AddressMap } from '../intake/address-map'
import type { Brought, UnsupportedIntake } from './unsupported-intake'

type Ports = {
  chain: ChainClient
  accounts: AddressMap
  cursors: ScanCursors
  intake: Pick<UnsupportedIntake, 'counted'>
  /** Whether the transfer is a deposit of an unlisted token. */
  isUnlisted: (transfer: Transfer) => boolean
  scannedTo: () => Promise<number>
  now: () => number
  beatMs: number
  /** Called when not even one block of one account can be read, which is then skipped. */
  onTrouble: (error: unknown) => void
}

/** How many recipients nodes accept in one filter. */
const accountsMax = 1_000
/** A process that has not moved the cursor for this many beats has stopped, and another one takes over. */
const beatsPatience = 5
const findsAtOnce = 64
/** An address that nobody pays. A healthy node answers at once that it received nothing. */
const nobody: Address = `0x${'f'.repeat(39)}e`

type Round = { cursor: ScanCursor; from: number; to: number; place: number; at: number }

/**
 * Finds transfers of unlisted tokens, which the scan of listed tokens cannot see, by asking for their recipients. It
 * makes at most one request per beat, and one process does it for all: for a thousand accounts at a time, over the
 * blocks since the last round. The cursor moves once all accounts have been asked about.
 */
export function scanUnlisted({
  chain,
  accounts,
  cursors,
  intake,
  isUnlisted,
  scannedTo,
  now,
  beatMs,
  onTrouble,
}: Ports) {
  const { chainId } = chain
  const id = `${chainKeyOf(chainId)}:any`
  const range = rangeSize()
  let together = accountsMax
  let round: Round | null = null
  let mine: number | null = null

  /**
   * Takes or keeps the turn, which belongs to whoever wrote the cursor last, until that is long ago. Returns null while
   * it is another process's turn.
   */
  async function turn(floor: number): Promise<ScanCursor | null> {
    const cursor = await cursors.load(id)
    if (cursor && cursor.version !== mine && cursor.updatedAt + beatsPatience * beatMs > now()) {
      mine = null
      return null
    }
    if (!cursor || cursor.version !== mine) round = null
    const begun: ScanCursor = { id, version: 0, scannedBlock: floor, scannedBlockHash: '0x', updatedAt: 0 }
    return move(cursor ?? begun, (cursor ?? begun).scannedBlock)
  }

  async function move(cursor: ScanCursor, scannedBlock: number): Promise<ScanCursor | null> {
    const moved = await cursors.save({ ...cursor, scannedBlock, updatedAt: now() })
    mine = moved?.version ?? null
    return moved
  }

  async function begin(cursor: ScanCursor, floor: number): Promise<Round | null> {
    if (cursor.scannedBlock >= floor) return null
    await accounts.refresh()
    const from = cursor.scannedBlock + 1
    return { cursor, from, to: floor, place: 0, at: from }
  }

  /** Returns null when it was too much for the node. The next request is then smaller. */
  async function read(recipients: readonly Address[], from: number, to: number): Promise<Transfer[] | null> {
    try {
      const transfers = await chain.transfersTo(recipients, from, to)
      range.worked(transfers.length)
      together = Math.min(accountsMax, together * 2)
      return transfers
    } catch (error) {
      if (range.refused(error)) return null
      if (!(error instanceof RoutingError) || error.code !== 'RPC_FAILED') throw error
      if (recipients.length > 1) together = Math.ceil(recipients.length / 2)
      if (recipients.length > 1) return null
      await chain.transfersTo([nobody], from, to) // throws when the node itself is unwell
      onTrouble(error)
      return []
    }
  }

  async function broughtBy(transfers: readonly Transfer[]): Promise<Brought[]> {
    const to = Map.groupBy(transfers.filter(isUnlisted), (transfer) => transfer.to)
    const found = await inParallel(to, findsAtOnce, async ([address, transfers]) => {
      const account = await accounts.find(address)
      return account && { account, transfers }
    })
    return found.filter((one) => one !== null)
  }

  return {
    /** Whether it is this process's turn, as far as it knows. */
    get isOurTurn() {
      return mine !== null
    },
    /**
     * Makes at most one request to the node.
     *
     * @returns The last block of a round that has just ended, else null.
     */
    async step(): Promise<number | null> {
      const [confirmed, scanned] = await Promise.all([chain.confirmed(), scannedTo()])
      const floor = Math.max(-1, Math.min(confirmed.number, sweepFloor(chainId, scanned)))
      const cursor = await turn(floor)
      if (!cursor) return null
      round = round ? { ...round, cursor } : await begin(cursor, floor)
      if (!round) return null
      const { from, to, place, at } = round
      const recipients = accounts.slice(place, place + together)
      const last = Math.min(to, at + range.blocks - 1)
      const transfers = await read(recipients, at, last)
      if (!transfers) return null
      await intake.counted(chainId, await broughtBy(transfers), last)
      const isPlaceRead = last === to
      round = { ...round, at: isPlaceRead ? from : last + 1, place: isPlaceRead ? place + recipients.length : place }
      if (round.place < accounts.size) return null
      round = null
      return (await move(cursor, to)) ? to : null
    },
  }
}
