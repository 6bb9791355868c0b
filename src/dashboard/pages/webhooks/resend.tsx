import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { deliveryStatuses } from '../../../domain/webhook/delivery'
import type { WebhookResentView } from '../../../http/webhooks/views'
import { ask } from '../../data/api'
import { deviceClock } from '../../data/device-clock'
import { exact, grouped } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { Figure } from '../../ui/loaded'
import { Note } from '../../ui/parts'
import { showToast } from '../../ui/toast'
import { type CountQuery, countWords, notAccepted, useCounts } from './delivery-counts'
import { type Endpoint, pathOf } from './endpoint-data'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const between = 'between'
const spans = [
  { value: String(hourMs), label: 'The last hour' },
  { value: String(24 * hourMs), label: 'The last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'The last 7 days' },
  { value: String(30 * 24 * hourMs), label: 'The last 30 days (all that are kept)' },
  { value: between, label: 'Between two times' },
]

export type Resent = typeof WebhookResentView.infer
export const resentWords = ({ scheduled }: Resent): string =>
  scheduled === 1
    ? '1 event is scheduled to be sent again.'
    : `${grouped(scheduled)} events are scheduled to be sent again.`

/** Converts a browser field's value, which is in the user's local time. */
const timeOf = (text: string): string => new Date(text).toISOString()

const choices = {
  unaccepted: { label: 'Not accepted yet', statuses: notAccepted },
  failed: { label: 'Failed', statuses: ['FAILED'] },
  all: { label: 'All', statuses: deliveryStatuses },
} as const
type Choice = keyof typeof choices
type Range = { span: string; since: string; until: string; which: Choice }
/** @param from Where the previous resend stopped, if it did. */
function bodyOf({ span, since, until, which }: Range, from: string | null) {
  const chosen = which === 'all' ? {} : { statuses: choices[which].statuses }
  return span === between
    ? { since: from ?? timeOf(since), ...(until !== '' && { until: timeOf(until) }), ...chosen }
    : { since: from ?? new Date(deviceClock() - Number(span)).toISOString(), ...chosen }
}

/** The bounds of the counts, rounded to the minute to avoid a query each second. */
function boundsOf({ span, since, until }: Range): CountQuery {
  const at = (text: string) => (text === '' ? undefined : timeOf(text))
  if (span === between) return { createdFrom: at(since), createdTo: at(until) }
  const from = Math.floor((deviceClock() - Number(span)) / minuteMs) * minuteMs
  return { createdFrom: new Date(from).toISOString() }
}

/** Resends the events of a period: all, the ones that are not accepted yet, or the permanently failed ones. */
export function ResendRange({ endpoint: { id }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [range, choose] = useState<Range>({ span: String(24 * hourMs), since: '', until: '', which: 'unaccepted' })
  const [from, setFrom] = useState<string | null>(null)
  /** Whether the last request resent nothing. */
  const [isNone, setNone] = useState(false)
  const counts = useCounts(id, boundsOf(range))
  const { label } = choices[range.which]
  const setRange = (chosen: Range) => {
    choose(chosen)
    setFrom(null)
    setNone(false)
  }
  const resend = useMutation({
    mutationFn: () => ask<Resent>(pathOf(id, '/resend'), { body: bodyOf(range, from) }),
    onSuccess: (resent) => {
      if (resent.scheduled > 0) showToast(resentWords(resent))
      setNone(resent.scheduled === 0 && resent.nextSince === null)
      // A process of the previous release does not return where to continue.
      const { nextSince = null } = resent
      setFrom(nextSince)
      if (nextSince === null && resent.scheduled > 0) onClose()
    },
  })
  const time = (name: 'since' | 'until', label: string) => (
    <TextInput
      type="datetime-local"
      label={label}
      value={range[name]}
      onChange={(event) => setRange({ ...range, [name]: event.currentTarget.value })}
    />
  )
  return (
    <FormDialog
      title="Resend events"
      action="Resend"
      act={resend}
      onClose={onClose}
      isReady={range.span !== between || range.since !== ''}
    >
      <SegmentedControl
        aria-label="Which events"
        data={Object.entries(choices).map(([value, choice]) => ({
          value,
          label: (
            <>
              {choice.label} (<Figure of={counts}>{(read) => countWords(read, choice.statuses)}</Figure>)
            </>
          ),
        }))}
        value={range.which}
        onChange={(value) => setRange({ ...range, which: value as Choice })}
        orientation="vertical"
        fullWidth
      />
      <Select
        label="Created in"
        data={spans}
        value={range.span}
        onChange={(value) => setRange({ ...range, span: value ?? between })}
      />
      {range.span === between && (
        <div className="form-grid">
          {time('since', 'From')}
          {time('until', 'To, or now')}
        </div>
      )}
      {isNone && (
        <Note tone="warn" role="status">
          No event was resent: none of this period is “{label.toLowerCase()}”, or each is being sent already.
        </Note>
      )}
      {from !== null && (
        <p className="small" role="status">
          More events remain. Resend again to continue from {exact(Date.parse(from))}.
        </p>
      )}
      <p className="small">
        At most 10,000 events at a time, oldest first. Each keeps its <span className="mono">webhook-id</span>, so your
        server can recognise duplicates.
      </p>
    </FormDialog>
  )
}
