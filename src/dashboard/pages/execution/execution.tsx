import { Button, Slider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError, ask, queryOf } from '../../api'
import { shortId } from '../../format'
import { useEvents, usePolling } from '../../live/live'
import { MachineMap } from '../../machine/machine-map'
import { useModel } from '../../machine/use-model'
import { useHere } from '../../session'
import { isTyping } from '../../shortcuts'
import type { ExecutionDetail, ExecutionRow } from '../../types'
import { Copy, copyText } from '../../ui/copy'
import { Bones, Card, Empty, Page, Trouble } from '../../ui/parts'
import { Status, toneOfStatus } from '../../ui/status'
import { say } from '../../ui/toast'
import { Actions } from './actions'
import { ExecutionFacts } from './execution-facts'
import { FeeFall } from './fee-fall'
import { Headline } from './headline'
import { Quotes } from './quotes'
import { Timeline } from './timeline'
import { Transactions } from './transactions'

/** Beyond it, the left column is the longer one. */
const longHistory = 14

export default function ExecutionPage({ params }: { params: { id: string } }) {
  const id = decodeURIComponent(params.id)
  const { organization } = useHere()
  const client = useQueryClient()
  const isNarrow = useMediaQuery('(max-width: 720px)') ?? false
  const polling = usePolling()
  const model = useModel()
  const queryKey = useMemo(() => ['execution', organization.id, id], [organization.id, id])
  const found = useQuery({
    queryKey,
    queryFn: () => ask<ExecutionDetail>(`/executions/${encodeURIComponent(id)}`),
    refetchInterval: polling,
  })
  const [chosen, setChosen] = useState<number | null>(null)
  useEvents((events) => {
    if (events.some(({ data }) => data['id'] === id)) void client.invalidateQueries({ queryKey })
  })
  const history = found.data?.history ?? []
  const last = history.length
  const shown = Math.min(chosen ?? last, last)
  useKeys(last, shown, setChosen)
  useNeighbours(found.data)

  if (found.error)
    return (
      <Page title="Execution">
        <div className="card">
          {found.error instanceof ApiError && found.error.statusCode === 404 ? (
            <Empty icon="search" title="No execution with this id">
              <p>It may belong to another organization, or its deposit is still confirming.</p>
              <Link href={`/deposits/${encodeURIComponent(id)}`}>Look among the deposits</Link>
            </Empty>
          ) : (
            <div className="empty-space">
              <Trouble error={found.error} retry={() => void found.refetch()} />
            </div>
          )}
        </div>
      </Page>
    )
  const execution = found.data
  if (!execution)
    return (
      <Page title="Execution">
        <div className="card empty-space">
          <Bones rows={10} />
        </div>
      </Page>
    )

  const path = history.slice(0, shown)
  const copyCurl = async () => {
    const url = `${location.origin}/api/executions/${encodeURIComponent(id)}`
    if (await copyText(`curl -s -H "x-api-key: $SWITCHYARD_API_KEY" '${url}'`))
      say('Copied. Set SWITCHYARD_API_KEY first.')
  }
  return (
    <Page
      title="Execution"
      lead={
        <span className="row id-cell">
          <Status status={execution.status} />
          <span className="row keep id-cell">
            <span className="mono wrap" title={id}>
              {isNarrow ? shortId(id) : id}
            </span>
            <Copy value={id} what="execution id" />
          </span>
        </span>
      }
      actions={
        <>
          <Button variant="default" size="sm" onClick={() => void copyCurl()}>
            Copy as curl
          </Button>
          <Actions execution={execution} onDone={() => void client.invalidateQueries({ queryKey })} />
        </>
      }
    >
      <Headline execution={execution} />
      <Card
        title="Its way through the machine"
        side={
          chosen === null || chosen >= last ? (
            <span className="sub tiny">{isNarrow ? 'Slide to step back' : 'Step back with ← and →'}</span>
          ) : (
            <Button size="compact-sm" variant="light" onClick={() => setChosen(null)}>
              Back to now
            </Button>
          )
        }
      >
        {model.data ? (
          <MachineMap
            model={model.data}
            direction={isNarrow ? 'down' : 'across'}
            path={path}
            label="The way of this execution"
          />
        ) : (
          <Bones rows={5} height={34} />
        )}
        {last > 1 && (
          <Slider
            mt="sm"
            size="sm"
            min={1}
            max={last}
            value={shown}
            onChange={(value) => setChosen(value >= last ? null : value)}
            label={(value) => `${value} of ${last}: ${history[value - 1]?.to}`}
            thumbLabel="Step of the history"
            color={`var(--sy-${toneOfStatus(execution.status)})`}
          />
        )}
      </Card>
      <div className="grid2">
        <div className="stack">
          <Timeline history={history} shown={shown} onChoose={(step) => setChosen(step >= last ? null : step)} />
          {last <= longHistory && <Quotes execution={execution} />}
        </div>
        <div className="stack">
          <FeeFall execution={execution} />
          <Transactions execution={execution} />
          {last > longHistory && <Quotes execution={execution} />}
          <ExecutionFacts execution={execution} />
        </div>
      </div>
    </Page>
  )
}

/** The arrows step through the history, wherever one is on the page. */
function useKeys(last: number, shown: number, choose: (step: number | null) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'ArrowLeft') choose(Math.max(shown - 1, 1))
      if (event.key === 'ArrowRight') choose(shown + 1 >= last ? null : shown + 1)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [last, shown, choose])
}

/** `j` and `k` go to what else happened to the same user. */
function useNeighbours(execution: ExecutionDetail | undefined): void {
  const [, go] = useLocation()
  const userId = execution?.userId
  const { organization } = useHere()
  const others = useQuery({
    queryKey: ['neighbours', organization.id, userId],
    queryFn: () => ask<ExecutionRow[]>(`/executions${queryOf({ userId, limit: 100 })}`),
    enabled: userId !== undefined,
  })
  const id = execution?.id
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key]
      if (!step || isTyping(event.target) || event.ctrlKey || event.metaKey || document.querySelector('[role=dialog]'))
        return
      const at = others.data?.findIndex((each) => each.id === id) ?? -1
      const next = others.data?.[at + step]
      if (at >= 0 && next) go(`/executions/${encodeURIComponent(next.id)}`)
      else say('No other execution of this user in that direction.')
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [others.data, id, go])
}
