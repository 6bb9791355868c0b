import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { StateDuration } from '../../../http/dashboard/state-durations'
import { ask } from '../../data/api'
import { capital, duration, grouped } from '../../data/format'
import { useHere } from '../../data/session'
import { beforehand, countOf, isBeforehand, listedBeforehand, type StateCount, useCounts } from '../../live/counts'
import { useModel } from '../../machine/use-model'
import { Bones, Card, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'

/** The number of executions in each state, the oldest, and the usual durations. */
export function States() {
  const { organization } = useHere()
  const model = useModel()
  const counts = useCounts()
  const dwells = useQuery({
    queryKey: ['dwell', organization.id],
    queryFn: () => ask<StateDuration[]>('/states/dwell'),
    refetchInterval: 15_000,
  })
  const unfinished = model.data?.states.filter(({ kind }) => kind !== 'terminal') ?? []
  return (
    <Card title="States" side={<span className="sub tiny">Figures of the last hour, except “There now”</span>}>
      <Trouble error={model.error ?? counts.error ?? dwells.error} retry={() => void dwells.refetch()} />
      {!model.data || !counts.data ? (
        <Bones rows={6} />
      ) : (
        <Table
          label="States"
          kind="dense states"
          heads={[
            'State',
            { right: 'There now' },
            { right: 'Oldest deposit' },
            { right: 'Left' },
            { right: 'Median stay' },
            { right: '95th percentile' },
          ]}
        >
          {unfinished.map(({ id, kind, description }) => {
            const there = counts.data.filter(({ state }) => state === id)
            const count = countOf(there, () => true)
            const oldestAt = there.map((row) => row.oldestAt).toSorted()[0] ?? null
            const dwell = dwells.data?.find(({ state }) => state === id)
            return (
              <tr key={id}>
                <td className="strong nowrap" title={description}>
                  {kind === 'intake' ? capital(id) : <Link href={`/executions?status=${id}`}>{id}</Link>}
                </td>
                <td className="right num">{kind === 'intake' ? <Within rows={there} /> : grouped(count)}</td>
                <td className="right">{count > 0 ? <Ago at={oldestAt} /> : <span className="sub">–</span>}</td>
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

/** Links of a row: to the deposits if there is no execution yet, and to FAILED for a later attempt. */
function Within({ rows }: { rows: readonly StateCount[] }) {
  const before = listedBeforehand(rows)
  const unlisted = countOf(rows, isBeforehand) - before
  const again = countOf(rows, (row) => !isBeforehand(row))
  if (before + unlisted + again === 0) return <>0</>
  return (
    <>
      {before > 0 && <Link href={`/deposits?stage=${beforehand}`}>{grouped(before)}</Link>}
      {before > 0 && unlisted > 0 && ' + '}
      {unlisted > 0 && (
        <span title="Re-drives and returned deposits: shown as executions once their transaction is on its way">
          {grouped(unlisted)} not shown yet
        </span>
      )}
      {before + unlisted > 0 && again > 0 && ' + '}
      {again > 0 && (
        <Link href="/executions?status=FAILED" title="Another attempt: shown as FAILED until it is sent">
          {grouped(again)} again
        </Link>
      )}
    </>
  )
}
