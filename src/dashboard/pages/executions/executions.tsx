import { Button, Switch } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useHere } from '../../data/session'
import type { ExecutionRow } from '../../data/types'
import { useFilters } from '../../data/use-filters'
import { useFind } from '../../find/find-context'
import { addressesOf, firstFound } from '../../find/search'
import { useEvents, usePolling } from '../../live/live'
import { Listed } from '../../ui/listed'
import { Empty, Page } from '../../ui/parts'
import { RetryThese } from '../operations/retry-these'
import { useColumns } from './execution-columns'
import { filterOf, fits } from './execution-filter'
import { ExecutionFilters } from './execution-filters'
import { ExecutionLine, executionHeads } from './execution-line'
import { ColumnMenu, ExportMenu } from './execution-menus'
import { keepList } from './last-list'
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
  const { shows, turn } = useColumns()
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
  useEffect(() => keepList(organization.id, text), [organization.id, text])
  const showWaiting = () => {
    setWaiting(new Set())
    void client.resetQueries({ queryKey })
  }
  const rows = list.data?.pages.flatMap(({ body }) => body) ?? []
  const isFiltered = text !== ''

  return (
    <Page
      title="Executions"
      actions={
        <>
          <RetryThese parameters={parameters} />
          <Switch label="Live" checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
          <ColumnMenu shows={shows} onTurn={turn} />
          <ExportMenu parameters={parameters} isEmpty={rows.length === 0} />
        </>
      }
    >
      <SavedViews parameters={text} onChoose={choose} />
      <ExecutionFilters parameters={parameters} put={put} />
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
        heads={executionHeads(shows)}
        bones={{ rows: 9, height: 22 }}
        kind="lines"
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
        {(row) => <ExecutionLine key={row.id} row={row} shows={shows} />}
      </Listed>
    </Page>
  )
}
