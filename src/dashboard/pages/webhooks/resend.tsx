import { SegmentedControl, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WebhookResentView } from '../../../http/webhooks/views'
import { ask } from '../../data/api'
import { grouped } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { say } from '../../ui/toast'
import { type Endpoint, pathOf } from './endpoint-data'

const hourMs = 3_600_000
const between = 'between'
const spans = [
  { value: String(hourMs), label: 'The last hour' },
  { value: String(24 * hourMs), label: 'The last 24 hours' },
  { value: String(7 * 24 * hourMs), label: 'The last 7 days' },
  { value: String(30 * 24 * hourMs), label: 'The last 30 days, which is all that is kept' },
  { value: between, label: 'Between two times' },
]

export type Resent = typeof WebhookResentView.infer
export const resentWords = ({ scheduled }: Resent): string =>
  scheduled === 1
    ? '1 event is scheduled to be posted again.'
    : `${grouped(scheduled)} events are scheduled to be posted again.`

/** The time that a field of the browser holds, which is by the clock of its user. */
const timeOf = (text: string): string => new Date(text).toISOString()

type Range = { span: string; since: string; until: string; onlyFailed: boolean }
const bodyOf = ({ span, since, until, onlyFailed }: Range) =>
  span === between
    ? { since: timeOf(since), ...(until !== '' && { until: timeOf(until) }), onlyFailed }
    : { since: new Date(Date.now() - Number(span)).toISOString(), onlyFailed }

/** Posts the events of a time again: those that failed for good, or all. */
export function ResendRange({ endpoint: { id }, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const [range, setRange] = useState<Range>({ span: String(24 * hourMs), since: '', until: '', onlyFailed: true })
  const resend = useMutation({
    mutationFn: () => ask<Resent>(pathOf(id, '/resend'), { body: bodyOf(range) }),
    onSuccess: (resent) => {
      say(resentWords(resent))
      onClose()
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
      title="Post events again"
      action="Post again"
      onSubmit={() => resend.mutate()}
      onClose={onClose}
      isReady={range.span !== between || range.since !== ''}
      isPending={resend.isPending}
      error={resend.error}
    >
      <SegmentedControl
        aria-label="Which events"
        data={[
          { value: 'failed', label: 'Those that failed' },
          { value: 'all', label: 'All of them' },
        ]}
        value={range.onlyFailed ? 'failed' : 'all'}
        onChange={(value) => setRange({ ...range, onlyFailed: value === 'failed' })}
        fullWidth
      />
      <Select
        label="Stored in"
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
      <p className="small">
        At most 10,000 at once, the oldest first. Each keeps its <span className="mono">webhook-id</span>, so that your
        server can tell what it has seen.
      </p>
    </FormDialog>
  )
}
