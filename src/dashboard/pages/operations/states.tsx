import { Link } from 'wouter'
import { duration, grouped } from '../../data/format'
import { allOf } from '../../data/read'
import { stateName } from '../../data/state-name'
import { beforehand, countOf, isBeforehand, listedBeforehand, type StateCount, useCounts } from '../../live/counts'
import { useDwells } from '../../live/dwells'
import { useModel } from '../../machine/use-model'
import { Loaded } from '../../ui/loaded'
import { Card } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { leftWords } from './left-words'

/** The number of executions in each state, the oldest, and the usual durations. */
export function States() {
  const model = useModel()
  const counts = useCounts()
  const dwells = useDwells()
  return (
    <Card title="States" side={<span className="sub tiny">Figures of the last hour, except “There now”</span>}>
      <Loaded of={allOf(model, counts, dwells)}>
        {([{ states }, byState, stays]) => (
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
            {states
              .filter(({ kind }) => kind !== 'terminal')
              .map(({ id, kind, description }) => {
                const there = byState.filter(({ state }) => state === id)
                const count = countOf(there, () => true)
                const oldestAt = there.map((row) => row.oldestAt).toSorted()[0] ?? null
                const dwell = stays.find(({ state }) => state === id)
                return (
                  <tr key={id}>
                    <td className="strong" title={description}>
                      {kind === 'intake' ? (
                        stateName(id)
                      ) : (
                        <Link href={`/executions?status=${id}&order=oldest`}>{stateName(id)}</Link>
                      )}
                    </td>
                    <td className="right num">{kind === 'intake' ? <Within rows={there} /> : grouped(count)}</td>
                    <td className="right">{count > 0 ? <Ago at={oldestAt} /> : <span className="sub">–</span>}</td>
                    <td className="right num">{leftWords(stays, id)}</td>
                    <td className="right num">{dwell ? duration(dwell.medianMs) : <span className="sub">–</span>}</td>
                    <td className="right num">{dwell ? duration(dwell.p95Ms) : <span className="sub">–</span>}</td>
                  </tr>
                )
              })}
          </Table>
        )}
      </Loaded>
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
        <span title="Repeated and returned deposits: shown as executions once their transaction is on its way">
          {grouped(unlisted)} not shown yet
        </span>
      )}
      {before + unlisted > 0 && again > 0 && ' + '}
      {again > 0 && (
        <Link
          href="/executions?status=FAILED"
          title={`Another attempt: shown as ${stateName('FAILED')} until it is sent`}
        >
          {grouped(again)} again
        </Link>
      )}
    </>
  )
}
