import type { Hash } from '../../domain/chain/hex'
import type { Execution, HistoryEntry } from '../../domain/execution/execution'
import { isTerminal } from '../../domain/execution/status'
import type { Api, DepositAnswer, ExecutionAnswer } from '../client/api'
import { Failure } from './failure'

const pollMs = 40
/** What lasts for a moment is not worth a line. */
const standsMsUsual = 1_000
const lookMs = 400

export type FollowOptions = {
  api: Pick<Api, 'executions' | 'deposits' | 'execution'>
  userId: string
  /** The deposit that was sent; native coins leave no log, so theirs is told by chain and token. */
  deposit: { chainId: number; token: string; hash: Hash }
  /** Deposits and executions that were there before. */
  known: ReadonlySet<string>
  /** The record behind it: its history has every status, between two looks too. */
  load: (id: string) => Promise<Execution | null>
  /** Each status as it is reached, with its time. */
  onStatus: (status: string, at: number, note: string | null) => void
  /** What it waits for, in the service's own words, once it has waited for a moment. */
  onWait?: (said: string) => void
  /** The id that operators act on, as soon as the deposit is seen. */
  onFound?: (id: string) => void
  /** How long that moment is. */
  standsMs?: number
  timeoutMs: number
  /** Ends there as well, and whatever it ends in is no failure. */
  wanted?: string
}

/**
 * Looks at a user's executions until the deposit's has ended; where its money came back, until the one that goes on
 * with it has.
 *
 * @throws {Failure} when that ends in anything but SUCCESS, or not in time.
 */
export async function followToEnd(followed: FollowOptions): Promise<ExecutionAnswer> {
  const { api, userId, timeoutMs, wanted } = followed
  const until = performance.now() + timeoutMs
  const look = lookOut(followed)
  let place: Place | null = null
  let shown = ''
  let seq = 0
  let isFound = false
  let last: ExecutionAnswer | null = null
  let [leftBehind, goesOnAs]: (string | null)[] = [null, null]
  const isFollowed = (one: ExecutionAnswer) => (goesOnAs ? one.id === goesOnAs : isOf(followed, one))
  while (performance.now() < until) {
    last = (await api.executions(userId).catch(retryLater))?.find(isFollowed) ?? last
    const id = last?.id ?? place?.id
    if (id && !isFound) {
      isFound = true
      followed.onFound?.(id)
    }
    const now = last && `${last.status}:${last.retryCount}`
    if (last && now !== shown) {
      shown = now!
      seq = await showSince(followed, last.id, seq)
    }
    if (last && wanted && (isTerminal(last.status) || last.status === wanted)) return last
    if (last && isTerminal(last.status) && last.id !== leftBehind) {
      const next = await continuationOf(last, api)
      if (next === null) return succeeded(last, api)
      if (next !== 'AWAITED') {
        followed.onWait?.(`the money came back; execution ${next} goes on with it`)
        ;[leftBehind, goesOnAs] = [last.id, next]
      }
    }
    place = (await look(shown)) ?? place
    await Bun.sleep(pollMs)
  }
  const status = last && `still ${last.status}${reasonOf(last)}`
  const where = status ?? (place ? `in stage ${place.stage}` : 'not seen by the service')
  const further = place ? ` ${place.message}` : ''
  const { hash } = followed.deposit
  // What an operator is asked to approve is named by this id, before there is an execution.
  const named = last ? `${hash}, execution ${last.id},` : (place?.id ?? hash)
  throw new Failure(`The deposit ${named} is ${where} after ${timeoutMs / 1000} s.${further}`)
}

type Place = { id: string; stage: string; message: string }

/** Reads where the deposit is now and then, and says it once it has been there for a moment. */
function lookOut(followed: FollowOptions): (shown: string) => Promise<Place | null> {
  const { api, userId, onWait, standsMs = standsMsUsual } = followed
  let since = 0
  let lookedAt = -lookMs
  let [now, said] = ['', '']
  return async (shown) => {
    if (performance.now() - lookedAt < lookMs) return null
    lookedAt = performance.now()
    const found = (await api.deposits(userId).catch(retryLater))?.find((one) => isOf(followed, one))
    if (!found) return null
    const { id, stage, next } = found
    const line = stage === 'ROUTED' ? next.message : `${stage}: ${next.message}`
    const seen = `${shown} ${line}`
    if (seen !== now) [now, since] = [seen, lookedAt]
    if (line !== said && lookedAt - since >= standsMs) {
      said = line
      onWait?.(line)
    }
    return { id, stage, message: next.message }
  }
}

async function showSince({ load, onStatus }: FollowOptions, id: string, seq: number): Promise<number> {
  const { history } = (await load(id)) ?? { history: [] as HistoryEntry[] }
  for (const [n, { seq: at, status, ...entry }] of history.entries()) {
    const isNew = at > seq && status !== null && (status !== history[n - 1]?.status || entry.to === 'FAILED')
    if (isNew && entry.from !== entry.to) onStatus(status, entry.at, entry.note)
  }
  return history.at(-1)?.seq ?? seq
}

/** The service may be starting again; the deposit is not lost, so neither is the follower. */
function retryLater(error: unknown): null {
  if (error instanceof Failure) throw error
  return null
}

type Identified = Pick<DepositAnswer, 'id' | 'fromChainId' | 'fromTokenAddress'>

function isOf({ deposit, known }: FollowOptions, { id, fromChainId, fromTokenAddress }: Identified): boolean {
  if (known.has(id) || fromChainId !== deposit.chainId) return false
  if (fromTokenAddress.toLowerCase() !== deposit.token.toLowerCase()) return false
  return id.includes(deposit.hash) || id.includes(':sweep:')
}

/** @returns null where it is over; `AWAITED` until the money that came back is seen as a deposit. */
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
  // Where another execution goes on with the money, that says why as well.
  const isSaid = next?.action === 'FOLLOW' || (why && next?.message.includes(why))
  const sentences = [isSaid ? null : why, next?.message].filter(Boolean).join(' ')
  throw new Failure(`Execution ${id} ended ${status}${sentences ? `: ${sentences}` : '.'}`)
}

const reasonOf = ({ lastErrorCode, lastErrorMessage }: ExecutionAnswer): string =>
  lastErrorCode ? ` (${lastErrorCode}: ${lastErrorMessage})` : ''
