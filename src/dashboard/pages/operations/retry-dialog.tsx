import { useState } from 'react'
import { grouped } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { FormDialog } from '../../ui/form-dialog'
import { Loaded } from '../../ui/loaded'
import { Bones } from '../../ui/parts'
import { isReason, ReasonField } from '../../ui/reason-field'
import { type BulkFilter, Progress, useBulk, useMatched } from './bulk'

type Props = { filter: BulkFilter; onClose: () => void }

/** Retries many executions. It shows the number before, and the progress during the job. */
export function RetryDialog({ filter, onClose }: Props) {
  const [reason, setReason] = useState('')
  const { begin, job } = useBulk()
  const query = useMatched('retry', begin.data ? null : filter)
  const matched = ifLoaded(query, (each) => each.matched)
  return (
    <FormDialog
      title="Retry now"
      action={begin.data ? null : matched === undefined ? 'Retry' : `Retry ${grouped(matched)}`}
      onSubmit={() => begin.mutate({ verb: 'retry', filter, reason, seenAt: ifLoaded(query, ({ at }) => at) })}
      onClose={onClose}
      isReady={isReason(reason) && matched !== undefined && matched > 0}
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
          <Loaded of={query} bones={<Bones rows={1} />}>
            {(each) => (
              <p className="small">
                {grouped(each.matched)} {each.matched === 1 ? 'execution in FAILED is' : 'executions in FAILED are'}{' '}
                waiting for the next attempt. Retrying makes it now, and it counts as an attempt.
              </p>
            )}
          </Loaded>
          <ReasonField value={reason} onChange={setReason} isFirst />
        </>
      )}
    </FormDialog>
  )
}
