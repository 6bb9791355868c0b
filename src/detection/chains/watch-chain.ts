import { merge, type Observable, Subject } from 'rxjs'
import { chainKeyOf, chainOf } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { Block } from '../../ports/chain-client'
import type { ScanCursor, ScanCursors, Sightings } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Signs } from '../../ports/overdue'
import { beat } from '../beat'
import { showSightings } from '../intake/show-sightings'
import type { BalanceSweep } from '../sweeps/sweep-balances'
import { sweepRounds } from '../sweeps/sweep-rounds'
import { type Scan, scanBlocks } from './scan-blocks'
import { overlapOf } from './watermark'

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

export type ChainWatch = ReturnType<typeof watchChain>

/** Watches one chain: scans its blocks, shows unconfirmed transfers, and sweeps balances. */
export function watchChain(ports: Ports) {
  const { chain, accounts, now, sweep, tokens, scanBeatMs, sweepBeatMs, onTrouble, onRecovered } = ports
  const { blockSeconds } = chainOf(chain.chainId)
  const scanner = scanBlocks(ports)
  const show = showSightings(ports)
  const hotMs = chain.confirmations * blockSeconds * 1_000 + hotSlackMs
  const rounds = sweepRounds({ sweep, accounts, tokens, now, hotMs })
  const scanRings = new Subject<void>()
  const sweepRings = new Subject<void>()
  const thing = { kind: 'SWEEP', chainId: chain.chainId, provider: null, subject: null } as const
  let signedAt = Number.NEGATIVE_INFINITY
  let read: Hash | null = null
  let moved: { to: number | null; at: number } = { to: null, at: now() }
  let nativeTo: number | null = null
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

  /**
   * A node that does not know the last scanned block stops the scan silently, unless another process's scanner goes on.
   *
   * @throws {RoutingError} RPC_FAILED when nothing has moved for a minute.
   */
  async function assureMoving(cursor: ScanCursor | null): Promise<void> {
    const to = (cursor ?? (await ports.cursors.load(chainKeyOf(chain.chainId))))?.scannedBlock ?? null
    if (cursor || to !== moved.to) moved = { to, at: now() }
    if (now() - moved.at <= standsMs) return
    const cause = new Error(`The node does not know block ${to}, up to which the chain was scanned`)
    throw new RoutingError('RPC_FAILED', { cause })
  }

  /** Has the balances of our accounts measured at once that transactions paid in native coin since the last call. */
  async function callSweep(to: number): Promise<void> {
    const from = Math.max(nativeTo === null ? to : nativeTo + 1, to - nativeBlocksMax + 1)
    const paid = from <= to ? await chain.nativeRecipients(from, to) : []
    const ours = paid.filter((address) => accounts.has(address))
    for (const address of ours) rounds.ring(address, zeroAddress)
    if (ours.length > 0) sweepRings.next()
    nativeTo = Math.max(nativeTo ?? to, to)
  }

  async function sweepOnce(): Promise<void> {
    await rounds.sweepNamed()
    await rounds.sweepPages()
    if (signedAt + signEveryMs > now() || !rounds.isGoingRound(sweepBeatMs)) return
    signedAt = now()
    await ports.signs?.note(thing, now(), now())
  }

  function run(stopped: Observable<unknown>, signal: AbortSignal): Observable<never> {
    const once = (work: Work) => ({
      stopped,
      onTrouble: (error: unknown) => onTrouble(work, error),
      onRecovered: () => onRecovered(work),
    })
    const newcomersEveryMs = Math.max(10_000, (overlapOf(chain.chainId) + 2) * blockSeconds * 1_000)
    const never = new Subject<void>()
    return merge(
      beat({ ...once('scan'), everyMs: scanBeatMs, rings: scanRings, work: () => scanOnce(signal) }),
      beat({ ...once('sweep'), everyMs: sweepBeatMs, rings: sweepRings, work: sweepOnce }),
      beat({ ...once('unlisted tokens'), everyMs: ports.unlistedBeatMs, rings: never, work: ports.unlisted }),
      beat({ ...once('newcomers'), everyMs: newcomersEveryMs, rings: never, work: rounds.sweepNewcomers }),
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
