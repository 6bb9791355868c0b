import { useState } from 'react'
import { capital, clock, duration } from '../../data/format'
import { stateName } from '../../data/state-name'
import type { HistoryRow } from '../../data/types'
import { Card } from '../../ui/parts'
import { useIsPrinting } from '../../ui/printing'
import { toneOfStatus } from '../../ui/status'
import { Time } from '../../ui/time'

type Props = { history: HistoryRow[]; shown: number; onChoose: (step: number) => void }

/** The whole history. Each earlier attempt is one line that can be opened. */
export function Timeline({ history, shown, onChoose }: Props) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const isPrinting = useIsPrinting()
  const attempts = attemptsOf(history)
  const said = attempts.length === 1 ? `${history.length} entries` : `${attempts.length} attempts`
  const turn = (number: number) => {
    const next = new Set(opened)
    if (!next.delete(number)) next.add(number)
    setOpened(next)
  }
  return (
    <Card title="History" side={<span className="sub tiny">{said}</span>}>
      <ol className="timeline">
        {attempts.map((attempt) => {
          const { number, from, rows } = attempt
          const isLast = number === attempts.length
          const holdsShown = shown < history.length && shown > from && shown <= from + rows.length
          const isOpen = isLast || holdsShown || isPrinting || opened.has(number)
          return (
            <li key={from}>
              {attempts.length > 1 && (
                <AttemptHead attempt={attempt} isOpen={isOpen} onTurn={isLast ? null : () => turn(number)} />
              )}
              {isOpen && (
                <ol>
                  {rows.map((row, n) => (
                    <Entry
                      key={row.seq}
                      row={row}
                      before={history[from + n - 1]}
                      isLater={from + n >= shown}
                      isShown={from + n === shown - 1}
                      onChoose={() => onChoose(from + n + 1)}
                    />
                  ))}
                </ol>
              )}
            </li>
          )
        })}
      </ol>
    </Card>
  )
}

type HeadProps = { attempt: Attempt; isOpen: boolean; onTurn: (() => void) | null }
function AttemptHead({ attempt: { number, rows, hasFailed }, isOpen, onTurn }: HeadProps) {
  const [first, last] = [rows[0]!, rows.at(-1)!]
  const took = duration(Date.parse(last.at) - Date.parse(first.at))
  const text = (
    <>
      <span className="mark" />
      <span className="what">Attempt {number}</span>
      <Time at={first.at} className="when">
        {clock(Date.parse(first.at))}
      </Time>
      <span className="why">
        {hasFailed ? 'failed' : stateName(last.to)} after {took}
        {last.note && `: ${last.note}`}
      </span>
    </>
  )
  const tone = `t-${hasFailed ? toneOfStatus('FAILED') : 'info'}`
  if (!onTurn) return <div className={`attempt ${tone}`}>{text}</div>
  return (
    <button type="button" className={`attempt ${tone}`} aria-expanded={isOpen} onClick={onTurn}>
      {text}
    </button>
  )
}

type EntryProps = {
  row: HistoryRow
  before: HistoryRow | undefined
  isLater: boolean
  isShown: boolean
  onChoose: () => void
}
function Entry({ row: { at, event, from, to, status, note }, before, isLater, isShown, onChoose }: EntryProps) {
  const tone = /^[A-Z_]+$/.test(to) ? toneOfStatus(to) : toneOfStatus(status === 'FAILED' ? 'FAILED' : null)
  const hasMoved = from !== to
  return (
    <li className={isLater ? 'is-later' : ''}>
      <button type="button" aria-current={isShown ? 'step' : undefined} className={`t-${tone}`} onClick={onChoose}>
        <span className="mark" />
        <span className="what">{hasMoved ? stateName(to) : capital(event)}</span>
        <Time at={at} className="when">
          {before ? `+${duration(Date.parse(at) - Date.parse(before.at))}` : clock(Date.parse(at))}
        </Time>
        <span className="why">
          {hasMoved ? event : `in ${stateName(to)}`}
          {note && `: ${note}`}
        </span>
      </button>
    </li>
  )
}

/** One attempt, from its first entry to its failure or end. `from` counts the entries before it. */
type Attempt = { number: number; from: number; rows: HistoryRow[]; hasFailed: boolean }

/** Divides a history into attempts. An attempt that will be repeated ends with its move to FAILED. */
export function attemptsOf(history: readonly HistoryRow[]): Attempt[] {
  const attempts: Attempt[] = []
  let from = 0
  history.forEach((row, n) => {
    const hasFailed = row.to === 'FAILED' && row.from !== 'FAILED'
    if (!hasFailed && n < history.length - 1) return
    attempts.push({ number: attempts.length + 1, from, rows: history.slice(from, n + 1), hasFailed })
    from = n + 1
  })
  return attempts
}
