import { Link } from 'wouter'
import { amount, chainName, shortId } from '../format'
import { Tenant } from '../tenant'
import type { ExecutionRow } from '../types'
import { Copy } from '../ui/copy'
import { Status } from '../ui/status'
import type { Head } from '../ui/table'
import { Ago } from '../ui/time'

export const executionHeads = (isPlatform: boolean): Head[] => [
  'Status',
  'Execution',
  isPlatform ? 'User, organization' : 'User',
  'Route',
  { right: 'Amount in' },
  { right: 'Amount out' },
  'Created',
]

/** One row of the table; on a phone it is a small card. */
export const ExecutionLine = ({ row, isPlatform }: { row: ExecutionRow; isPlatform: boolean }) => (
  <tr className={Date.now() - Date.parse(row.createdAt) < 4_000 ? 'is-fresh' : ''}>
    <td>
      <Status status={row.status} />
      {row.retryCount > 0 && <div className="sub tiny tries">attempt {row.retryCount + 1}</div>}
      {row.next.action === 'FOLLOW' && <div className="sub tiny tries">superseded</div>}
    </td>
    <td className="nowrap">
      <span className="row keep id-cell">
        <Link href={`/executions/${encodeURIComponent(row.id)}`} className="rowlink mono" title={row.id}>
          {shortId(row.id)}
        </Link>
        <Copy value={row.id} what="execution id" />
      </span>
    </td>
    <td data-label="User" className="cut" title={row.userId}>
      {row.userId}
      {isPlatform && <Tenant id={row.organizationId} />}
    </td>
    <td>
      {chainName(row.fromChainKey)} → {chainName(row.toChainKey)}
    </td>
    <td className="right nowrap num" title={`${row.amountIn} atomic units`}>
      {amount(row.amountIn, row.fromTokenDecimals, 4)} {row.fromTokenSymbol}
    </td>
    <td
      className="right nowrap num fold-away"
      title={`${row.funds.holder === 'RECIPIENT' ? row.funds.amount : row.amountOutExpected} atomic units`}
    >
      {row.funds.holder === 'RECIPIENT' ? (
        `${amount(row.funds.amount, row.funds.tokenDecimals, 4)} ${row.funds.tokenSymbol}`
      ) : (
        <span className="sub">–</span>
      )}
    </td>
    <td>
      <Ago at={row.createdAt} />
    </td>
  </tr>
)
