import { Button, MultiSelect, Select, Switch, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { statusNames } from '../../domain/status'
import type { Answered } from '../api'
import { csvOf, download } from '../download'
import { useEvents, usePolling } from '../live/live'
import { addressesOf, firstFound } from '../search'
import { useHere } from '../session'
import type { ExecutionRow } from '../types'
import { LoadMore } from '../ui/load-more'
import { Bones, Empty, Page, Trouble } from '../ui/parts'
import { say } from '../ui/toast'
import { chainOptions, filterOf, fits, spans } from './execution-filter'
import { ExecutionRows } from './execution-rows'
import { SavedViews } from './saved-views'

const pageSize = 50
const exportMax = 5_000

export default function Executions() {
  const [parameters, setParameters] = useSearchParams()
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const [isLive, setLive] = useState(true)
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set())
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const text = parameters.toString()
  const queryKey = ['executions', organization.id, text]
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: addressesOf('/executions', parameters.get('q'), { ...filterOf(parameters), limit: pageSize }),
    queryFn: ({ pageParam, signal }) => firstFound<ExecutionRow>(pageParam, signal),
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
    refetchInterval: isLive ? polling : false,
  })
  const put = (name: string, value: string | null) =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before)
        if (value) next.set(name, value)
        else next.delete(name)
        return next
      },
      { replace: true },
    )

  // Rows on screen change in place; new ones wait behind a button, so that nothing jumps under the pointer.
  useEvents((events) => {
    const changed = new Map<string, ExecutionRow>()
    for (const { type, data } of events)
      if (type.startsWith('execution.') && type !== 'execution.moved') {
        const row = data as unknown as ExecutionRow
        if (row.seq >= (changed.get(row.id)?.seq ?? 0)) changed.set(row.id, row)
      }
    if (changed.size === 0) return
    const shown = new Set<string>()
    client.setQueryData<typeof list.data>(queryKey, (before) => {
      if (!before) return before
      const renew = (row: ExecutionRow): ExecutionRow => {
        shown.add(row.id)
        const news = changed.get(row.id)
        return news && news.seq > row.seq ? { ...row, ...news } : row
      }
      return { ...before, pages: before.pages.map((page) => ({ ...page, body: page.body.map(renew) })) }
    })
    const fresh = [...changed.values()].filter((row) => !shown.has(row.id) && fits(row, parameters))
    if (fresh.length > 0) setWaiting((before) => new Set([...before, ...fresh.map(({ id }) => id)].slice(-999)))
  }, isLive)

  const showWaiting = () => {
    setWaiting(new Set())
    void client.resetQueries({ queryKey })
  }
  const rows = list.data?.pages.flatMap(({ body }) => body) ?? []
  const isFiltered = text !== ''

  async function exportRows() {
    const all: ExecutionRow[] = []
    let next: string[] | null = addressesOf('/executions', parameters.get('q'), { ...filterOf(parameters), limit: 100 })
    while (next && all.length < exportMax) {
      const page: Answered<ExecutionRow[]> = await firstFound<ExecutionRow>(next)
      all.push(...page.body)
      next = page.next === null ? null : [page.next]
    }
    const names = Object.keys(all[0] ?? {}).filter(
      (name) => !['funds', 'next', 'cause'].includes(name),
    ) as (keyof ExecutionRow)[]
    download('executions.csv', csvOf([names, ...all.map((row) => names.map((name) => row[name]))]))
    say(`${all.length} executions exported${next ? `; the first ${exportMax} of more` : ''}`)
  }

  return (
    <Page
      title="Executions"
      actions={
        <>
          <Switch label="Live" checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
          <Button variant="default" size="sm" onClick={() => void exportRows()} disabled={rows.length === 0}>
            Export CSV
          </Button>
        </>
      }
    >
      <SavedViews parameters={text} onChoose={(query) => setParameters(new URLSearchParams(query))} />
      <div className="filters" role="search" aria-label="Filter executions">
        <TextInput
          key={`q${parameters.get('q') ?? ''}`}
          label="Search"
          placeholder="Id, user, address or hash"
          defaultValue={parameters.get('q') ?? ''}
          onChange={(event) => {
            const value = event.currentTarget.value.trim()
            clearTimeout(typing.current)
            typing.current = setTimeout(() => put('q', value), 350)
          }}
        />
        <MultiSelect
          label="Status"
          placeholder={parameters.get('status') ? '' : 'Any'}
          data={[...statusNames]}
          value={parameters.get('status')?.split(',') ?? []}
          onChange={(values) => put('status', values.join(','))}
          clearable
          searchable
          hidePickedOptions
          clearButtonProps={{ 'aria-label': 'Clear status' }}
        />
        {(['from', 'to'] as const).map((side) => (
          <Select
            key={side}
            label={side === 'from' ? 'From' : 'To'}
            placeholder="Any chain"
            data={chainOptions}
            value={parameters.get(side)}
            onChange={(value) => put(side, value)}
            clearable
            clearButtonProps={{ 'aria-label': `Clear chain ${side}` }}
          />
        ))}
        <Select
          label="Created"
          placeholder="Any time"
          data={Object.entries(spans).map(([value, { label }]) => ({ value, label }))}
          value={parameters.get('time')}
          onChange={(value) => put('time', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear time' }}
        />
      </div>
      <div aria-live="polite" className={waiting.size > 0 ? '' : 'hidden-visually'}>
        {waiting.size > 0 && (
          <Button size="compact-md" variant="light" onClick={showWaiting}>
            Show {waiting.size} new
          </Button>
        )}
      </div>
      <Trouble error={list.error} retry={() => void list.refetch()} />
      <div className="card" hidden={rows.length === 0 && list.error !== null}>
        {list.isPending ? (
          <div className="empty-space">
            <Bones rows={9} height={22} />
          </div>
        ) : rows.length === 0 ? (
          <Empty icon="list" title={isFiltered ? 'No execution matches' : 'No executions yet'}>
            {isFiltered ? (
              <Button variant="default" size="sm" onClick={() => setParameters(new URLSearchParams())}>
                Clear filters
              </Button>
            ) : (
              <p>
                An execution begins when a deposit is confirmed. <Link href="/start">Get started</Link> leads to the
                first one.
              </p>
            )}
          </Empty>
        ) : (
          <ExecutionRows rows={rows} isPlatform={organization.isPlatform} />
        )}
      </div>
      <LoadMore list={list} />
    </Page>
  )
}
