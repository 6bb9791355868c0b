import type { ReactNode } from 'react'
import { LoadMore } from './load-more'
import { Bones, Trouble } from './parts'
import { type Head, Table } from './table'

type List = { isPending: boolean; error: unknown; refetch: () => Promise<unknown> }
type Props<Row> = {
  list: List | (List & Parameters<typeof LoadMore>[0]['list'])
  rows: readonly Row[]
  heads: readonly Head[]
  /** Number of placeholders while loading, and the height of each. */
  bones?: { rows: number; height?: number }
  /** Shown in place of the table when there are no rows. */
  empty?: ReactNode
  kind?: string
  children: (row: Row) => ReactNode
}

/** A list in any state: loading, failed, empty, or a table with a button for more. */
export function Listed<Row>({ list, rows, heads, bones = { rows: 7 }, empty, kind = 'folds', children }: Props<Row>) {
  const isEmpty = rows.length === 0
  return (
    <>
      <Trouble error={list.error} retry={() => void list.refetch()} />
      <div className="card" hidden={isEmpty && Boolean(list.error)}>
        {list.isPending ? (
          <div className="empty-space">
            <Bones {...bones} />
          </div>
        ) : isEmpty ? (
          empty
        ) : (
          <Table heads={heads} kind={kind}>
            {rows.map(children)}
          </Table>
        )}
      </div>
      {'hasNextPage' in list && <LoadMore list={list} />}
    </>
  )
}
