import { merge, NEVER, type Observable, Subject } from 'rxjs'
import { type ChainId, chainKeyOf, chainOf } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { Block } from '../../ports/chain-client'
import type { ScanCursor, ScanCursors, Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Signs } from '../../ports/overdue'
import { beat } from '../beat'
import { showSightings } from '../intake/show-sightings'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import { type SweepRounds, sweepRounds } from '../sweeps/sweep-rounds'
import { overlapOf } from './coverage'
import { type Scan, scanBlocks } from './scan-blocks'

export type Work = 'scan' | 'sweep' | 'newcomers' | 'unlisted tokens'
export type Watching = {
  onTrouble: (work: Work, error: unknown) => void
  onRecovered: (work: Work) => void
  onReorg: (cursor: ScanCursor, found: Block) => void
}
type Ports = Scan &
  Watching & {
    cursors: ScanCursors
    executions: Executions
    sightings: Sightings
    sweep: BalanceSweep['sweep']
    now: () => number
    fromBlock: number | null
    scanBeatMs: number
    sweepBeatMs: number
    /** Looks for unlisted tokens. */
    unlisted: () => Promise<void>
    unlistedBeatMs: number
    signs?: Pick<Signs, 'note'>
  }

/** Blocks older than this are not read for recipients of native coin. The sweep's pages reach those accounts. */
const nativeBlocksMax = 64
const hotSlackMs = 120_000
/** How long a node may lag before it is reported that nothing is scanned. */
const standsMs = 60_000
/** How often it is noted, for all processes, that the sweep makes progress. */
const signEveryMs = 60_000
const newcomersMs = (chainId: ChainId): number =>
  Math.max(10_000, (overlapOf(chainId) + 2) * chainOf(chainId).blockSeconds * 1_000)

export type ChainWatch = ReturnType<typeof watchChain>

/** Watches one chain: scans its blocks, shows unconfirmed transfers, and sweeps balances. */
export function watchChain(ports: Ports) {
  const { chain, accounts, now, sweep, tokens } = ports
  const scanner = scanBlocks(ports)
  const show = showSightings(ports)
  const hotMs = chain.confirmations * chainOf(chain.chainId).blockSeconds * 1_000 + hotSlackMs
  const rounds = sweepRounds({ sweep, accounts, tokens, now, hotMs })
  const assureMoving = movementCheck(ports)
  const paidSince = paidAccounts(ports)
  const noteProgress = progressNotes(ports)
  const scanRings = new Subject<void>()
  const sweepRings = new Subject<void>()
  let read: Hash | null = null
  let seen: { head: Block; scannedBlock: number; at: number } | null = null

  async function scanOnce(signal: AbortSignal): Promise<void> {
    const head = await chain.head()
    if (head.hash === read) {
      if (seen) seen = { ...seen, at: now() }
      return
    }
    const cursor = await scanner.scan(signal)
    await assureMoving(cursor)
    if (!cursor) return
    seen = { head, scannedBlock: cursor.scannedBlock, at: now() }
    await callSweep(cursor.scannedBlock)
    await show(head, cursor.scannedBlock)
    read = head.hash
  }

  /** Has the balances of our accounts measured at once that transactions paid in native coin since the last call. */
  async function callSweep(to: number): Promise<void> {
    const paid = await paidSince(to)
    for (const address of paid) rounds.ring(address, zeroAddress)
    if (paid.length > 0) sweepRings.next()
  }

  async function sweepOnce(): Promise<void> {
    await rounds.sweepNamed()
    await rounds.sweepPages()
    await noteProgress(rounds)
  }

  function run(stopped: Observable<unknown>, signal: AbortSignal): Observable<never> {
    const always = repeating(ports, stopped)
    return merge(
      always('scan', ports.scanBeatMs, () => scanOnce(signal), scanRings),
      always('sweep', ports.sweepBeatMs, sweepOnce, sweepRings),
      always('unlisted tokens', ports.unlistedBeatMs, ports.unlisted),
      always('newcomers', newcomersMs(chain.chainId), rounds.sweepNewcomers),
    )
  }

  return {
    run,
    scanOnce,
    sweepOnce,
    lookOnce: ports.unlisted,
    sweepNewcomers: rounds.sweepNewcomers,
    join: rounds.join,
    ring(account: Address, token: Address): void {
      rounds.ring(account, token)
      sweepRings.next()
    },
    ringScan: (): void => scanRings.next(),
    /** What this process knows without asking anybody; null before the first scan. */
    get seen() {
      return seen
    },
  }
}

/** Repeats one kind of work after another, each on its own beat, until the watch is stopped. */
const repeating =
  ({ onTrouble, onRecovered }: Watching, stopped: Observable<unknown>) =>
  (work: Work, everyMs: number, run: () => Promise<unknown>, rings: Observable<unknown> = NEVER): Observable<never> =>
    beat({
      everyMs,
      rings,
      stopped,
      work: run,
      onTrouble: (error) => onTrouble(work, error),
      onRecovered: () => onRecovered(work),
    })

/**
 * Makes the check that the scan moves on. A node that does not know the last scanned block stops it silently, unless
 * another process's scanner goes on.
 */
function movementCheck({ chain, cursors, now }: Pick<Ports, 'chain' | 'cursors' | 'now'>) {
  let moved: { to: number | null; at: number } = { to: null, at: now() }

  /** @throws {RoutingError} RPC_FAILED when nothing has moved for a minute. */
  return async (cursor: ScanCursor | null): Promise<void> => {
    const to = (cursor ?? (await cursors.load(chainKeyOf(chain.chainId))))?.scannedBlock ?? null
    if (cursor || to !== moved.to) moved = { to, at: now() }
    if (now() - moved.at <= standsMs) return
    const cause = new Error(`The node does not know block ${to}, up to which the chain was scanned`)
    throw new RoutingError('RPC_FAILED', { cause })
  }
}

/** Finds which of our accounts transactions paid in native coin, in the blocks since the last call. */
function paidAccounts({ chain, accounts }: Scan) {
  let readTo: number | null = null

  return async (to: number): Promise<Address[]> => {
    const from = Math.max(readTo === null ? to : readTo + 1, to - nativeBlocksMax + 1)
    const paid = from <= to ? await chain.nativeRecipients(from, to) : []
    readTo = Math.max(readTo ?? to, to)
    return paid.filter((address) => accounts.has(address))
  }
}

/** Notes for all processes, once a minute, that the sweep goes round. */
function progressNotes({ chain, signs, sweepBeatMs, now }: Ports) {
  const thing = { kind: 'SWEEP', chainId: chain.chainId, provider: null, subject: null } as const
  let signedAt = Number.NEGATIVE_INFINITY

  return async (rounds: Pick<SweepRounds, 'isGoingRound'>): Promise<void> => {
    if (signedAt + signEveryMs > now() || !rounds.isGoingRound(sweepBeatMs)) return
    signedAt = now()
    await signs?.note(thing, now(), now())
  }
}
