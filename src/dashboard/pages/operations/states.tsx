import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ask } from '../../api'
import { capital, duration, grouped } from '../../format'
import { useCounts } from '../../live/counts'
import { useModel } from '../../machine/use-model'
import { useHere } from '../../session'
import { Bones, Card, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'

type Dwell = { state: string; left: number; medianMs: number; p95Ms: number }

/** Where executions are, since when, and how long they usually stay there: what hangs is seen here first. */
export function States() {
  const { organization } = useHere()
  const model = useModel()
  const counts = useCounts()
  const dwells = useQuery({
    queryKey: ['dwell', organization.id],
    queryFn: () => ask<Dwell[]>('/states/dwell'),
    refetchInterval: 15_000,
  })
  const unfinished = model.data?.states.filter(({ kind }) => kind !== 'terminal') ?? []
  return (
    <Card title="States" side={<span className="sub tiny">Stays of the last hour</span>}>
      <Trouble error={model.error ?? counts.error ?? dwells.error} retry={() => void dwells.refetch()} />
      {!model.data || !counts.data ? (
        <Bones rows={6} />
      ) : (
        <Table
          label="States"
          kind="dense"
          heads={[
            'State',
            { right: 'There now' },
            { right: 'Oldest deposit' },
            { right: 'Left in the last hour' },
            { right: 'Half stay at most' },
            { right: '19 of 20 stay at most' },
          ]}
        >
          {unfinished.map(({ id, kind, description }) => {
            const there = counts.data.find(({ state }) => state === id)
            const dwell = dwells.data?.find(({ state }) => state === id)
            return (
              <tr key={id}>
                <td className="strong nowrap" title={description}>
                  {kind === 'intake' ? capital(id) : <Link href={`/executions?status=${id}`}>{id}</Link>}
                </td>
                <td className="right num">{grouped(there?.count ?? 0)}</td>
                <td className="right">{there?.count ? <Ago at={there.oldestAt} /> : <span className="sub">–</span>}</td>
                <td className="right num">{grouped(dwell?.left ?? 0)}</td>
                <td className="right num">{dwell ? duration(dwell.medianMs) : <span className="sub">–</span>}</td>
                <td className="right num">{dwell ? duration(dwell.p95Ms) : <span className="sub">–</span>}</td>
              </tr>
            )
          })}
        </Table>
      )}
    </Card>
  )
}
