import { BoundedMap } from '../../domain/bounded-map'
import { betweenChains, type ChainId, chainKeyOf, chainLabelOf } from '../../domain/chain/chain'
import type { WebhookOutcome } from '../../domain/deposit/rescan-outcome'
import type { Execution } from '../../domain/execution/execution'
import { type Successor, successorOf, supersedings } from '../../domain/execution/lane'
import { isLongHold, type Obstacle } from '../../domain/execution/retry'
import type { Status } from '../../domain/execution/status'
import { StoreUnreachable } from '../../domain/unavailable'
import type { Pointer } from '../../domain/wake-messages'
import type { NoteBug } from '../../http/request/failure'
import type { GateChange } from '../../providers/gate-record'
import type { FailedWake, WorkerListeners } from '../../routing/engine/worker'
import type { Meters } from '../telemetry/meters'
import type { Tracing } from '../telemetry/tracing'
import type { Log } from './log'
import { type LogEvent, logLines } from './log-lines'

const writeAgainMs = 60_000

type Counting = Pick<Meters, 'noteUnexpected'>
const uncounted: Counting = { noteUnexpected() {} }

/** Logs a lasting fault once, then at most once a minute with the number of repetitions. */
function oncePerMinute(now: () => number) {
  const repeats = new BoundedMap<string, { at: number; times: number }>(1_000)
  return (what: string, error: unknown, write: (met: { metAgain?: number }) => void): void => {
    const key = `${what}:${kindOf(error)}`
    const last = repeats.get(key)
    if (last && last.at + writeAgainMs > now()) {
      last.times += 1
      return
    }
    repeats.set(key, { at: now(), times: 0 })
    write(last?.times ? { metAgain: last.times } : {})
  }
}

/**
 * Logs background failures. The connection itself logs an unreachable store, so failures that follow from it are only
 * debug lines.
 */
export function rateLimitedLog(log: Log, now: () => number) {
  const once = oncePerMinute(now)
  return (what: string, error: unknown): void =>
    once(what, error, (met) => {
      const event = error instanceof StoreUnreachable ? 'CUT_OFF' : 'TRIED_AGAIN'
      log.write(event, { what, error, ...met }, `${what} failed and will be tried again.`)
    })
}

const steadyMs = 5_000

/**
 * Logs a loss immediately, and the recovery only after it has lasted. A database that refuses writes comes and goes;
 * that counts as one loss.
 */
export function steadily(log: Log, { back, lost }: Record<'back' | 'lost', LogEvent>, forMs = steadyMs) {
  let isLost = false
  let staying: ReturnType<typeof setTimeout> | undefined
  return {
    changed(isThere: boolean): void {
      clearTimeout(staying)
      if (isThere) staying = setTimeout(() => isLost && write(false), forMs)
      else if (!isLost) write(true)
    },
    stop: (): void => clearTimeout(staying),
  }
  function write(lostNow: boolean): void {
    isLost = lostNow
    log.write(lostNow ? lost : back)
  }
}

/** Logs a change of a provider's gate. Only the process that shut or opened it logs, for all processes. */
export const gateLog =
  (log: Log) =>
  ({ provider, pair, shut, isOwn }: GateChange): void => {
    const where = pair ? ` ${betweenChains(pair)}` : ''
    const chains = pair && { fromChain: chainKeyOf(pair.fromChainId), toChain: chainKeyOf(pair.toChainId) }
    if (shut === null) {
      log.write('PROVIDER_BACK', { provider, ...chains }, `${provider} answers again${where}.`)
      return
    }
    const { reason, why: unreadable, since, probeAt, probes } = shut
    const times = { since, probeAt, probes }
    if (reason === 'LOCKED_OUT')
      log.write(
        'PROVIDER_REFUSES_US',
        { provider, ...times },
        `${provider} refuses our credentials. It gets no requests, and the executions that need it wait.`,
      )
    else if (unreadable !== null)
      log.write(
        'PROVIDER_UNREADABLE',
        { provider, ...chains, ...times, unreadable },
        `Responses of ${provider}${where} cannot be read, and the executions that need them wait: ${unreadable}`,
      )
    else
      log.write(
        'PROVIDER_RESTS',
        { provider, ...chains, ...times },
        isOwn
          ? `This process cannot reach ${provider}${where} and sends it no requests. Other processes still do.`
          : `${provider} fails${where}. It gets no quote requests${pair ? ' there' : ''} but probes.`,
      )
  }

/**
 * Logs an unexpected error of a step with the first execution that met it. Repetitions in other executions count as the
 * same fault.
 */
export function onBugOf(log: Log, now: () => number, { noteUnexpected }: Counting = uncounted) {
  const once = oncePerMinute(now)
  return ({ id, state }: Pick<Execution, 'id' | 'state'>, error: unknown): void => {
    noteUnexpected('step')
    once(state, error, (met) => log.write(lineOf(error), { execution: id, state, error, ...met }))
  }
}

/** A seal that does not match is not our bug, so it has its own event. */
const lineOf = (error: unknown): LogEvent =>
  (error as { code?: unknown } | null)?.code === 'INTENT_NOT_SEALED' ? 'INTENT_NOT_SEALED' : 'STEP_UNEXPECTED'

const kindOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}:${'code' in error ? error.code : error.message}` : String(error)

/** Logs one line for every status that an execution reaches, and one for every failed message. */
export function outcomeLog(
  log: Log,
  now: () => number,
  count: WorkerListeners['onRecord'],
  noteSettled: WorkerListeners['onSettled'] = () => {},
  { noteUnexpected }: Counting = uncounted,
): WorkerListeners {
  const fault = rateLimitedLog(log, now)
  const once = oncePerMinute(now)
  return {
    onRecord(before, after) {
      count(before, after)
      const { hold } = after.facts
      const isNew = after.completedAt === null && isLongHold(hold) && !isSameHold(before?.facts.hold, hold)
      if (isNew && !(hold.of === 'BLOCK' && hold.why === 'PACE')) {
        const { id, organizationId, facts } = after
        const { of, why, since, until } = hold
        const about = { execution: id, organization: organizationId, provider: facts.route?.provider ?? null }
        once(`${about.provider} ${of} ${why}`, null, (met) =>
          log.write('IN_FLIGHT_UNSEEN', { ...about, waitsFor: of, why, since, until, ...met }),
        )
      }
      if (before === null || before.status === after.status) return
      const successor = successorOf(after)
      if (successor && logLines[`EXECUTION_${after.status!}`].level === 'warn')
        log.write('EXECUTION_SUPERSEDED', outcomeOf(after), describeSuccessor(after.status!, successor))
      else log.write(`EXECUTION_${after.status!}`, outcomeOf(after))
    },
    onSettled(settled: FailedWake) {
      const { error, verdict, wake } = settled
      noteSettled(settled)
      // NATS redelivers the message. One line is enough if all messages fail alike, for example while the database
      // refuses writes.
      if (verdict === 'nak') return fault('a wake-up', error)
      const message = new TextDecoder().decode(wake.data.slice(0, 200))
      noteUnexpected('wake')
      log.write('WAKE_REFUSED', { message, error, verdict, redeliveries: wake.redeliveries })
    },
    onFault: fault,
  }
}

const isSameHold = (one: Obstacle | undefined, other: Obstacle): boolean =>
  isLongHold(one) && one.of === other.of && one.why === other.why

/** No action is needed: the money belongs to another record. */
const describeSuccessor = (status: Status, { id, by }: Successor): string =>
  `execution ${status}: ${supersedings[by].message.replace('{id}', id)}`

const outcomeOf = ({ id, organizationId, status, retryCount, cause, facts, deposit, history }: Execution) => ({
  execution: id,
  organization: organizationId,
  status,
  retryCount,
  cause: cause?.code ?? null,
  provider: facts.route?.provider ?? null,
  hash: facts.spent?.hash ?? facts.transactions?.at(-1)?.hash ?? null,
  sinceDetectedMs: (history.at(-1)?.at ?? deposit.detectedAt) - deposit.detectedAt,
})

/** An outage affects all requests alike and is logged once. An unexpected error is logged for each request. */
export function onFailureOf(log: Log, now: () => number, { noteUnexpected }: Counting = uncounted): NoteBug {
  const once = oncePerMinute(now)
  return (error, { code, ...where }) => {
    if (code === undefined || code === 'INTERNAL_ERROR') {
      noteUnexpected('request')
      log.write('REQUEST_UNEXPECTED', { error, ...where })
    } else once(code, error, (met) => log.write('REQUEST_UNANSWERED', { code, error, ...where, ...met }))
  }
}

/** Logs a deposit from the first sighting. Its trace begins when its record is stored. */
export const depositLog = (log: Log, now: () => number, tracing: Pick<Tracing, 'root'> | null) => ({
  onSeen: (id: string, chainId: ChainId): void =>
    log.write('DEPOSIT_SEEN', { deposit: id, chain: chainKeyOf(chainId) }),
  onBegun({ id, organizationId, deposit }: Execution): void {
    const { chainId, detectedAt, detectedBy } = deposit
    tracing?.root(id, 'deposit', detectedAt, now())
    const where = { organization: organizationId, chain: chainKeyOf(chainId), detectedBy }
    log.write('DEPOSIT_CONFIRMED', { deposit: id, ...where, sinceDetectedMs: now() - detectedAt })
  },
})

export const webhookLog =
  (log: Log, { count }: Pick<Meters, 'count'>) =>
  (outcome: WebhookOutcome, pointers: readonly Pointer[]): void => {
    count('inbound_webhooks_total', { outcome })
    if (outcome === 'UNREADABLE') log.write('WEBHOOK_UNREADABLE')
    if (outcome !== 'STORED') return
    for (const { chainId, txHash } of pointers) {
      count('inbound_webhook_transactions_total', { chain: chainLabelOf(chainId) })
      log.write('WEBHOOK_RECEIVED', { deposit: `${chainId}:${txHash}` })
    }
  }
