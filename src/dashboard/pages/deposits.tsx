import { MultiSelect } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { depositStages, stageNames } from '../../domain/deposit/deposit-stage'
import { amount, chainName, shortId } from '../data/format'
import { useHere } from '../data/session'
import { Tenant } from '../data/tenant'
import type { DepositRow } from '../data/types'
import { useFilters } from '../data/use-filters'
import { addressesOf, exportsOf, firstMatch } from '../find/search'
import { ExportMenu } from '../lists/export-menu'
import { Filters } from '../lists/filters'
import { flatRow } from '../lists/flat-row'
import { NoRows } from '../lists/no-rows'
import { OrderFilter, orderOf } from '../lists/order-filter'
import { periodOf } from '../lists/period'
import { PeriodFilter } from '../lists/period-filter'
import { usePolling, useThrottledRefresh } from '../live/live'
import { Copy } from '../ui/copy'
import { Hash } from '../ui/hash'
import { LinkedIds } from '../ui/linked-ids'
import { ListView, rowsOf, SkipToList } from '../ui/list-view'
import { Page } from '../ui/parts'
import { SearchBox } from '../ui/search-box'
import { Stage } from '../ui/status'
import { Ago } from '../ui/time'
import { TokenAmount } from '../ui/token-amount'
import { RescanDeposit } from './deposit/rescan-deposit'
import { ApproveDeposit } from './execution/actions'

const unsupportedMs = 4_000

/** Every deposit from the first sighting of its transaction, including those without an execution. */
export default function Deposits() {
  const { parameters, put, choose } = useFilters()
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const stage = parameters.get('stage')
  const text = parameters.get('q')
  const filter = { stage, ...periodOf(parameters), order: orderOf(parameters) }
  const queryKey = ['deposits', organization.id, parameters.toString()]
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: addressesOf('/deposits', text, { ...filter, limit: 50 }),
    queryFn: ({ pageParam, signal }) => firstMatch<DepositRow>(pageParam, signal),
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
    // Deposits of unlisted tokens change without an event.
    refetchInterval: stage?.includes('UNSUPPORTED') ? unsupportedMs : polling,
  })
  const renew = () => void client.invalidateQueries({ queryKey })
  useThrottledRefresh(({ type }) => type.startsWith('deposit.'), renew)
  return (
    <Page
      title="Deposits"
      lead="Every transfer to your deposit addresses, from its first sighting. A routed deposit has an execution."
      actions={
        <ExportMenu<DepositRow>
          addresses={exportsOf('/deposits', text, filter)}
          name="deposits"
          flat={flatRow}
          isEmpty={!rowsOf(list)?.length}
        />
      }
    >
      <SkipToList />
      <DepositFilters text={text} stage={stage} put={put} />
      <OnNoList isShown={stage === 'UNSUPPORTED'} onShow={(isShown) => put('stage', isShown ? 'UNSUPPORTED' : null)} />
      <ListView
        list={list}
        label="Deposits"
        bones={{ rows: 7, height: 22 }}
        kind="folds tight says"
        heads={[
          'Stage',
          'Deposit',
          organization.isPlatform ? 'User, organization' : 'User',
          'Chain',
          { right: 'Amount' },
          'Seen',
          'What happens next',
        ]}
        empty={
          <NoRows
            icon="inbox"
            what="deposit"
            text={text}
            elsewhere="It may be another kind of record, or not seen yet."
            isFiltered={parameters.toString() !== ''}
            onClear={() => choose('')}
          >
            Give a user their <Link href="/address">deposit address</Link> and send a deposit to it.
          </NoRows>
        }
      >
        {(row) => <DepositLine key={row.id} row={row} onChange={renew} />}
      </ListView>
    </Page>
  )
}

const stageOptions = depositStages.map((value) => ({ value, label: `${stageNames[value]} · ${value}` }))

type FilterProps = { text: string | null; stage: string | null; put: ReturnType<typeof useFilters>['put'] }
const DepositFilters = ({ text, stage, put }: FilterProps) => (
  <Filters label="Filter deposits" kind="is-four">
    <SearchBox
      placeholder="User, address, sender or hash"
      value={text ?? ''}
      onSearch={(searchText) => put('q', searchText)}
    />
    <MultiSelect
      label="Stage"
      placeholder={stage ? '' : 'Any stage'}
      data={stageOptions}
      value={stage ? stage.split(',') : []}
      onChange={(values) => put('stage', values.join(','))}
      clearable
      hidePickedOptions
      clearButtonProps={{ 'aria-label': 'Clear stage' }}
    />
    <PeriodFilter label="Seen" />
    <OrderFilter />
  </Filters>
)

const put = ({ amountIn, fromTokenDecimals, fromTokenSymbol }: DepositRow): string =>
  `${amount(amountIn, fromTokenDecimals, 4)} ${fromTokenSymbol}`

const DepositLine = ({ row, onChange }: { row: DepositRow; onChange: () => void }) => (
  <tr>
    <td>
      <Stage stage={row.stage} actor={row.next.actor} />
    </td>
    <td className="nowrap">
      <span className="row keep id-cell">
        <Link href={`/deposits/${encodeURIComponent(row.id)}`} className="rowlink">
          <Hash value={row.id} kind={`${put(row)} of ${row.userId}, deposit`} shown={shortId(row.id)} />
        </Link>
        <Copy value={row.id} what="deposit id" />
      </span>
    </td>
    <td className="cut" title={row.userId} data-label="User">
      {row.userId}
      <Tenant id={row.organizationId} />
    </td>
    <td>
      {chainName(row.fromChainKey)}
      <div className="sub tiny num nowrap">
        {row.confirmations} of {row.confirmationsRequired} blocks
      </div>
    </td>
    <td className="right num to-left">
      <TokenAmount raw={row.amountIn} decimals={row.fromTokenDecimals} symbol={row.fromTokenSymbol} />
    </td>
    <td className="to-right nowrap">
      <Ago at={row.createdAt} />
    </td>
    <td className="sub small whole wrap">
      <LinkedIds>{row.next.message}</LinkedIds>
      <div className="below">
        <RescanDeposit deposit={row} onDone={onChange} />
        {row.next.action === 'APPROVE' && <ApproveDeposit of={row} onDone={onChange} />}
      </div>
    </td>
  </tr>
)

/**
 * Switches the list between deposits of unlisted tokens and all others. Strangers send such tokens every day, so they
 * are not mixed in.
 */
const OnNoList = ({ isShown, onShow }: { isShown: boolean; onShow: (isShown: boolean) => void }) => (
  <p className="sub small">
    {isShown
      ? 'These tokens are unlisted and have no price, so they are not routed. Most were sent unsolicited and can be ' +
        'ignored; a rescan routes one that was intended. '
      : 'Unlisted tokens are hidden. '}
    <button type="button" className="as-link" onClick={() => onShow(!isShown)}>
      {isShown ? 'Show all other deposits' : 'Show unlisted tokens'}
    </button>
  </p>
)
