import { Button, SegmentedControl, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorCodes } from '../../../domain/error'
import { ask } from '../../api'
import { grouped, words } from '../../format'
import { useHere } from '../../session'
import { Card, Trouble } from '../../ui/parts'
import { ReasonField } from '../../ui/reason-field'

type Job = { id: string; matched: number; done: number; failed: number; state: string }

/** Many at once, in the background: what failed for one cause is tried again when the cause is gone. */
export function Jobs() {
  const { organization } = useHere()
  const [verb, setVerb] = useState('retry')
  const [causeCode, setCause] = useState<string | null>(null)
  const [intent, setIntent] = useState('CURRENT')
  const [reason, setReason] = useState('')
  const begin = useMutation({
    mutationFn: () =>
      ask<{ id: string; matched: number }>('/operator/jobs', {
        body: { verb, reason, filter: causeCode ? { causeCode } : {}, ...(verb === 'redrive' && { intent }) },
      }),
    onSuccess: () => setReason(''),
  })
  const id = begin.data?.id
  const job = useQuery({
    queryKey: ['job', organization.id, id],
    queryFn: () => ask<Job>(`/operator/jobs/${id}`),
    enabled: id !== undefined,
    refetchInterval: (query) => (query.state.data?.state === 'DONE' ? false : 800),
  })
  const progress = job.data
  const over = progress ? progress.done + progress.failed : 0
  return (
    <Card title="Many at once">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate()
        }}
      >
        <SegmentedControl
          aria-label="What to do"
          value={verb}
          onChange={setVerb}
          data={[
            { value: 'retry', label: 'Retry what failed' },
            { value: 'redrive', label: 'Re-drive what ended' },
          ]}
        />
        <Select
          label="Cause"
          placeholder="Any cause"
          data={errorCodes.map((code) => ({ value: code, label: words(code) }))}
          value={causeCode}
          onChange={setCause}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear cause' }}
        />
        {verb === 'redrive' && (
          <Select
            label="Where to"
            data={[
              { value: 'CURRENT', label: 'The intents as they are now' },
              { value: 'ORIGINAL', label: 'As they were then' },
            ]}
            value={intent}
            onChange={(value) => setIntent(value ?? 'CURRENT')}
            allowDeselect={false}
          />
        )}
        <ReasonField value={reason} onChange={setReason} />
        <Trouble error={begin.error ?? job.error} />
        <div className="row">
          <Button type="submit" loading={begin.isPending} disabled={reason.trim().length < 3}>
            {verb === 'retry' ? 'Retry all' : 'Re-drive all'}
          </Button>
          {progress && (
            <span className="small" role="status">
              {words(progress.state)}: {grouped(over)} of {grouped(progress.matched)}
              {progress.failed > 0 && `, ${grouped(progress.failed)} could not be`}
            </span>
          )}
        </div>
        {progress && progress.matched > 0 && (
          <div className="meter t-info" role="img" aria-label={`${over} of ${progress.matched}`}>
            <i style={{ width: `${(100 * over) / progress.matched}%` }} />
          </div>
        )}
      </form>
    </Card>
  )
}
