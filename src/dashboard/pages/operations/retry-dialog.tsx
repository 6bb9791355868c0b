import { useState } from 'react'
import { grouped } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { isReason, ReasonField } from '../../ui/reason-field'
import { type BulkFilter, Progress, useBulk, useMatched } from './bulk'

type Props = { filter: BulkFilter; onClose: () => void }

/** Retries many executions. It shows the number before, and the progress during the job. */
export function RetryDialog({ filter, onClose }: Props) {
  const [reason, setReason] = useState('')
  const { begin, job } = useBulk()
  const matched = useMatched('retry', begin.data ? null : filter).data?.matched ?? 0
  const what = matched === 1 ? 'execution' : 'executions'
  return (
    <FormDialog
      title="Retry now"
      action={begin.data ? null : `Retry ${grouped(matched)}`}
      onSubmit={() => begin.mutate({ verb: 'retry', filter, reason })}
      onClose={onClose}
      isReady={isReason(reason) && matched > 0}
      isPending={begin.isPending}
      error={begin.error ?? job.error}
    >
      {begin.data ? (
        <>
          {job.data && <Progress job={job.data} />}
          <p className="sub small">
            It continues after you close this dialog. Operations lists it under “Job history”.
          </p>
        </>
      ) : (
        <>
          <p className="small">
            {grouped(matched)} {what} in FAILED {matched === 1 ? 'is' : 'are'} waiting for the next attempt. Retrying
            makes it now, and it counts as an attempt.
          </p>
          <ReasonField value={reason} onChange={setReason} isFirst />
        </>
      )}
    </FormDialog>
  )
}
