import { Link } from 'wouter'
import { amount, chainName, shortId } from '../format'
import type { ExecutionRow } from '../types'
import { Copy } from '../ui/copy'
import { Status } from '../ui/status'
import { Ago } from '../ui/time'

/** The table; on a phone each row is a small card. */
export const ExecutionRows = ({ rows, isPlatform }: { rows: ExecutionRow[]; isPlatform: boolean }) => (
  <div className="table-box" role="group" aria-label="Table" tabIndex={0}>
    <table className="table folds dense">
      <thead>
        <tr>
          <th>Status</th>
          <th>Execution</th>
          {isPlatform && <th>Organization</th>}
          <th>User</th>
          <th>Route</th>
          <th className="right">Amount in</th>
          <th className="right">Amount out</th>
          <th>Created</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id} className={Date.now() - Date.parse(row.createdAt) < 4_000 ? 'is-fresh' : ''}>
            <td>
              <Status status={row.status} />
              {row.retryCount > 0 && <div className="sub tiny tries">attempt {row.retryCount + 1}</div>}
            </td>
            <td className="nowrap">
              <span className="row keep id-cell">
                <Link href={`/executions/${encodeURIComponent(row.id)}`} className="rowlink mono" title={row.id}>
                  {shortId(row.id)}
                </Link>
                <Copy value={row.id} what="execution id" />
              </span>
            </td>
            {isPlatform && <td className="mono">{row.organizationId}</td>}
            <td data-label="User" className="cut" title={row.userId}>
              {row.userId}
            </td>
            <td className="nowrap">
              {chainName(row.fromChainKey)} → {chainName(row.toChainKey)}
            </td>
            <td className="right nowrap num" title={`${row.amountIn} atomic units`}>
              {amount(row.amountIn, row.fromTokenDecimals, 4)} {row.fromTokenSymbol}
            </td>
            <td className="right nowrap num fold-away" title={`${row.amountOut ?? row.amountOutExpected} atomic units`}>
              {row.amountOut ? (
                `${amount(row.amountOut, row.toTokenDecimals, 4)} ${row.toTokenSymbol}`
              ) : (
                <span className="sub">–</span>
              )}
            </td>
            <td>
              <Ago at={row.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
