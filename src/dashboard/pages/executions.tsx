import { Button, MultiSelect, Select, Switch } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { statusNames } from '../../domain/status'
import { useFind } from '../find/find-context'
import { useEvents, usePolling } from '../live/live'
import { addressesOf, firstFound } from '../search'
import { useHere } from '../session'
import type { ExecutionRow } from '../types'
import { Listed } from '../ui/listed'
import { Empty, Page } from '../ui/parts'
import { SearchBox } from '../ui/search-box'
import { say } from '../ui/toast'
import { useFilters } from '../use-filters'
import { chainOptions, filterOf, fits, spans } from './execution-filter'
import { ExecutionLine, executionHeads } from './execution-line'
import { exportExecutions } from './export-executions'
import { RetryThese } from './operations/retry-these'
import { SavedViews } from './saved-views'

const pageSize = 50

export default function Executions() {
  const { parameters, put, choose } = useFilters()
  const { organization } = useHere()
  const client = useQueryClient()
  const find = useFind()
  const polling = usePolling()
  const [isLive, setLive] = useState(true)
  const [waiting, setWaiting] = useState<ReadonlySet<string>>(new Set())
  const [isExporting, setExporting] = useState(false)
  const text = parameters.toString()
  const queryKey = ['executions', organization.id, text]
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: addressesOf('/executions', parameters.get('q'), { ...filterOf(parameters), limit: pageSize }),
    queryFn: ({ pageParam, signal }) => firstFound<ExecutionRow>(pageParam, signal),
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
    refetchInterval: isLive ? polling : false,
  })

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

  // biome-ignore lint/correctness/useExhaustiveDependencies: what waits is of one filter
  useEffect(() => setWaiting(new Set()), [text])
  const showWaiting = () => {
    setWaiting(new Set())
    void client.resetQueries({ queryKey })
  }
  const rows = list.data?.pages.flatMap(({ body }) => body) ?? []
  const isFiltered = text !== ''

  const exportRows = () => {
    setExporting(true)
    exportExecutions(parameters)
      .catch((error: Error) => say(error.message))
      .finally(() => setExporting(false))
  }

  return (
    <Page
      title="Executions"
      actions={
        <>
          <RetryThese parameters={parameters} />
          <Switch label="Live" checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
          <Button variant="default" size="sm" onClick={exportRows} loading={isExporting} disabled={rows.length === 0}>
            Export CSV
          </Button>
        </>
      }
    >
      <SavedViews parameters={text} onChoose={choose} />
      <div className="filters" role="search" aria-label="Filter executions">
        <SearchBox
          placeholder="Id, user, address or hash"
          value={parameters.get('q') ?? ''}
          onSearch={(sought) => put('q', sought)}
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
        <Select
          label="Created"
          placeholder="Any time"
          data={Object.entries(spans).map(([value, { label }]) => ({ value, label }))}
          value={parameters.get('time')}
          onChange={(value) => put('time', value)}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear time' }}
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
      </div>
      <div aria-live="polite" className={waiting.size > 0 ? '' : 'hidden-visually'}>
        {waiting.size > 0 && (
          <Button size="compact-md" variant="light" onClick={showWaiting}>
            Show {waiting.size} new
          </Button>
        )}
      </div>
      <Listed
        list={list}
        rows={rows}
        heads={executionHeads(organization.isPlatform)}
        bones={{ rows: 9, height: 22 }}
        kind="folds dense"
        empty={
          <Empty icon="list" title={isFiltered ? 'No execution matches' : 'No executions yet'}>
            {isFiltered ? (
              <>
                {parameters.get('q') && (
                  <p>
                    It may be a deposit that is no execution yet, or a sender.{' '}
                    <button type="button" className="as-link" onClick={() => find(parameters.get('q')!)}>
                      Look everywhere
                    </button>
                  </p>
                )}
                <Button variant="default" size="sm" onClick={() => choose('')}>
                  Clear filters
                </Button>
              </>
            ) : (
              <p>
                An execution begins when a deposit is confirmed. <Link href="/start">Get started</Link> leads to the
                first one.
              </p>
            )}
          </Empty>
        }
      >
        {(row) => <ExecutionLine key={row.id} row={row} isPlatform={organization.isPlatform} />}
      </Listed>
    </Page>
  )
}
