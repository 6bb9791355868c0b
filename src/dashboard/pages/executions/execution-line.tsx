import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { deviceClock } from '../../data/device-clock'
import { ago, amount, chainName, shortId, words } from '../../data/format'
import { Tenant } from '../../data/tenant'
import type { ExecutionRow } from '../../data/types'
import { actorName } from '../../ui/actor'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Status } from '../../ui/status'
import type { Head } from '../../ui/table'
import { Ago, Time, useNow } from '../../ui/time'
import { TokenAmount } from '../../ui/token-amount'
import { type Column, columns, ownColumns } from './execution-columns'
import { wrongNow } from './wrong-now'

type Shows = (column: Column) => boolean
const headOf = (column: Column): Head =>
  column === 'in' || column === 'out' ? { right: columns[column] } : columns[column]

export const executionHeads = (shows: Shows): Head[] => ['Status', 'Execution', ...ownColumns.filter(shows).map(headOf)]

const cells: Record<Exclude<Column, 'fees'>, (row: ExecutionRow) => ReactNode> = {
  user: (row) => (
    <>
      <span title={row.userId}>{row.userId}</span>
      <Tenant id={row.organizationId} />
    </>
  ),
  route: (row) => `${chainName(row.fromChainKey)} → ${chainName(row.toChainKey)}`,
  in: (row) => <TokenAmount raw={row.amountIn} decimals={row.fromTokenDecimals} symbol={row.fromTokenSymbol} />,
  out: ({ funds }) =>
    funds.holder === 'RECIPIENT' ? (
      <TokenAmount raw={funds.amount} decimals={funds.tokenDecimals} symbol={funds.tokenSymbol} />
    ) : (
      none
    ),
  cause: (row) => {
    const cause = wrongNow(row)
    return cause ? <span title={cause.message}>{words(cause.code)}</span> : none
  },
  next: (row) => <WhoActs row={row} />,
  created: (row) => <Ago at={row.createdAt} />,
}
const none = <span className="sub none">–</span>
const kinds: Partial<Record<Column, string>> = { user: 'cut', in: 'right nowrap num', out: 'right nowrap num' }

const put = ({ amountIn, fromTokenDecimals, fromTokenSymbol }: ExecutionRow): string =>
  `${amount(amountIn, fromTokenDecimals, 4)} ${fromTokenSymbol}`

type Props = { row: ExecutionRow; shows: Shows }
/** A row of the table. It takes two lines in less room, and is a card on a phone. */
export const ExecutionLine = ({ row, shows }: Props) => (
  <tr className={deviceClock() - Date.parse(row.createdAt) < 4_000 ? 'is-fresh' : ''}>
    <td data-at="status">
      <Status status={row.status} />
      {row.retryCount > 0 && <div className="sub tiny tries">attempt {row.retryCount + 1}</div>}
      {row.next.action === 'FOLLOW' && <div className="sub tiny tries">another execution took over</div>}
    </td>
    <td data-at="id" className="nowrap">
      <span className="row keep id-cell">
        <Link href={`/executions/${encodeURIComponent(row.id)}`} className="rowlink">
          <Hash value={row.id} kind={`${put(row)} of ${row.userId}, execution`} shown={shortId(row.id)} />
        </Link>
        <Copy value={row.id} what="execution id" />
      </span>
    </td>
    {ownColumns.filter(shows).map((column) => (
      <td key={column} data-at={column} className={kinds[column]}>
        {cells[column](row)}
        {column === 'in' && shows('fees') && <FeesTaken row={row} />}
      </td>
    ))}
  </tr>
)

/** The fees that were collected, in one sum; their parts are for the pointer. */
function FeesTaken({ row }: { row: ExecutionRow }) {
  const { protocolFee, gasFee, fromTokenDecimals: decimals, fromTokenSymbol: symbol } = row
  if (protocolFee === null || gasFee === null) return null
  const parts = [`Protocol fee ${amount(protocolFee, decimals)} ${symbol}`, `gas ${amount(gasFee, decimals)} ${symbol}`]
  return (
    <div className="sub tiny" title={parts.join(', ')}>
      fees {amount(String(BigInt(protocolFee) + BigInt(gasFee)), decimals, 4)}
    </div>
  )
}

/** Who acts next, and when an attempt is due. */
function WhoActs({ row: { next, completedAt } }: { row: ExecutionRow }) {
  const now = useNow()
  const actor = next.action === 'FOLLOW' ? undefined : actorName(next.actor)
  if (!actor) return none
  const dueAt = completedAt === null && next.action === 'RETRY' && next.expectedAt
  return (
    <span className="sub">
      up to {actor}
      {dueAt && (
        <>
          , <Time at={dueAt}>{Date.parse(dueAt) > now ? ago(Date.parse(dueAt), now) : 'due'}</Time>
        </>
      )}
    </span>
  )
}
