import { Button, MultiSelect, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useSearchParams } from 'wouter'
import { depositStages } from '../../ports/queries'
import { amount, chainName, shortId } from '../format'
import { useEvents, usePolling } from '../live/live'
import { addressesOf, firstFound } from '../search'
import { useHere } from '../session'
import type { DepositRow } from '../types'
import { Copy } from '../ui/copy'
import { LoadMore } from '../ui/load-more'
import { Bones, Empty, Page, Trouble } from '../ui/parts'
import { Stage } from '../ui/status'
import { Ago } from '../ui/time'

/** What arrived, from the first sight of its transaction: also what is not an execution yet. */
export default function Deposits() {
  const [parameters, setParameters] = useSearchParams()
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stage = parameters.get('stage')
  const id = parameters.get('id')
  const text = parameters.get('q')
  const queryKey = ['deposits', organization.id, parameters.toString()]
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: id
      ? [`/app/api/deposits/${encodeURIComponent(id)}`]
      : addressesOf('/deposits', text?.replace(/^(\d+):(0x[0-9a-f]{64}).*$/i, '$2') ?? null, { stage, limit: 50 }),
    queryFn: async ({ pageParam, signal }) => {
      const found = await firstFound<DepositRow>(pageParam, signal)
      return { ...found, body: [found.body].flat() }
    },
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
    refetchInterval: polling,
  })
  const due = useRef<ReturnType<typeof setTimeout> | null>(null)
  useEvents((events) => {
    if (due.current || !events.some(({ type }) => type.startsWith('deposit.'))) return
    due.current = setTimeout(() => {
      due.current = null
      void client.invalidateQueries({ queryKey })
    }, 700)
  })
  const put = (name: string, value: string | null) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        next.delete('id')
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )
  const rows = list.data?.pages.flatMap(({ body }) => body) ?? []
  return (
    <Page
      title="Deposits"
      lead="Every transfer to one of your deposit addresses, from its first sight. Once routed, it has an execution."
    >
      <div className="filters is-two" role="search" aria-label="Filter deposits">
        <TextInput
          label="Search"
          placeholder="User, address or hash"
          defaultValue={text ?? ''}
          onChange={(event) => {
            const value = event.currentTarget.value.trim()
            clearTimeout(typing.current)
            typing.current = setTimeout(() => put('q', value), 350)
          }}
        />
        <MultiSelect
          label="Stage"
          placeholder={stage ? '' : 'Any'}
          data={[...depositStages]}
          value={stage?.split(',') ?? []}
          onChange={(values) => put('stage', values.join(','))}
          clearable
          hidePickedOptions
          clearButtonProps={{ 'aria-label': 'Clear stage' }}
        />
      </div>
      <Trouble error={list.error} retry={() => void list.refetch()} />
      <div className="card">
        {list.isPending ? (
          <div className="empty-space">
            <Bones rows={7} height={22} />
          </div>
        ) : rows.length === 0 ? (
          <Empty icon="inbox" title={parameters.toString() ? 'No deposit matches' : 'No deposits yet'}>
            {parameters.toString() ? (
              <Button variant="default" size="sm" onClick={() => setParameters(new URLSearchParams())}>
                Clear filters
              </Button>
            ) : (
              <p>
                Show a user the deposit address and send something to it. <Link href="/address">Deposit address</Link>
              </p>
            )}
          </Empty>
        ) : (
          <div className="table-box" role="group" aria-label="Table" tabIndex={0}>
            <table className="table folds">
              <thead>
                <tr>
                  <th>Stage</th>
                  <th>Deposit</th>
                  <th>User</th>
                  <th>Chain</th>
                  <th className="right">Amount</th>
                  <th>Confirmations</th>
                  <th>Seen</th>
                  <th>What happens next</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.id}>
                    <td>
                      <Stage stage={row.stage} />
                    </td>
                    <td className="nowrap">
                      <span className="row keep id-cell">
                        {row.executionId && row.stage === 'ROUTED' ? (
                          <Link
                            href={`/executions/${encodeURIComponent(row.executionId)}`}
                            className="rowlink mono"
                            title={row.id}
                          >
                            {shortId(row.id)}
                          </Link>
                        ) : (
                          <span className="mono" title={row.id}>
                            {shortId(row.id)}
                          </span>
                        )}
                        <Copy value={row.id} what="deposit id" />
                      </span>
                    </td>
                    <td className="cut" title={row.userId} data-label="User">
                      {row.userId}
                    </td>
                    <td className="fold-away">{chainName(row.fromChainKey)}</td>
                    <td className="right num nowrap" title={`${row.amountIn} atomic units`}>
                      {amount(row.amountIn, row.fromTokenDecimals)} {row.fromTokenSymbol}
                    </td>
                    <td className="num fold-away">
                      {row.confirmations} of {row.confirmationsRequired}
                    </td>
                    <td>
                      <Ago at={row.createdAt} />
                    </td>
                    <td className="sub small whole">{row.next.message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      <LoadMore list={list} />
    </Page>
  )
}
