import { type ChainId, chainKeyOf } from '../../domain/chain/chain'
import type { Pointer } from '../../domain/deposit/pointer'
import type { WebhookOutcome } from '../../domain/deposit/webhook-outcome'
import type { Execution } from '../../domain/execution/execution'
import type { ProviderRest } from '../../domain/execution/provider-rest'
import type { Status } from '../../domain/execution/status'
import { type Successor, successorOf, supersedings } from '../../domain/money/superseded'
import type { NoteBug } from '../../http/request/failure'
import { StoreUnreachable } from '../../ports/unavailable'
import type { Settled } from '../../routing/engine/pipeline'
import type { WorkerNews } from '../../routing/engine/worker'
import type { Meters } from '../telemetry/meters'
import type { Tracing } from '../telemetry/tracing'
import type { Log } from './log'
import { type LogEvent, logLines } from './log-lines'

const sayAgainMs = 60_000

type Counting = Pick<Meters, 'noteUnexpected'>
const uncounted: Counting = { noteUnexpected() {} }

/** A lasting fault is said once, then once a minute with how often it was met, and not a thousand times. */
function oncePerMinute(now: () => number) {
  const said = new Map<string, { at: number; times: number }>()
  return (what: string, error: unknown, say: (met: { metAgain?: number }) => void): void => {
    const key = `${what}:${kindOf(error)}`
    const last = said.get(key)
    if (last && last.at + sayAgainMs > now()) {
      last.times += 1
      return
    }
    said.set(key, { at: now(), times: 0 })
    if (said.size > 1_000) said.clear()
    say(last?.times ? { metAgain: last.times } : {})
  }
}

/** That the store cannot be reached is said by who is connected to it, once for all that fails by it. */
export function rateLimitedLog(log: Log, now: () => number) {
  const once = oncePerMinute(now)
  return (what: string, error: unknown): void =>
    once(what, error, (met) => {
      const event = error instanceof StoreUnreachable ? 'CUT_OFF' : 'TRIED_AGAIN'
      log.say(event, { what, error, ...met }, `${what} failed; it is tried again`)
    })
}

const steadyMs = 5_000

/**
 * What was lost is said at once, and that it is back when it stays: a database that takes no writes comes and goes,
 * which is one loss.
 */
export function steadily(log: Log, { back, lost }: Record<'back' | 'lost', LogEvent>, forMs = steadyMs) {
  let isLost = false
  let staying: ReturnType<typeof setTimeout> | undefined
  return {
    changed(isThere: boolean): void {
      clearTimeout(staying)
      if (isThere) staying = setTimeout(() => isLost && say(false), forMs)
      else if (!isLost) say(true)
    },
    stop: (): void => clearTimeout(staying),
  }
  function say(lostNow: boolean): void {
    isLost = lostNow
    log.say(lostNow ? lost : back)
  }
}

/** Said by the one process that began it or ended it, in the name of all. */
export const restNews =
  (log: Log) =>
  ({ id: provider, reason, failed: _, ...rest }: ProviderRest): void => {
    if (reason === 'CREDENTIALS')
      log.say(
        'PROVIDER_REFUSES_US',
        { provider, ...rest },
        `${provider} refuses our credentials: nobody asks it, and what needs it waits`,
      )
    else if (reason === 'FAILING')
      log.say('PROVIDER_RESTS', { provider, ...rest }, `${provider} fails for everybody: it is left alone`)
    else log.say('PROVIDER_BACK', { provider }, `${provider} answers again`)
  }

/** Loud, with the first execution that met it: what fails for all alike is one fault. */
export function onBugOf(log: Log, now: () => number, { noteUnexpected }: Counting = uncounted) {
  const once = oncePerMinute(now)
  return ({ id, state }: Pick<Execution, 'id' | 'state'>, error: unknown): void => {
    noteUnexpected('step')
    once(state, error, (met) => log.say(lineOf(error), { execution: id, state, error, ...met }))
  }
}

/** A seal that does not fit is no bug of ours, and decides nothing either. */
const lineOf = (error: unknown): LogEvent =>
  (error as { code?: unknown } | null)?.code === 'INTENT_NOT_SEALED' ? 'INTENT_NOT_SEALED' : 'STEP_UNEXPECTED'

const kindOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}:${'code' in error ? error.code : error.message}` : String(error)

/** One line for every status an execution reaches, one for every message that did not go as it should. */
export function outcomeLog(
  log: Log,
  now: () => number,
  count: WorkerNews['onRecord'],
  noteSettled: WorkerNews['onSettled'] = () => {},
  { noteUnexpected }: Counting = uncounted,
): WorkerNews {
  const fault = rateLimitedLog(log, now)
  return {
    onRecord(before, after) {
      count(before, after)
      if (before === null || before.status === after.status) return
      const successor = successorOf(after)
      if (successor && logLines[`EXECUTION_${after.status!}`].level === 'warn')
        log.say('EXECUTION_SUPERSEDED', outcomeOf(after), sayFollowed(after.status!, successor))
      else log.say(`EXECUTION_${after.status!}`, outcomeOf(after))
    },
    onSettled(settled: Settled) {
      const { error, verdict, wake } = settled
      noteSettled(settled)
      // It comes again: of what fails for everybody, as a database that takes no writes, one line says it.
      if (verdict === 'nak') return fault('a wake-up', error)
      const message = new TextDecoder().decode(wake.data.slice(0, 200))
      noteUnexpected('wake')
      log.say('WAKE_REFUSED', { message, error, verdict, redeliveries: wake.redeliveries })
    },
    onFault: fault,
  }
}

/** Whoever looked into it would find nothing to do: the money is another record's. */
const sayFollowed = (status: Status, { id, by }: Successor): string =>
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

/** What is away is away for every request: it is said once. What nobody expected is said of each. */
export function onFailureOf(log: Log, now: () => number, { noteUnexpected }: Counting = uncounted): NoteBug {
  const once = oncePerMinute(now)
  return (error, { code, ...where }) => {
    if (code === undefined || code === 'INTERNAL_ERROR') {
      noteUnexpected('request')
      log.say('REQUEST_UNEXPECTED', { error, ...where })
    } else once(code, error, (met) => log.say('REQUEST_UNANSWERED', { code, error, ...where, ...met }))
  }
}

/** A deposit is told from its first sight on; the trace of it begins when its record is stored. */
export const depositNews = (log: Log, now: () => number, tracing: Pick<Tracing, 'root'> | null) => ({
  onSeen: (id: string, chainId: ChainId): void => log.say('DEPOSIT_SEEN', { deposit: id, chain: chainKeyOf(chainId) }),
  onBegun({ id, organizationId, deposit }: Execution): void {
    const { chainId, detectedAt, detectedBy } = deposit
    tracing?.root(id, 'deposit', detectedAt, now())
    const where = { organization: organizationId, chain: chainKeyOf(chainId), detectedBy }
    log.say('DEPOSIT_CONFIRMED', { deposit: id, ...where, sinceDetectedMs: now() - detectedAt })
  },
})

export const webhookNews =
  (log: Log, { count }: Pick<Meters, 'count'>) =>
  (outcome: WebhookOutcome, pointers: readonly Pointer[]): void => {
    count('inbound_webhooks_total', { outcome })
    if (outcome === 'UNREADABLE') log.say('WEBHOOK_UNREADABLE')
    if (outcome !== 'STORED') return
    for (const { chainId, txHash } of pointers) {
      count('inbound_webhook_transactions_total', { chain: chainKeyOf(chainId) })
      log.say('WEBHOOK_RECEIVED', { deposit: `${chainId}:${txHash}` })
    }
  }
