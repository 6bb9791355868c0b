import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { isStatus } from '../../domain/execution/status'
import type { LineView } from '../../http/dashboard/states'
import { ask, queryOf } from '../data/api'
import { amount, chainName } from '../data/format'
import { useHere } from '../data/session'
import { stateName } from '../data/state-name'
import { Tenant } from '../data/tenant'
import type { ExecutionRow } from '../data/types'
import { beforehand } from '../live/counts'
import { usePolling, useThrottledRefresh } from '../live/live'
import type { Model } from '../machine/model'
import { Loaded } from '../ui/loaded'
import { Bones, Card, Empty } from '../ui/parts'
import { Status } from '../ui/status'
import { Ago } from '../ui/time'

/** `at` is the time shown: of the last change, or of the deposit in a list by age. */
type Line = Omit<LineView, 'status' | 'detectedAt' | 'updatedAt'> & { status: string | null; at: string }
const lineOf = (row: ExecutionRow): Line => ({ ...row, isShown: true, at: row.updatedAt })
const byAge = (row: LineView): Line => ({ ...row, at: row.detectedAt })

/** The whole list of a state, by age. A deposit before its transaction is in the list of deposits. */
const byAgeIn = (state: string): string =>
  isStatus(state) ? `/executions?status=${state}&order=oldest` : `/deposits?stage=${beforehand}&order=oldest`

type Props = { state: string | null; model: Model | undefined; onAll: () => void }

/** The newest executions, or those in the state selected on the map: the oldest deposit first, unless they ended. */
export function Latest({ state, model, onAll }: Props) {
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const kind = model?.states.find(({ id }) => id === state)?.kind
  const inner = kind === 'terminal' ? null : state
  const status = inner ? undefined : (state ?? undefined)
  const name = state && stateName(state)
  const queryKey = ['latest', organization.id, state]
  const list = useQuery({
    queryKey,
    queryFn: () =>
      inner
        ? ask<LineView[]>(`/states/${encodeURIComponent(inner)}`).then((rows) => rows.map(byAge))
        : ask<ExecutionRow[]>(`/executions${queryOf({ status, limit: 6 })}`).then((rows) => rows.map(lineOf)),
    refetchInterval: polling,
  })
  useThrottledRefresh(
    ({ type }) => type.startsWith('execution.') && type !== 'execution.moved',
    () => void client.invalidateQueries({ queryKey }),
  )
  return (
    <Card
      title={name ? `${name}${inner ? ', oldest first' : ''}` : 'Latest executions'}
      side={
        name ? (
          <span className="row">
            <Link href={byAgeIn(state!)} className="small">
              {kind === 'terminal' ? 'All of any time, oldest first' : 'All, oldest first'}
            </Link>
            <Button size="compact-sm" variant="light" onClick={onAll}>
              Back to the latest
            </Button>
          </span>
        ) : (
          <Link href="/executions" className="small">
            All executions
          </Link>
        )
      }
    >
      <Loaded of={list} bones={<Bones rows={6} height={22} />}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="list" title={name ? `None in ${name}` : 'No executions yet'}>
              {!name && <Link href="/start">Send a first deposit</Link>}
            </Empty>
          ) : (
            <div className="latest-box">
              <table className="table latest" aria-label={name ? `Executions in ${name}` : 'Latest executions'}>
                <thead className="hidden-visually">
                  <tr>
                    <th>User and route</th>
                    <th>Status</th>
                    <th>Time</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <LatestLine key={row.id} row={row} />
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}

const LatestLine = ({ row }: { row: Line }) => (
  <tr>
    <td>
      <Link href={`/${row.isShown ? 'executions' : 'deposits'}/${encodeURIComponent(row.id)}`} className="rowlink">
        {row.userId}
      </Link>
      <div className="sub tiny num">
        {amount(row.amountIn, row.fromTokenDecimals, 4)} {row.fromTokenSymbol}, {chainName(row.fromChainKey)} →{' '}
        {chainName(row.toChainKey)}
      </div>
      <Tenant id={row.organizationId} />
    </td>
    <td>{row.status ? <Status status={row.status} /> : <span className="pill t-info">not sent yet</span>}</td>
    <td className="right sub">
      <Ago at={row.at} />
    </td>
  </tr>
)
