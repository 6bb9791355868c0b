import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'wouter'
import { ask, queryOf } from '../api'
import { amount, chainName } from '../format'
import { useEvents, usePolling } from '../live/live'
import type { Model } from '../machine/model'
import { useHere } from '../session'
import type { ExecutionRow } from '../types'
import { Bones, Card, Empty, Trouble } from '../ui/parts'
import { Status } from '../ui/status'
import { Ago } from '../ui/time'

type Props = { state: string | null; model: Model | undefined; onAll: () => void }

/** The newest executions, or those in the state that is chosen on the map. */
export function Latest({ state, model, onAll }: Props) {
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const kind = model?.states.find(({ id }) => id === state)?.kind
  const status = state === null || kind === 'intake' ? undefined : state
  const queryKey = ['latest', organization.id, status]
  const list = useQuery({
    queryKey,
    queryFn: () => ask<ExecutionRow[]>(`/executions${queryOf({ status, limit: 6 })}`),
    refetchInterval: polling,
  })
  const due = useRef<ReturnType<typeof setTimeout> | null>(null)
  useEvents((events) => {
    if (due.current || !events.some(({ type }) => type.startsWith('execution.') && type !== 'execution.moved')) return
    due.current = setTimeout(() => {
      due.current = null
      void client.invalidateQueries({ queryKey })
    }, 700)
  })
  return (
    <Card
      title={status ? `In ${status}` : 'Latest executions'}
      side={
        status ? (
          <Button size="compact-sm" variant="light" onClick={onAll}>
            Show all
          </Button>
        ) : (
          <Link href="/executions" className="small">
            All executions
          </Link>
        )
      }
    >
      <Trouble error={list.error} retry={() => void list.refetch()} />
      {kind === 'intake' && (
        <p className="sub small">What is in “{state}” is not shown in lists yet: see its deposit.</p>
      )}
      {list.isPending ? (
        <Bones rows={6} height={22} />
      ) : list.data?.length === 0 ? (
        <Empty icon="list" title={status ? `None in ${status}` : 'No executions yet'}>
          <Link href="/start">Send a first deposit</Link>
        </Empty>
      ) : (
        <table className="table latest" aria-label={status ? `Executions in ${status}` : 'Latest executions'}>
          <tbody>
            {list.data?.map((row) => (
              <tr key={row.id}>
                <td>
                  <Link
                    href={`/executions/${encodeURIComponent(row.id)}`}
                    className="rowlink"
                    title={`${row.userId}, ${row.id}`}
                  >
                    {row.userId}
                  </Link>
                  <div className="sub tiny num">
                    {amount(row.amountIn, row.fromTokenDecimals, 4)} {row.fromTokenSymbol},{' '}
                    {chainName(row.fromChainKey)} → {chainName(row.toChainKey)}
                  </div>
                </td>
                <td>
                  <Status status={row.status} />
                </td>
                <td className="right sub">
                  <Ago at={row.updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  )
}
