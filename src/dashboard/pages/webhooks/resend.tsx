import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookResentView } from '../../../http/webhooks/views'
import { ask } from '../../data/api'
import { deviceClock } from '../../data/device-clock'
import { exact, grouped } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { say } from '../../ui/toast'
import { type Endpoint, pathOf } from './endpoint-data'

const hourMs = 3_600_000
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

type Range = { span: string; since: string; until: string; onlyFailed: boolean }
/** @param from Where the previous resend stopped, if it did. */
const bodyOf = ({ span, since, until, onlyFailed }: Range, from: string | null) =>
  span === between
    ? { since: from ?? timeOf(since), ...(until !== '' && { until: timeOf(until) }), onlyFailed }
    : { since: from ?? new Date(deviceClock() - Number(span)).toISOString(), onlyFailed }

/** Resends the events of a period: those that failed permanently, or all. */
export function ResendRange({ endpoint: { id }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [range, choose] = useState<Range>({ span: String(24 * hourMs), since: '', until: '', onlyFailed: true })
  const [from, setFrom] = useState<string | null>(null)
  const setRange = (chosen: Range) => {
    choose(chosen)
    setFrom(null)
  }
  const resend = useMutation({
    mutationFn: () => ask<Resent>(pathOf(id, '/resend'), { body: bodyOf(range, from) }),
    onSuccess: (resent) => {
      say(resentWords(resent))
      // A process of the previous release does not return where to continue.
      const { nextSince = null } = resent
      setFrom(nextSince)
      if (nextSince === null) onClose()
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
      onSubmit={() => resend.mutate()}
      onClose={onClose}
      isReady={range.span !== between || range.since !== ''}
      isPending={resend.isPending}
      error={resend.error}
    >
      <SegmentedControl
        aria-label="Which events"
        data={[
          { value: 'failed', label: 'Failed events' },
          { value: 'all', label: 'All events' },
        ]}
        value={range.onlyFailed ? 'failed' : 'all'}
        onChange={(value) => setRange({ ...range, onlyFailed: value === 'failed' })}
        fullWidth
      />
      <Select
        label="Created in"
        data={spans}
        value={range.span}
        onChange={(value) => setRange({ ...range, span: value ?? between })}
        allowDeselect={false}
      />
      {range.span === between && (
        <div className="form-grid">
          {time('since', 'From')}
          {time('until', 'To, or now')}
        </div>
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
