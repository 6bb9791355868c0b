import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { chainKeyOf, isChainId } from '../../../domain/chain/chain'
import { providerName } from '../../../domain/execution/provider'
import type { OverdueView } from '../../../http/operator/overdue'
import { ask } from '../../data/api'
import { chainName, grouped, shortId } from '../../data/format'
import { useHere } from '../../data/session'
import { Tenant } from '../../data/tenant'
import { Bones, Card, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'

type Overdue = typeof OverdueView.infer

const shownMax = 25

/** Overdue executions, first on the page for the person on call. */
export function Overdue() {
  const { organization } = useHere()
  const overdue = useQuery({
    queryKey: ['overdue', organization.id],
    queryFn: () => ask<Overdue[]>('/operator/overdue'),
    refetchInterval: 5_000,
  })
  const rows = overdue.data ?? []
  const more = rows.length - shownMax
  return (
    <Card
      title="Overdue"
      side={rows.length > 0 && <span className="pill t-bad">{grouped(rows.length)} to look at</span>}
    >
      <Trouble error={overdue.error} retry={() => void overdue.refetch()} />
      {overdue.isPending ? (
        <Bones rows={1} />
      ) : rows.length === 0 ? (
        !overdue.error && <p className="sub">Nothing is overdue: all waiting work is on time.</p>
      ) : (
        <>
          <Table label="Overdue" kind="folds" heads={['Due', 'What has happened, and what to do', 'Where', 'Concerns']}>
            {rows.slice(0, shownMax).map((row) => (
              <tr key={`${row.kind} ${row.chainId} ${row.provider} ${row.depositId} ${row.message}`}>
                <td className="whole" data-label="Due">
                  <Ago at={row.by} />
                </td>
                <td className="whole">
                  {row.message}
                  {row.advice && <div className="sub tiny">{row.advice}</div>}
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
          {more > 0 && <p className="sub">{grouped(more)} more became overdue after these.</p>}
        </>
      )}
    </Card>
  )
}

function Concerned({ row: { executionId, depositId } }: { row: Overdue }) {
  if (executionId !== null)
    return (
      <Link href={`/executions/${encodeURIComponent(executionId)}`} className="mono" title={executionId}>
        {shortId(executionId)}
      </Link>
    )
  if (depositId !== null)
    return (
      <Link href={`/deposits/${encodeURIComponent(depositId)}`} className="mono" title={depositId}>
        {shortId(depositId)}
      </Link>
    )
  return <span className="sub">the platform</span>
}
