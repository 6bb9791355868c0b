import { Link } from 'wouter'
import { chainKeyOf, isChainId } from '../../../domain/chain/chain'
import { providerName } from '../../../domain/execution/provider'
import { chainName, grouped, shortId } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { Tenant } from '../../data/tenant'
import { type Overdue, overdueKey, pageOf, useOverdue } from '../../live/overdue'
import { Hash } from '../../ui/hash'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import OverdueActions, { RecordsUnread, recordsMax } from '../now/overdue-actions'

/** Overdue executions, first on the page for the person on call. */
export function OverdueCard() {
  const overdue = useOverdue()
  const count = ifLoaded(overdue, ({ length }) => length)
  return (
    <Card title="Overdue" side={count ? <span className="pill t-bad">{grouped(count)} to look at</span> : null}>
      <Loaded of={overdue} bones={<Bones rows={1} />}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="sub">Nothing is overdue: all waiting work is on time.</p>
          ) : (
            <Rows rows={rows} />
          )
        }
      </Loaded>
    </Card>
  )
}

function Rows({ rows }: { rows: readonly Overdue[] }) {
  const more = rows.length - recordsMax
  return (
    <>
      <RecordsUnread />
      <Table label="Overdue" kind="folds" heads={['Due', 'What has happened, and what to do', 'Where', 'Concerns']}>
        {rows.slice(0, recordsMax).map((row) => (
          <tr key={overdueKey(row)}>
            <td className="whole" data-label="Due">
              <Ago at={row.by} />
            </td>
            <td className="whole">
              {row.message}
              {row.advice && <div className="sub tiny">{row.advice}</div>}
              <div className="row below">
                <OverdueActions row={row} />
              </div>
            </td>
            <td className="nowrap">
              {row.chainId === null ? (
                <span className="sub">–</span>
              ) : (
                chainName(isChainId(row.chainId) ? chainKeyOf(row.chainId) : `${row.chainId}`)
              )}
              {row.provider && <div className="sub tiny">{providerName(row.provider)}</div>}
            </td>
            <td className="nowrap">
              <Concerned row={row} />
              <Tenant id={row.organizationId} />
            </td>
          </tr>
        ))}
      </Table>
      {more > 0 && (
        <details>
          <summary className="sub">{grouped(more)} more became overdue after these</summary>
          <ul className="stack below">
            {rows.slice(recordsMax).map((row) => (
              <li key={overdueKey(row)} className="small">
                <Concerned row={row} />: {row.message} <Ago at={row.by} />
                <Tenant id={row.organizationId} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function Concerned({ row }: { row: Overdue }) {
  const page = pageOf(row)
  if (page === null) return <span className="sub">the platform</span>
  const [kind, id] = row.executionId === null ? ['deposit', row.depositId!] : ['execution', row.executionId]
  return (
    <Link href={page}>
      <Hash value={id} kind={kind} shown={shortId(id)} />
    </Link>
  )
}
