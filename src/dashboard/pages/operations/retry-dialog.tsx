import { Button } from '@mantine/core'
import { useState } from 'react'
import { grouped } from '../../format'
import { Dialog } from '../../ui/dialog'
import { Trouble } from '../../ui/parts'
import { ReasonField } from '../../ui/reason-field'
import { type BulkFilter, Progress, useBulk, useMatched } from './bulk'

type Props = { filter: BulkFilter; onClose: () => void }

/** Tries many again now: how many is known before, how far it is while it lasts. */
export function RetryDialog({ filter, onClose }: Props) {
  const [reason, setReason] = useState('')
  const { begin, job } = useBulk()
  const matched = useMatched('retry', begin.data ? null : filter).data?.matched ?? 0
  const what = matched === 1 ? 'execution' : 'executions'
  return (
    <Dialog title="Retry now" isOpen onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate({ verb: 'retry', filter, reason })
        }}
      >
        {begin.data ? (
          <>
            {job.data && <Progress job={job.data} />}
            <p className="sub small">It goes on when this is closed; Operations lists it under “Job history”.</p>
          </>
        ) : (
          <>
            <p className="small">
              {grouped(matched)} {what} in FAILED {matched === 1 ? 'waits' : 'wait'} for the next attempt. It is made
              now instead, and counts as an attempt.
            </p>
            <ReasonField value={reason} onChange={setReason} isFirst />
          </>
        )}
        <Trouble error={begin.error ?? job.error} />
        <div className="row end">
          <Button variant="default" onClick={onClose}>
            {begin.data ? 'Close' : 'Cancel'}
          </Button>
          {!begin.data && (
            <Button type="submit" loading={begin.isPending} disabled={reason.trim().length < 3 || matched === 0}>
              Retry {grouped(matched)}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}
