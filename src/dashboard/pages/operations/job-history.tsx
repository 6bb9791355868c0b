import { useQuery } from '@tanstack/react-query'
import type { JobDetailView } from '../../../http/dashboard/bulk'
import { ask } from '../../data/api'
import { words } from '../../data/format'
import { useHere } from '../../data/session'
import { Tenant } from '../../data/tenant'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { outcomeOf, statusFilterOf } from './bulk'

/** Earlier jobs: the request, its author and reason, and the result. */
export function JobHistory() {
  const { organization } = useHere()
  const jobs = useQuery({
    queryKey: ['jobs', organization.id],
    queryFn: () => ask<JobDetailView[]>('/jobs'),
    refetchInterval: ({ state }) => (state.data?.some((job) => job.state === 'RUNNING') ? 1_000 : 10_000),
  })
  return (
    <Card title="Job history" side={<span className="sub tiny">The last 20</span>}>
      <Loaded of={jobs} bones={<Bones rows={2} />}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="sub">Nothing has been retried or re-driven in bulk yet.</p>
          ) : (
            <Table label="Job history" kind="folds" heads={['When', 'What', 'Which', 'Result', 'Who and why']}>
              {rows.map((job) => (
                <tr key={job.id}>
                  <td>
                    <Ago at={job.createdAt} />
                  </td>
                  <td className="strong nowrap">{job.verb === 'retry' ? 'Retry' : 'Re-drive'}</td>
                  <td className="small whole">{whichOf(job)}</td>
                  <td className="nowrap">{outcomeOf(job)}</td>
                  <td className="small whole wrap">
                    {job.reason}
                    <div className="sub tiny who">{job.by}</div>
                    <Tenant id={job.organizationId} />
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}

/** Describes a job's filter, without what its action implies. */
function whichOf({ verb, filter }: JobDetailView): string {
  const said = Object.entries(filter).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    if (name === 'status' && String(value) === statusFilterOf(verb)) return []
    return [name === 'causeCode' ? words(String(value)) : `${words(name.replace(/([A-Z])/g, ' $1'))} ${String(value)}`]
  })
  return said.join(', ') || (verb === 'retry' ? 'all that failed' : 'all that ended')
}
