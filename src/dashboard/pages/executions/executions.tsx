import { Button, Menu, Switch } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useHere } from '../../data/session'
import type { ExecutionRow } from '../../data/types'
import { useFilters } from '../../data/use-filters'
import { addressesOf, exportsOf, firstMatch } from '../../find/search'
import { ExportMenu } from '../../lists/export-menu'
import { flatExecution } from '../../lists/flat-row'
import { NoRows } from '../../lists/no-rows'
import { orderOf } from '../../lists/order-filter'
import { usePolling } from '../../live/live'
import { Icon } from '../../ui/icon'
import { ListView, rowsOf, SkipToList } from '../../ui/list-view'
import { Page } from '../../ui/parts'
import { RetryThese } from '../operations/retry-these'
import { type Column, columnNames, columns, useColumns } from './execution-columns'
import { filterOf } from './execution-filter'
import { ExecutionFilters } from './execution-filters'
import { ExecutionLine, executionHeads } from './execution-line'
import { keepList } from './last-list'
import { SavedViews } from './saved-views'
import { useLiveRows } from './use-live-rows'
import { wrongNow } from './wrong-now'

const pageSize = 50
const flatShown = ({ cause, ...row }: ExecutionRow) => ({
  ...flatExecution(row),
  causeCode: wrongNow({ ...row, cause })?.code,
})

/** The list of executions, filtered by the address bar and kept current by events. */
export default function Executions() {
  const { parameters, put, choose } = useFilters()
  const { organization } = useHere()
  const polling = usePolling()
  const [isLive, setLive] = useState(true)
  const { shows, turn } = useColumns()
  const text = parameters.toString()
  const filter = { ...filterOf(parameters), order: orderOf(parameters) }
  const queryKey = ['executions', organization.id, text]
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: addressesOf('/executions', parameters.get('q'), { ...filter, limit: pageSize }),
    queryFn: ({ pageParam, signal }) => firstMatch<ExecutionRow>(pageParam, signal),
    getNextPageParam: ({ next }) => (next === null ? undefined : [next]),
    refetchInterval: isLive ? polling : false,
  })

  const { waiting, showWaiting } = useLiveRows(queryKey, parameters, isLive)
  useEffect(() => keepList(organization.id, text), [organization.id, text])

  return (
    <Page
      title="Executions"
      actions={
        <>
          <RetryThese parameters={parameters} />
          <Switch label="Live" checked={isLive} onChange={(event) => setLive(event.currentTarget.checked)} />
          <ColumnMenu shows={shows} onTurn={turn} />
          <ExportMenu<ExecutionRow>
            addresses={exportsOf('/executions', parameters.get('q'), filter)}
            name="executions"
            flat={flatShown}
            isEmpty={!rowsOf(list)?.length}
          />
        </>
      }
    >
      <SkipToList />
      <SavedViews parameters={text} onChoose={choose} />
      <ExecutionFilters parameters={parameters} put={put} />
      {waiting > 0 && (
        <div>
          <Button size="compact-md" variant="light" onClick={showWaiting}>
            Show {waiting} new
          </Button>
        </div>
      )}
      <ListView
        list={list}
        label="Executions"
        heads={executionHeads(shows)}
        bones={{ rows: 9, height: 22 }}
        kind="lines"
        empty={
          <NoRows
            icon="list"
            what="execution"
            text={parameters.get('q')}
            elsewhere="It may be a deposit that is not an execution yet, or a sender."
            isFiltered={text !== ''}
            onClear={() => choose('')}
          >
            An execution begins when a deposit is confirmed. <Link href="/start">Get started</Link> leads to the first
            one.
          </NoRows>
        }
      >
        {(row) => <ExecutionLine key={row.id} row={row} shows={shows} />}
      </ListView>
    </Page>
  )
}

type ColumnProps = { shows: (column: Column) => boolean; onTurn: (column: Column) => void }
/** Chooses the columns. The choice is stored in this browser. */
export const ColumnMenu = ({ shows, onTurn }: ColumnProps) => (
  <Menu position="bottom-end" closeOnItemClick={false}>
    <Menu.Target>
      <Button variant="default" size="sm">
        Columns
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      {columnNames.map((column) => (
        <Menu.Item
          key={column}
          role="menuitemcheckbox"
          aria-checked={shows(column)}
          onClick={() => onTurn(column)}
          leftSection={<span className="tick">{shows(column) && <Icon name="check" size={15} />}</span>}
        >
          {columns[column]}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
)
