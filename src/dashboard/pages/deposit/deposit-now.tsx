import { duration } from '../../data/format'
import type { DepositDetail } from '../../data/types'
import { actsNext } from '../../ui/actor'
import { toneOfStage } from '../../ui/status'
import { useNow } from '../../ui/time'

/** Describes the deposit's state, who acts next, and when. */
export function Now({ deposit }: { deposit: DepositDetail }) {
  const { next, stage, confirmations, confirmationsRequired } = deposit
  const now = useNow()
  const waits = next.expectedAt === null ? null : Date.parse(next.expectedAt) - now
  return (
    <section className={`card pad headline t-${toneOfStage(stage, next.actor)}`} aria-label="Current state">
      <div>
        <div className="say">{next.message}</div>
        <div className="then strong">{actsNext(next.actor)}</div>
        {stage === 'CONFIRMING' && (
          <div className="then">
            <div
              className="meter"
              role="progressbar"
              aria-label="Confirmations"
              aria-valuenow={confirmations}
              aria-valuemin={0}
              aria-valuemax={confirmationsRequired}
            >
              <div style={{ width: `${(100 * confirmations) / confirmationsRequired}%` }} />
            </div>
            <span className="num">
              {confirmations} of {confirmationsRequired} confirmations
            </span>
          </div>
        )}
      </div>
      {waits !== null && (
        <div className="count">
          <div className="value" role="timer">
            {waits > 0 ? duration(Math.ceil(waits / 1_000) * 1_000).replace('.0 s', ' s') : 'soon'}
          </div>
          <div className="sub tiny">expected</div>
        </div>
      )}
    </section>
  )
}
