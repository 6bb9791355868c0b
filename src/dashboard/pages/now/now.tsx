import { Button } from '@mantine/core'
import { Suspense } from 'react'
import { Link } from 'wouter'
import { grouped } from '../../data/format'
import { lazily } from '../../data/lazily'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { Tenant } from '../../data/tenant'
import { type Overdue, overdueKey, pageOf, useOverdue } from '../../live/overdue'
import { Unread } from '../../ui/loaded'
import { Card } from '../../ui/parts'
import { Ago } from '../../ui/time'

const actions = () => import('./overdue-actions')
const OverdueActions = lazily(actions)
const RecordsUnread = lazily(() => actions().then((m) => ({ default: m.RecordsUnread })))
const shownMax = 5

/** What is overdue now, with its buttons. Nothing is shown if nothing is overdue. */
export function Now() {
  const { isOperator } = useHere()
  const overdue = useOverdue()
  const rows = ifLoaded(overdue, (all) => (all.length > 0 ? all : undefined))
  if (!isOperator) return null
  return (
    <>
      <Unread of={overdue} />
      {rows && (
        <Card title="Now" side={<span className="pill t-bad">{grouped(rows.length)} overdue</span>}>
          <Suspense>
            <RecordsUnread />
          </Suspense>
          <ul className="stack">
            {rows.slice(0, shownMax).map((row) => (
              <OverdueLine key={overdueKey(row)} row={row} />
            ))}
          </ul>
          {rows.length > shownMax && (
            <p className="small">
              <Link href="/operations">Show all {grouped(rows.length)}</Link>
            </p>
          )}
        </Card>
      )}
    </>
  )
}

const OverdueLine = ({ row }: { row: Overdue }) => (
  <li className="row apart">
    <div className="grow">
      <div className="small">{row.message}</div>
      <div className="sub tiny">
        Was due <Ago at={row.by} />
        {row.advice && `. ${row.advice}`}
      </div>
      <Tenant id={row.organizationId} />
    </div>
    <div className="row">
      <Suspense fallback={<span className="bone is-figure" role="status" aria-label="Loading" />}>
        <OverdueActions row={row} />
      </Suspense>
      <Button component={Link} href={pageOf(row) ?? '/operations'} size="compact-sm" variant="default">
        Open
      </Button>
    </div>
  </li>
)
