import { Button, Slider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { ApiError, ask } from '../../data/api'
import { shortId } from '../../data/format'
import { useHere } from '../../data/session'
import { Tenant } from '../../data/tenant'
import type { ExecutionDetail } from '../../data/types'
import { useEvents, usePolling } from '../../live/live'
import { MachineMap } from '../../machine/machine-map'
import { useDirection } from '../../machine/use-direction'
import { useModel } from '../../machine/use-model'
import { Copy, copyText } from '../../ui/copy'
import { Bones, Card, Empty, Page, Trouble } from '../../ui/parts'
import { Status, toneOfStatus } from '../../ui/status'
import { say } from '../../ui/toast'
import { RawWebhook } from '../deposit/raw-webhook'
import { lastList } from '../executions/last-list'
import { Actions } from './actions'
import { ExecutionFacts } from './execution-facts'
import { FeeFall } from './fee-fall'
import { Headline } from './headline'
import { useKeys, useNeighbours } from './keys'
import { Quotes } from './quotes'
import { Timeline } from './timeline'
import { titleOf } from './title'
import { Transactions } from './transactions'

export default function ExecutionPage({ params }: { params: { id: string } }) {
  const id = decodeURIComponent(params.id)
  const { organization } = useHere()
  const client = useQueryClient()
  const isNarrow = useMediaQuery('(max-width: 720px)') ?? false
  const polling = usePolling()
  const model = useModel()
  const direction = useDirection()
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

  const back = (
    <Link href={`/executions${lastList(organization.id)}`} className="back">
      ← Executions
    </Link>
  )
  if (found.error)
    return (
      <Page title="Execution" back={back}>
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
      <Page title="Execution" back={back}>
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
  const map = (
    <Card
      title="Path through the state machine"
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
        <MachineMap model={model.data} direction={direction} path={path} label="Path of this execution" />
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
  )
  const timeline = (
    <Timeline history={history} shown={shown} onChoose={(step) => setChosen(step >= last ? null : step)} />
  )
  const money = (
    <>
      <FeeFall execution={execution} />
      <Transactions execution={execution} />
    </>
  )
  const isAcross = direction === 'across'
  return (
    <Page
      title={titleOf(execution)}
      back={back}
      lead={
        <span className="row id-cell">
          <Status status={execution.status} />
          <span className="row keep id-cell">
            <span className="mono wrap" title={id}>
              {isNarrow ? shortId(id) : id}
            </span>
            <Copy value={id} what="execution id" />
          </span>
          <Tenant id={execution.organizationId} />
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
      {isAcross && map}
      <div className={isAcross ? 'grid2' : 'beside'}>
        <div className="stack page-gap">
          {isAcross ? timeline : map}
          {isAcross ? <Quotes execution={execution} /> : money}
        </div>
        <div className="stack page-gap">
          {isAcross ? money : timeline}
          {isAcross && <ExecutionFacts execution={execution} />}
        </div>
      </div>
      {!isAcross && (
        <>
          <Quotes execution={execution} />
          <ExecutionFacts execution={execution} />
        </>
      )}
      <RawWebhook deposit={execution.deposit} />
    </Page>
  )
}
