import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { grouped } from '../data/format'
import type { QueryState } from '../data/read'
import { useFilters } from '../data/use-filters'
import { OrderFilter, orderOf } from '../lists/order-filter'
import { Unread, useFailure } from './loaded'
import { Bones } from './parts'
import { type Head, Table } from './table'

type More = Parameters<typeof LoadMore>[0]['list']
type Pages<Row> = { pages: readonly { body: readonly Row[] }[] }
type Props<Row> = {
  list: QueryState<readonly Row[]> | (QueryState<Pages<Row>> & More)
  heads: readonly Head[]
  /** Number of placeholders while loading, and the height of each. */
  bones?: { rows: number; height?: number }
  /** Shown in place of the table when there are no rows. */
  empty?: ReactNode
  kind?: string
  /** The name of the table. */
  label: string
  /** Whether people choose the order by age. A whole list is read newest first, one in pages in the chosen order. */
  isOrdered?: boolean
  children: (row: Row) => ReactNode
}

const isInPages = <Row,>(data: readonly Row[] | Pages<Row>): data is Pages<Row> => 'pages' in data

/** Returns the rows of a list, or null while they are unknown. */
export const rowsOf = <Row,>({ data }: Pick<QueryState<readonly Row[] | Pages<Row>>, 'data'>): readonly Row[] | null =>
  data === undefined ? null : isInPages(data) ? data.pages.flatMap(({ body }) => body) : data

/** Leads people who use Tab past the filters. */
export const SkipToList = () => (
  <button
    type="button"
    className="skip"
    onClick={() => {
      const list = document.querySelector<HTMLElement>('#main .listed')
      if (list) Object.assign(list, { tabIndex: -1 }).focus()
    }}
  >
    Skip to the list
  </button>
)

/** A list in any state: loading, failed, empty, or a table with a button for more. */
export function ListView<Row>({
  list,
  heads,
  bones = { rows: 7 },
  empty,
  kind = 'folds',
  label,
  isOrdered = false,
  children,
}: Props<Row>) {
  const { parameters } = useFilters()
  const isTurned = isOrdered && Array.isArray(list.data) && orderOf(parameters) === 'oldest'
  const read = rowsOf<Row>(list)
  const rows = isTurned && read ? read.toReversed() : read
  const failure = useFailure(list)
  if (rows === null && failure) return <Unread of={list} />
  return (
    <>
      <Unread of={list} />
      {isOrdered && rows !== null && rows.length > 1 && (
        <div className="row no-print">
          <OrderFilter />
        </div>
      )}
      <div className="card listed">
        {rows === null ? (
          <div className="empty-space">
            <Bones {...bones} />
          </div>
        ) : rows.length === 0 ? (
          empty
        ) : (
          <Table heads={heads} kind={kind} label={label}>
            {rows.map(children)}
          </Table>
        )}
      </div>
      {rows !== null && 'hasNextPage' in list && <LoadMore list={list} shown={rows.length} />}
    </>
  )
}

type List = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> }

const LoadMore = ({ list, shown }: { list: List; shown: number }) =>
  list.hasNextPage && (
    <div className="row load-more" style={{ justifyContent: 'center' }}>
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        Load more
      </Button>
      <span className="sub small">{grouped(shown)} shown</span>
    </div>
  )
