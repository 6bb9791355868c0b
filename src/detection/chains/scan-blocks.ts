import { type ChainId, chainKeyOf, perChain } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { isPaidBy, type Sighting } from '../../domain/deposit/sighting'
import { RoutingError } from '../../domain/error'
import { depositIdOf } from '../../domain/execution/execution'
import { isNative, type TokenList } from '../../domain/money/token'
import type { Block, ChainClient, Transfer } from '../../ports/chain-client'
import type { ScanCursor, ScanCursors, Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { AddressMap } from '../intake/address-map'
import type { Intake } from '../intake/intake'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import { mayBeSwept, overlapOf, sweepFloor, sweptTo } from './chain-lease'

export type Scan = { chain: ChainClient; accounts: AddressMap; intake: Intake; tokens: () => readonly Address[] }
type Ports = Scan & {
  cursors: ScanCursors
  executions: Executions
  now: () => number
  /** First block of the very first scan; null for the confirmed block. */
  fromBlock: number | null
  /** Called when a confirmed block has changed, so nothing below it is certain. */
  onReorg: (cursor: ScanCursor, actual: Block) => void
}

type Scanned = { cursor: ScanCursor | null; ahead: Transfer[] | null }

const writesAtOnce = 64
/** How far back the scan restarts after a confirmed block has changed, in multiples of the confirmation depth. */
const rewindFactor = 4

/**
 * Reads every block once it is confirmed, and records its deposits. The cursor guarantees that nothing up to it is
 * missing: it moves after the records are stored, and one writer at a time moves it.
 */
export function scanBlocks(ports: Ports) {
  const { chain, accounts, cursors, tokens } = ports
  const overlap = overlapOf(chain.chainId)
  const range = rangeSize()

  async function read(from: number, to: number): Promise<Transfer[] | null> {
    try {
      const transfers = await chain.transfers(tokens(), from, to)
      range.worked(transfers.length)
      return transfers
    } catch (error) {
      if (range.refused(error)) return null
      throw error
    }
  }

  /** Reads the last confirmed blocks together with those above them, unless a node refuses that. */
  async function readAhead(from: number, head: number): Promise<Transfer[] | null> {
    if (head - from >= range.blocks) return null
    return chain.transfers(tokens(), from, head).catch(() => null)
  }

  /**
   * Scans up to the block that is confirmed now. The addresses are loaded after that block was seen, so they include
   * every account that could be paid in it.
   *
   * @param head The newest block. Unconfirmed transfers up to it are read in the same request.
   * @param before The scan's position, if it was read before the head.
   * @returns The cursor, or null if the node lags behind the scan or another scanner was faster; and the transfers
   * above the cursor, or null if they were not read.
   */
  async function scan(signal: AbortSignal, head?: Block, before?: ScanPosition | null): Promise<Scanned> {
    const confirmed = await chain.confirmed()
    await accounts.refresh()
    const position = before ?? (await readScanPosition(ports))
    let cursor = await checked(ports, confirmed, position)
    let from = cursor && Math.max(0, cursor.scannedBlock + 1 - (cursor.version === 0 ? 0 : overlap))
    while (cursor && from !== null && cursor.scannedBlock < confirmed.number && !signal.aborted) {
      const number = Math.min(confirmed.number, from + range.blocks - 1)
      const last = number === confirmed.number ? confirmed : await chain.blockAt(number)
      if (!last) return { cursor: null, ahead: null }
      // A head that was read before a long pause can be below the block that is confirmed by now.
      const isAhead = head !== undefined && last === confirmed && head.number >= number
      const both = isAhead ? await readAhead(from, head.number) : null
      const transfers = both ? both.filter(({ block }) => block <= number) : await read(from, number)
      if (!transfers) continue
      if (last !== confirmed) await chain.assureChain() // a long catch-up outlasts the trust in a chain id
      await take(ports, transfers)
      if (number > cursor.scannedBlock) cursor = await move(ports, cursor, last)
      from = number + 1
      if (both) return { cursor, ahead: both.filter(({ block }) => block > number) }
    }
    return { cursor, ahead: null }
  }

  return {
    scan,
    /** Reads the scan's position and the newest block, in one request if the node's chain id is still trusted. */
    async positionAndHead(): Promise<{ position: ScanPosition | null; head: Block }> {
      const cursor = await cursors.load(chainKeyOf(chain.chainId))
      const [position, head] = await Promise.all([cursor && positionAt(chain, cursor), chain.head()])
      return { position, head }
    },
  }
}

/** The cursor, and its block on the chain now. */
type ScanPosition = { cursor: ScanCursor; actual: Block | null }

/**
 * Reads the scan's position. The hash of the last scanned block is stored, so a node that shows this block belongs to
 * this chain.
 */
async function readScanPosition({ chain, cursors }: Ports): Promise<ScanPosition | null> {
  const cursor = await cursors.load(chainKeyOf(chain.chainId))
  return cursor && positionAt(chain, cursor)
}

async function positionAt(chain: Pick<ChainClient, 'blockAt'>, cursor: ScanCursor): Promise<ScanPosition> {
  const { scannedBlock, scannedBlockHash } = cursor
  return { cursor, actual: scannedBlock < 0 ? null : await chain.blockAt(scannedBlock, scannedBlockHash) }
}

/** Checks the cursor against the chain. Returns null while the node lags and does not have the cursor's block. */
async function checked(ports: Ports, confirmed: Block, position: ScanPosition | null): Promise<ScanCursor | null> {
  const { chain, onReorg } = ports
  if (!position) return begin(ports, confirmed)
  const { cursor, actual } = position
  if (cursor.scannedBlock < 0) return cursor
  if (!actual || actual.hash === cursor.scannedBlockHash) return actual && cursor
  await chain.assureChain()
  onReorg(cursor, actual)
  const depth = rewindFactor * (chain.confirmations + overlapOf(chain.chainId))
  const back = await chain.blockAt(Math.max(0, cursor.scannedBlock - depth))
  const wasAt = Math.max(cursor.wasAt ?? -1, cursor.scannedBlock)
  return back && move(ports, { ...cursor, wasAt }, back)
}

function begin({ chain, fromBlock, now }: Ports, confirmed: Block): ScanCursor {
  const first = Math.min(fromBlock ?? confirmed.number, confirmed.number)
  const id = chainKeyOf(chain.chainId)
  return { id, version: 0, scannedBlock: first - 1, scannedBlockHash: '0x', updatedAt: now() }
}

const move = ({ cursors, now }: Ports, cursor: ScanCursor, { number, hash }: Block): Promise<ScanCursor | null> =>
  cursors.save({ ...cursor, scannedBlock: number, scannedBlockHash: hash, updatedAt: now() })

async function take(ports: Ports, transfers: readonly Transfer[]): Promise<void> {
  const { chain, accounts, intake, executions, cursors } = ports
  const ours = transfers.filter(({ to }) => accounts.has(to))
  if (ours.length === 0) return
  const swept = await sweptTo(cursors)(chain.chainId) // another scanner may be further by now
  await inParallel(ours, writesAtOnce, async (transfer) => {
    const account = await accounts.find(transfer.to)
    const isSwept = transfer.block <= swept && (await mayBeSwept(executions, chain.chainId, transfer, swept))
    if (account && !isSwept) await intake.confirmed(chain.chainId, transfer, account, 'SCANNER')
  })
}

const blocksFirst = 200
const blocksMax = 10_000
const logsWanted = 5_000

/** Decides how many blocks to request at a time: half as many after a refusal, and more if there are few logs. */
export function rangeSize() {
  let blocks = blocksFirst
  return {
    get blocks() {
      return blocks
    },
    worked(logs: number): void {
      const factor = Math.min(2, Math.max(0.5, logsWanted / Math.max(logs, 1)))
      blocks = Math.min(blocksMax, Math.max(1, Math.floor(blocks * factor)))
    },
    /**
     * @returns Whether to retry with a smaller request. If the node is unreachable, a smaller request does not help.
     */
    refused(error: unknown): boolean {
      if (!(error instanceof RoutingError) || blocks === 1) return false
      if (error.code !== 'RPC_FAILED' && error.code !== 'RPC_TIMEOUT') return false
      blocks = Math.ceil(blocks / 2)
      return true
    },
  }
}

/**
 * The tokens whose transfers the scanner reads: the token list and any others that are named. All other tokens are
 * unlisted.
 */
export function scannedTokens(tokens: TokenList, alsoScanned?: (chainId: ChainId) => readonly Address[]) {
  const listed = perChain((chainId) =>
    tokens.all.filter((token) => token.chainId === chainId && !isNative(token.address)).map(({ address }) => address),
  )
  const of = (chainId: ChainId): readonly Address[] => {
    const also = alsoScanned?.(chainId) ?? []
    return also.length === 0 ? listed[chainId] : [...new Set([...listed[chainId], ...also])]
  }
  return {
    of,
    has: (chainId: ChainId, token: Address): boolean =>
      tokens.find(chainId, token) !== null ||
      of(chainId).some((address) => address.toLowerCase() === token.toLowerCase()),
  }
}

type RangePorts = Scan & { cursors: ScanCursors; executions: Executions; sweep: BalanceSweep['sweep'] }

type RangeResult = { readTo: number; deposits: number }

/**
 * Re-reads a range of blocks up to the confirmed block. Existing deposits stay unchanged, and the scanner's cursor does
 * not move. An unrecorded transfer in an old block might have been swept under another id, so the sweep measures it.
 *
 * @returns The last block that was read, and the number of new deposits.
 * @throws {RoutingError} an RPC_ code if the chain cannot be read.
 */
export const readRange = ({ chain, accounts, intake, tokens, cursors, executions, sweep }: RangePorts) => {
  const range = rangeSize()

  return async (fromBlock: number, toBlock: number): Promise<RangeResult> => {
    const confirmed = await chain.confirmed()
    await accounts.refresh()
    const last = Math.min(toBlock, confirmed.number)
    let [readTo, deposits] = [fromBlock - 1, 0]
    while (readTo < last) {
      const to = Math.min(last, readTo + range.blocks)
      const transfers = await chain.transfers(tokens(), readTo + 1, to).catch((error) => {
        if (range.refused(error)) return null
        throw error
      })
      if (!transfers) continue
      range.worked(transfers.length)
      // The scan and the sweep may have advanced while the blocks were read.
      const swept = await sweptTo(cursors)(chain.chainId)
      for (const transfer of transfers) deposits += await depositsIn(transfer, swept)
      readTo = to
    }
    return { readTo, deposits }
  }

  async function depositsIn(transfer: Transfer, swept: number): Promise<number> {
    const { chainId } = chain
    if (transfer.amountRaw <= 0n) return 0
    const account = accounts.has(transfer.to) ? await accounts.find(transfer.to) : null
    if (!account) return 0
    const id = depositIdOf(chainId, transfer.txHash, transfer.logIndex)
    if (transfer.block <= swept && !(await executions.load(id)))
      return (await sweep(transfer.token, [account.id])).depositIds.length
    return (await intake.confirmed(chainId, transfer, account, 'SCANNER')) === 'STORED' ? 1 : 0
  }
}

type ShowPorts = Scan & { sightings: Sightings; executions: Executions }
const shownAtOnce = 16

/** Shows transfers in blocks that might still vanish, and withdraws vanished ones. It routes nothing. */
export function showSightings({ chain, accounts, intake, tokens, sightings, executions }: ShowPorts) {
  const { chainId } = chain
  let shownTo: Block | null = null

  async function settle(sighting: Sighting, scannedBlock: number, here: ReadonlySet<string>): Promise<void> {
    if (here.has(placeOf(sighting))) return
    if (await executions.load(sighting.id)) return intake.routed(sighting)
    const transaction = await chain.transaction(sighting.txHash)
    if (!transaction && sighting.block > scannedBlock && (await mayHold(sighting))) return
    const transfers = transaction?.succeeded ? transaction.transfers : []
    const again = transfers.filter((one) => isPaidBy(sighting, one))
    // The transaction still has the transfer there, although the logs lacked it. The overlap re-reads its block.
    const isRepeated = (one: Transfer) => one.block > sweepFloor(chainId, scannedBlock)
    if (again.some((one) => isRepeated(one) && placeOf({ ...one, id: idOf(one) }) === placeOf(sighting))) return
    // The transaction moved to a block that was not read yet. The transfer is first shown under its id in that block.
    const isUnread = (one: Transfer) => one.block > scannedBlock && !here.has(placeOf({ ...one, id: idOf(one) }))
    if (again.length > 0 && again.every(isUnread)) return
    await intake.orphaned(sighting)
  }

  /** Whether no other block has its number. A lagging node shows neither the block nor its transactions. */
  async function mayHold({ block, blockHash }: Sighting): Promise<boolean> {
    const stands = await chain.blockAt(block)
    return stands === null || stands.hash === blockHash
  }

  /** Whether the chain still contains the last block shown, so everything shown below it is still valid. */
  async function isContinuedAt(head: Block): Promise<boolean> {
    if (!shownTo || shownTo.number > head.number) return false
    return (await chain.blockAt(shownTo.number))?.hash === shownTo.hash
  }

  /**
   * @param scannedBlock Transfers up to this block become executions. Later transfers are only shown.
   * @param ahead The later transfers, if they were already read.
   * @returns The blocks that contain unconfirmed transfers.
   */
  return async function show(head: Block, scannedBlock: number, ahead: readonly Transfer[] | null): Promise<number[]> {
    const isContinued = ahead === null && (await isContinuedAt(head))
    const from = Math.max(scannedBlock + 1, isContinued ? shownTo!.number + 1 : 0)
    const isMore = ahead === null && from <= head.number
    const transfers = isMore ? await chain.transfers(tokens(), from, head.number) : (ahead ?? [])
    const ours = transfers.filter(({ to }) => accounts.has(to))
    await inParallel(ours, shownAtOnce, async (transfer) => {
      const account = await accounts.find(transfer.to)
      if (account) await intake.seen(chainId, transfer, account, 'SCANNER')
    })

    // Unless the chain has reorganized, only sightings in scanned blocks are in doubt: they should have executions.
    const inDoubt = await sightings.confirming(chainId, isContinued ? scannedBlock : head.number)
    const here = new Set(ours.map((transfer: Transfer) => placeOf({ ...transfer, id: idOf(transfer) })))
    await inParallel(inDoubt, shownAtOnce, (sighting) => settle(sighting, scannedBlock, here))
    shownTo = head
    return ours.map(({ block }) => block)
  }

  function idOf({ txHash, logIndex }: Transfer): string {
    return depositIdOf(chainId, txHash, logIndex)
  }
}

const placeOf = ({ id, blockHash }: Pick<Sighting, 'id' | 'blockHash'>): string => `${id}@${blockHash}`
