import type { Hash } from '../../domain/chain/hex'
import type { Execution, HistoryEntry } from '../../domain/execution/execution'
import { isTerminal } from '../../domain/execution/status'
import type { DepositView } from '../../http/views/deposit'
import type { Api, ExecutionAnswer } from '../client/api'
import { Failure } from './failure'

const pollMs = 40
/** A reason to wait is printed only after it has lasted this long, so brief ones print nothing. */
const settledMsDefault = 1_000
const depositPollMs = 400

export type FollowOptions = {
  api: Pick<Api, 'executions' | 'deposits' | 'execution'>
  userId: string
  /** The deposit that was sent. Native coin leaves no log, so such a deposit is recognised by its chain and token. */
  deposit: { chainId: number; token: string; hash: Hash }
  /** Ids of earlier deposits and executions. */
  existing: ReadonlySet<string>
  /** Loads the record. Its history includes statuses that lasted less than a poll interval. */
  load: (id: string) => Promise<Execution | null>
  /** Called with each status reached and its time. */
  onStatus: (status: string, at: number, note: string | null) => void
  /** Called with the service's own sentence about a wait, once the wait has lasted for `settledMs`. */
  onWait?: (message: string) => void
  /** Called once, when the deposit is first seen, with the id that operators use. */
  onDetected?: (id: string) => void
  /** Minimum duration of a wait before `onWait` is called. */
  settledMs?: number
  timeoutMs: number
  /** A status that ends the following, even if not final. If set, no final status counts as a failure. */
  wanted?: string
}

/**
 * Follows a deposit until its execution ends. If the money came back, it follows the execution that continues with it.
 *
 * @throws {Failure} if it ends in a status other than SUCCESS, or does not end in time.
 */
export async function followToEnd(options: FollowOptions): Promise<ExecutionAnswer> {
  const { api, userId, timeoutMs, wanted } = options
  const until = performance.now() + timeoutMs
  const findDeposit = depositFinder(options)
  let place: Place | null = null
  let shown = ''
  let seq = 0
  let isDetected = false
  let last: ExecutionAnswer | null = null
  let [returnedId, continuedById]: (string | null)[] = [null, null]
  const isFollowed = (execution: ExecutionAnswer) =>
    continuedById ? execution.id === continuedById : isSameDeposit(options, execution)
  while (performance.now() < until) {
    last = (await api.executions(userId).catch(retryLater))?.find(isFollowed) ?? last
    const id = last?.id ?? place?.id
    if (id && !isDetected) {
      isDetected = true
      options.onDetected?.(id)
    }
    const now = last && `${last.status}:${last.retryCount}`
    if (last && now !== shown) {
      shown = now!
      seq = await reportStatuses(options, last.id, seq)
    }
    if (last && wanted && (isTerminal(last.status) || last.status === wanted)) return last
    if (last && isTerminal(last.status) && last.id !== returnedId) {
      const next = await continuationOf(last, api)
      if (next === null) return succeeded(last, api)
      if (next !== 'AWAITED') {
        options.onWait?.(`the money came back; execution ${next} continues with it`)
        ;[returnedId, continuedById] = [last.id, next]
      }
    }
    place = (await findDeposit(shown)) ?? place
    await Bun.sleep(pollMs)
  }
  throw timeoutFailure(options, last, place)
}

type Place = { id: string; stage: string; message: string }

function timeoutFailure({ deposit, timeoutMs }: FollowOptions, last: ExecutionAnswer | null, place: Place | null) {
  const status = last && `still ${last.status}${reasonText(last)}`
  const where = status ?? (place ? `in stage ${place.stage}` : 'not seen by the service')
  // Until an execution exists, operators use the id of the deposit.
  const name = last ? `${deposit.hash}, execution ${last.id},` : (place?.id ?? deposit.hash)
  return new Failure(`The deposit ${name} is ${where} after ${timeoutMs / 1000} s.${place ? ` ${place.message}` : ''}`)
}

/** Returns a function that polls where the deposit is. It reports a wait once it has settled. */
function depositFinder(options: FollowOptions): (shown: string) => Promise<Place | null> {
  const { api, userId, onWait, settledMs = settledMsDefault } = options
  let since = 0
  let polledAt = -depositPollMs
  let [current, reported] = ['', '']
  return async (shown) => {
    if (performance.now() - polledAt < depositPollMs) return null
    polledAt = performance.now()
    const depositAnswer = (await api.deposits(userId).catch(retryLater))?.find((each) => isSameDeposit(options, each))
    if (!depositAnswer) return null
    const { id, stage, next } = depositAnswer
    const line = stage === 'ROUTED' ? next.message : `${stage}: ${next.message}`
    const seen = `${shown} ${line}`
    if (seen !== current) [current, since] = [seen, polledAt]
    if (line !== reported && polledAt - since >= settledMs) {
      reported = line
      onWait?.(line)
    }
    return { id, stage, message: next.message }
  }
}

/** Reports the statuses of the history after `seq`. @returns the `seq` of its newest entry. */
async function reportStatuses({ load, onStatus }: FollowOptions, id: string, seq: number): Promise<number> {
  const { history } = (await load(id)) ?? { history: [] as HistoryEntry[] }
  for (const [n, { seq: at, status, ...entry }] of history.entries()) {
    const isNew = at > seq && status !== null && (status !== history[n - 1]?.status || entry.to === 'FAILED')
    if (isNew && entry.from !== entry.to) onStatus(status, entry.at, entry.note)
  }
  return history.at(-1)?.seq ?? seq
}

/** The service may be restarting. The deposit is safe, so following continues. */
function retryLater(error: unknown): null {
  if (error instanceof Failure) throw error
  return null
}

type Identified = Pick<DepositView, 'id' | 'fromChainId' | 'fromTokenAddress'>

function isSameDeposit(
  { deposit, existing }: FollowOptions,
  { id, fromChainId, fromTokenAddress }: Identified,
): boolean {
  if (existing.has(id) || fromChainId !== deposit.chainId) return false
  if (fromTokenAddress.toLowerCase() !== deposit.token.toLowerCase()) return false
  return id.includes(deposit.hash) || id.includes(':sweep:')
}

/** @returns null if nothing continues it, and `AWAITED` until the returned money is seen as a deposit. */
async function continuationOf({ id, status }: ExecutionAnswer, api: FollowOptions['api']): Promise<string | null> {
  if (status === 'SUCCESS') return null
  const detail = await api.execution(id).catch(retryLater)
  if (!detail) return 'AWAITED'
  return detail.continuedBy ?? (detail.cause?.code === 'FUNDS_RETURNED' ? 'AWAITED' : null)
}

async function succeeded(execution: ExecutionAnswer, api: FollowOptions['api']): Promise<ExecutionAnswer> {
  if (execution.status === 'SUCCESS') return execution
  const { id, status, lastErrorMessage: why } = execution
  const next = await api.execution(id).then(({ next }) => next, retryLater)
  // If another execution continues with the money, `next.message` already contains the reason.
  const hasReason = next?.action === 'FOLLOW' || (why && next?.message.includes(why))
  const sentences = [hasReason ? null : why, next?.message].filter(Boolean).join(' ')
  throw new Failure(`Execution ${id} ended ${status}${sentences ? `: ${sentences}` : '.'}`)
}

const reasonText = ({ lastErrorCode, lastErrorMessage }: ExecutionAnswer): string =>
  lastErrorCode ? ` (${lastErrorCode}: ${lastErrorMessage})` : ''
