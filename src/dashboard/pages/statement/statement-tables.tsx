import type { ReactNode } from 'react'
import { amount, chainName, dollars, grouped } from '../../data/format'
import { Card, Facts, Tile } from '../../ui/parts'
import { Table } from '../../ui/table'
import { byChain, exactUsd, type Statement, type StatementRow, type Sums, sumsOf } from './statement-figures'

/** The figures of a period: its totals, the deposit accounts by token, and the deliveries by token. */
export function StatementTables({ rows, totals }: Pick<Statement, 'rows' | 'totals'>) {
  const { usdCents } = sumsOf(rows)
  return (
    <>
      <div className="grid4">
        <Tile what="Deposits" value={grouped(totals.deposits)} more="Arrived in the deposit accounts" />
        <Tile what="Deliveries" value={grouped(totals.deliveries)} more="Arrived at recipients" />
        <Tile
          what="Volume"
          value={exactUsd(totals.volumeUsd)}
          more={pricedWhen('it left', totals.unpricedDepartures)}
        />
        <Tile what="Delivered" value={<Usd cents={usdCents} />} more="Each at the price when it arrived" />
        <Tile
          what="Fees"
          value={exactUsd(totals.protocolFeeUsd)}
          more={pricedWhen('it was collected', totals.unpricedCharges)}
        />
        <Tile
          what="Gas"
          value={exactUsd(totals.gasFeeUsd)}
          more={pricedWhen('it was collected', totals.unpricedCharges)}
        />
        <Tile
          what="Refunded"
          value={exactUsd(totals.refundedUsd)}
          more={pricedWhen('it arrived', totals.unpricedRefunds)}
        />
        <Tile
          what="Without a price"
          value={grouped(totals.unpricedDeliveries)}
          more="Deliveries left out of the USD sums"
        />
      </div>
      <Card
        title="Deposit accounts"
        side={
          <span className="sub tiny">
            Opening + received + returned + corrected = volume + closing, and volume = fees + gas + routed. Amounts are
            cut after 8 decimals here; the CSV has every unit.
          </span>
        }
      >
        <Accounts rows={rows} />
      </Card>
      <Card title="Deliveries" side={<span className="sub tiny">By the chain and token that arrived</span>}>
        <Deliveries rows={rows} />
      </Card>
    </>
  )
}

const pricedWhen = (when: string, unpriced: number): string =>
  unpriced === 0 ? `Each at the price when ${when}` : `${grouped(unpriced)} without a price`

const Usd = ({ cents }: { cents: bigint | null }) => <>{cents === null ? 'unknown' : dollars(cents)}</>

const names = {
  opening: 'Opening',
  received: 'Received',
  returned: 'Returned',
  corrected: 'Corrected',
  protocolFee: 'Fees',
  gasFee: 'Gas',
  routed: 'Routed',
  closing: 'Closing',
} as const
const columns = Object.keys(names) as (keyof typeof names)[]

/** The CSV has every atomic unit. */
const shownDecimals = 8

const Amount = ({ raw, of }: { raw: string; of: StatementRow }) => (
  <span title={`${raw} atomic units`}>{raw === '0' ? '0' : amount(raw, of.tokenDecimals, shownDecimals)}</span>
)

const usdFields = { protocolFee: 'protocolFeeUsd', gasFee: 'gasFeeUsd' } as const

/** An amount of an account. Fees and gas have their value beside them. */
function AccountAmount({ column, row }: { column: keyof typeof names; row: StatementRow }) {
  const shown = <Amount raw={row[column]} of={row} />
  if ((column !== 'protocolFee' && column !== 'gasFee') || row[column] === '0') return shown
  return (
    <>
      {shown}
      <div className="sub tiny">{exactUsd(row[usdFields[column]])}</div>
      {row.unpricedCharges > 0 && <div className="sub tiny">{grouped(row.unpricedCharges)} without a price</div>}
    </>
  )
}

const Token = ({ row }: { row: StatementRow }) => (
  <td title={row.tokenAddress}>
    <span className="strong">{row.tokenSymbol}</span>
    <div className="sub tiny">{chainName(row.chainKey)}</div>
  </td>
)

/** What left the accounts, with its value at that time. */
function Volume({ row }: { row: StatementRow }) {
  const { protocolFee, gasFee, routed, departures, unpricedDepartures, volumeUsd } = row
  const shown = <Amount raw={String(BigInt(protocolFee) + BigInt(gasFee) + BigInt(routed))} of={row} />
  if (departures === 0) return shown
  return (
    <>
      {shown}
      <div className="sub tiny">{exactUsd(volumeUsd)}</div>
      {unpricedDepartures > 0 && <div className="sub tiny">{grouped(unpricedDepartures)} without a price</div>}
    </>
  )
}

/** Whether the deposit accounts held or moved any of this token. A token that only arrived has its row below. */
const isInAccounts = (row: StatementRow): boolean => columns.some((column) => row[column] !== '0') || row.deposits > 0

/** Each token has its own block, because ten columns of amounts fit no screen. */
function Accounts({ rows }: { rows: readonly StatementRow[] }) {
  const held = rows.filter(isInAccounts)
  if (held.length === 0) return <p className="sub small">The deposit accounts held and moved nothing.</p>
  return held.map((row) => (
    <section key={`${row.chainKey} ${row.tokenAddress}`} className="statement-token">
      <h3 title={row.tokenAddress}>
        {row.tokenSymbol} on {chainName(row.chainKey)}
      </h3>
      <Facts
        rows={[
          ['Deposits', grouped(row.deposits)],
          ['Volume', <Volume key="volume" row={row} />],
          ...columns.map((column): [string, ReactNode] => [
            names[column],
            <AccountAmount key={column} column={column} row={row} />,
          ]),
        ]}
      />
    </section>
  ))
}

const hasArrived = (row: StatementRow): boolean => row.deliveries > 0 || row.delivered !== '0' || row.refunded !== '0'

/** Deliveries by chain and token, with a sum for each chain. The sums in USD add up to the total to the cent. */
function Deliveries({ rows }: { rows: readonly StatementRow[] }) {
  const arrived = rows.filter(hasArrived)
  if (arrived.length === 0) return <p className="sub small">Nothing was delivered or refunded.</p>
  return (
    <Table
      label="Deliveries"
      kind="folds"
      heads={[
        'Token',
        { right: 'Deliveries' },
        { right: 'Delivered' },
        { right: 'Refunded' },
        { right: 'Value in USD' },
      ]}
      foot={<SumLine title="Total" sums={sumsOf(arrived)} />}
    >
      {byChain(arrived).flatMap(({ chainKey, rows: group, sums }) => [
        ...group.map((row) => (
          <tr key={`${chainKey} ${row.tokenAddress}`}>
            <Token row={row} />
            <td className="right num" data-label="Deliveries">
              {grouped(row.deliveries)}
            </td>
            <td className="right num" data-label="Delivered">
              <Amount raw={row.delivered} of={row} />
            </td>
            <td className="right num" data-label="Refunded">
              <Amount raw={row.refunded} of={row} />
              {row.refunds > 0 && (
                <div className="sub tiny">
                  <Usd cents={sumsOf([row]).refundedCents} />
                  {row.unpricedRefunds > 0 && `, ${grouped(row.unpricedRefunds)} without a price`}
                </div>
              )}
            </td>
            <td className="right num" data-label="Value in USD">
              <Usd cents={sumsOf([row]).usdCents} />
              {row.unpricedDeliveries > 0 && (
                <div className="sub tiny">{grouped(row.unpricedDeliveries)} without a price</div>
              )}
            </td>
          </tr>
        )),
        ...(group.length > 1 ? [<SumLine key={chainKey} title={chainName(chainKey)} sums={sums} />] : []),
      ])}
    </Table>
  )
}

const SumLine = ({ title, sums }: { title: string; sums: Sums }) => (
  <tr className="sum">
    <td className="strong">{title}</td>
    <td className="right num" data-label="Deliveries">
      {grouped(sums.deliveries)}
    </td>
    <td className="fold-away" />
    <td className={`right num ${sums.refunds === 0 ? 'fold-away' : ''}`} data-label="Refunded">
      {sums.refunds > 0 && <Usd cents={sums.refundedCents} />}
    </td>
    <td className="right num strong" data-label="Value in USD">
      <Usd cents={sums.usdCents} />
    </td>
  </tr>
)
