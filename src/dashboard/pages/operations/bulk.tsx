import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { jobStatuses } from '../../../domain/execution/operation'
import type { MatchedView } from '../../../http/dashboard/bulk'
import type { BegunView, JobBody, JobView } from '../../../http/operator/jobs'
import { ask } from '../../data/api'
import { grouped } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'

export type BulkVerb = 'retry' | 'redrive'
export type BulkFilter = Record<string, unknown>
type JobRow = typeof JobView.infer

/** Returns the statuses that an action applies to, in a filter's form. */
export const statusFilterOf = (verb: BulkVerb): string => jobStatuses[verb].join(',')

/** Returns how many executions the action would affect now. With null, nothing is requested. */
export function useMatched(verb: BulkVerb, filter: BulkFilter | null) {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['matched', organization.id, verb, filter],
    queryFn: () => ask<MatchedView>('/jobs/count', { body: { verb, filter }, isRepeated: true }),
    enabled: filter !== null,
    refetchInterval: 5_000,
  })
}

/** A job without `seenAt` is about the present. */
type BulkJob = Omit<typeof JobBody.infer, 'seenAt'> & { seenAt: string | undefined }

/** Starts a job and follows it. A worker continues it even if this page is closed. */
export function useBulk() {
  const { organization } = useHere()
  const client = useQueryClient()
  const begin = useMutation({
    mutationFn: (body: BulkJob) => ask<typeof BegunView.infer>('/operator/jobs', { body }),
    onSuccess: () => void client.invalidateQueries({ queryKey: ['jobs'] }),
  })
  const id = ifLoaded(begin, (begun) => begun.id)
  const job = useQuery({
    queryKey: ['job', organization.id, id],
    queryFn: () => ask<JobRow>(`/operator/jobs/${id}`),
    enabled: id !== undefined,
    refetchInterval: (query) => (query.state.data?.state === 'DONE' ? false : 800),
  })
  return { begin, job }
}

const doneOf = ({ done, failed }: Pick<JobRow, 'done' | 'failed'>): number => done + failed

export const outcomeOf = ({ state, done, failed, matched }: JobRow): string => {
  const far = state === 'DONE' ? `Done: ${grouped(done)}` : `Running: ${grouped(done + failed)}`
  const most = Math.max(matched, done + failed)
  return `${far} of ${grouped(most)}${failed > 0 ? `, ${grouped(failed)} refused` : ''}`
}

export function Progress({ job }: { job: JobRow }) {
  const share = job.matched === 0 ? 1 : Math.min(doneOf(job) / job.matched, 1)
  return (
    <div className="stack tight">
      <span className="small" role="status">
        {outcomeOf(job)}
      </span>
      <div className="meter t-info" role="img" aria-label={`${Math.round(share * 100)} % done`}>
        <i style={{ width: `${100 * share}%` }} />
      </div>
    </div>
  )
}
