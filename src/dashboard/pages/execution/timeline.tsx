import { capital, duration, exact } from '../../format'
import type { HistoryRow } from '../../types'
import { Card } from '../../ui/parts'
import { toneOfStatus } from '../../ui/status'

type Props = { history: HistoryRow[]; shown: number; onChoose: (step: number) => void }

export const Timeline = ({ history, shown, onChoose }: Props) => (
  <Card title="History" side={<span className="sub tiny">{history.length} entries</span>}>
    <ol className="timeline">
      {history.map(({ seq, at, event, from, to, status, note }, n) => {
        const before = history[n - 1]
        const tone = /^[A-Z_]+$/.test(to) ? toneOfStatus(to) : toneOfStatus(status === 'FAILED' ? 'FAILED' : null)
        const hasMoved = from !== to
        return (
          <li key={seq} className={n >= shown ? 'is-later' : ''}>
            <button
              type="button"
              aria-current={n === shown - 1 ? 'step' : undefined}
              className={`t-${tone}`}
              onClick={() => onChoose(n + 1)}
            >
              <span className="mark" />
              <span className="what">{capital(hasMoved ? to : event)}</span>
              <span className="when" title={exact(Date.parse(at))}>
                {before
                  ? `+${duration(Date.parse(at) - Date.parse(before.at))}`
                  : new Date(at).toLocaleTimeString('en-GB')}
              </span>
              <span className="why">
                {hasMoved ? event : `in ${to}`}
                {note && `: ${note}`}
              </span>
            </button>
          </li>
        )
      })}
    </ol>
  </Card>
)
