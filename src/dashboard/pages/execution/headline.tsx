import { Link } from 'wouter'
import { clock, duration } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'
import { actsNext } from '../../ui/actor'
import { LinkedIds } from '../../ui/linked-ids'
import { toneOfStatus } from '../../ui/status'
import { useNow } from '../../ui/time'
import { wrongNow } from '../executions/wrong-now'
import { placeOf } from './place'

const opening: Record<string, string> = {
  SUCCESS: 'Delivered.',
  RUNNING: 'On its way.',
  PENDING: 'About to be sent.',
}

/** Describes what has happened, where the money is, who acts next, and when. */
export function Headline({ execution }: { execution: ExecutionDetail }) {
  const { status, funds, next, completedAt } = execution
  const now = useNow()
  const tone = toneOfStatus(status)
  const failure = wrongNow(execution)?.message ?? execution.lastErrorMessage
  const opened = failure ?? opening[status] ?? ''
  const then = next.message.replace(opened, '').trim()
  const place = next.message.includes('money is safe') ? '' : placeOf(funds.holder, completedAt !== null)
  const successor = next.action === 'FOLLOW' && !then.includes(next.executionId ?? '') ? next.executionId : null
  const waits = completedAt === null && next.expectedAt !== null ? Date.parse(next.expectedAt) - now : null
  const took = completedAt === null ? null : Date.parse(completedAt) - Date.parse(execution.deposit.createdAt)
  return (
    <section className={`card pad headline t-${tone}`} aria-label="Current state">
      <div>
        <div className="say" aria-live="polite">
          <LinkedIds>{status === 'SUCCESS' ? opened : `${opened} ${place}`.trim()}</LinkedIds>
        </div>
        {then !== '' && (
          <div className="then">
            <LinkedIds>{then}</LinkedIds>
          </div>
        )}
        {successor && (
          <div className="then">
            <Link href={`/executions/${encodeURIComponent(successor)}`}>Another execution took over: open it</Link>
          </div>
        )}
        <div className="then">
          <span className="strong">{actsNext(next.actor)}</span>
          {next.by &&
            completedAt === null &&
            ` · passes to an operator at ${clock(Date.parse(next.by))} if it still waits`}
          {execution.retryCount > 0 && ` · ${execution.retryCount} ${execution.retryCount === 1 ? 'retry' : 'retries'}`}
        </div>
      </div>
      <div className="count">
        {took !== null ? (
          <>
            <div className="value">{duration(took)}</div>
            <div className="sub tiny">from first sighting to {status === 'SUCCESS' ? 'the delivery' : 'the end'}</div>
          </>
        ) : waits !== null ? (
          <>
            <div className="value" role="timer">
              {waits > 0 ? duration(Math.ceil(waits / 1_000) * 1_000).replace('.0 s', ' s') : 'Due'}
            </div>
            <div className="sub tiny">
              {next.action === 'RETRY' ? (waits > 0 ? 'until the next attempt' : 'the next attempt') : 'expected'}
            </div>
          </>
        ) : null}
      </div>
    </section>
  )
}
