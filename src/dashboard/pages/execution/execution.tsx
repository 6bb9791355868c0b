import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { ask, isGone } from '../../data/api'
import { shortId } from '../../data/format'
import { useHere } from '../../data/session'
import { Tenant } from '../../data/tenant'
import type { ExecutionDetail } from '../../data/types'
import { useEvents, usePolling } from '../../live/live'
import { useDirection } from '../../machine/use-direction'
import { Copy, copyText } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Unread } from '../../ui/known'
import { Bones, Empty, Page, Trouble } from '../../ui/parts'
import { Status } from '../../ui/status'
import { say } from '../../ui/toast'
import { AnswerCustomer } from '../deposit/answer'
import { RawWebhook } from '../deposit/raw-webhook'
import { lastList } from '../executions/last-list'
import { Actions } from './actions'
import { ExecutionFacts } from './execution-facts'
import { FeeFall } from './fee-fall'
import { Headline } from './headline'
import { useKeys, useNeighbours } from './keys'
import { Mint } from './mint'
import { PathMap, useIsNarrow } from './path-map'
import { Quotes } from './quotes'
import { Receipt } from './receipt'
import { Timeline } from './timeline'
import { titleOf } from './title'
import { Transactions } from './transactions'

/** One execution: in words, on the map, its history, its money, and all its fields. */
export default function ExecutionPage({ params }: { params: { id: string } }) {
  const id = decodeURIComponent(params.id)
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const queryKey = useMemo(() => ['execution', organization.id, id], [organization.id, id])
  const found = useQuery({
    queryKey,
    queryFn: () => ask<ExecutionDetail>(`/executions/${encodeURIComponent(id)}`),
    refetchInterval: polling,
  })
  const renew = () => void client.invalidateQueries({ queryKey })
  useEvents((events) => {
    if (events.some(({ data }) => data['id'] === id)) renew()
  })
  if (found.error && (!found.data || isGone(found.error)))
    return <NotShown id={id} error={found.error} onRetry={() => void found.refetch()} />
  if (!found.data)
    return (
      <Page title="Execution" back={<Back />}>
        <div className="card empty-space">
          <Bones rows={10} />
        </div>
      </Page>
    )
  return (
    <>
      <Unread of={found} />
      <Shown key={id} execution={found.data} onChange={renew} />
    </>
  )
}

function Back() {
  const { organization } = useHere()
  return (
    <Link href={`/executions${lastList(organization.id)}`} className="back">
      ← Executions
    </Link>
  )
}

const NotShown = ({ id, error, onRetry }: { id: string; error: Error; onRetry: () => void }) => (
  <Page title="Execution" back={<Back />}>
    <div className="card">
      {isGone(error) ? (
        <Empty icon="search" title="No execution with this id">
          <p>It may belong to another organization, or its deposit is still confirming.</p>
          <Link href={`/deposits/${encodeURIComponent(id)}`}>Search the deposits</Link>
        </Empty>
      ) : (
        <div className="empty-space">
          <Trouble error={error} retry={onRetry} />
        </div>
      )}
    </div>
  </Page>
)

type ShownProps = { execution: ExecutionDetail; onChange: () => void }
/**
 * A found execution. `shown` is the number of history entries on the map and the timeline: all, unless the reader steps
 * back.
 */
function Shown({ execution, onChange }: ShownProps) {
  const { history } = execution
  const direction = useDirection()
  const [chosen, setChosen] = useState<number | null>(null)
  const last = history.length
  const shown = Math.min(chosen ?? last, last)
  useKeys(last, shown, setChosen)
  useNeighbours(execution)
  const choose = (step: number) => setChosen(step >= last ? null : step)
  const map = <PathMap execution={execution} shown={shown} onChoose={choose} />
  const timeline = <Timeline history={history} shown={shown} onChoose={choose} />
  const money = (
    <>
      <FeeFall execution={execution} />
      <Mint execution={execution} />
      <Transactions execution={execution} />
    </>
  )
  const isAcross = direction === 'across'
  return (
    <Page
      title={titleOf(execution)}
      back={<Back />}
      lead={<Lead execution={execution} />}
      actions={
        <>
          <Button variant="default" size="sm" onClick={() => void copyCurl(execution.id)}>
            Copy as curl
          </Button>
          {execution.completedAt !== null && <Receipt id={execution.id} />}
          <AnswerCustomer depositId={execution.deposit.id} />
          <Actions execution={execution} onDone={onChange} />
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

function Lead({ execution: { id, status, organizationId } }: { execution: ExecutionDetail }) {
  const isNarrow = useIsNarrow()
  return (
    <span className="row id-cell">
      <Status status={status} />
      <span className="row keep id-cell">
        <Hash value={id} kind="execution" shown={isNarrow ? shortId(id) : id} />
        <Copy value={id} what="execution id" />
      </span>
      <Tenant id={organizationId} />
    </span>
  )
}

async function copyCurl(id: string): Promise<void> {
  const url = `${location.origin}/api/executions/${encodeURIComponent(id)}`
  if (await copyText(`curl -s -H "x-api-key: $SWITCHYARD_API_KEY" '${url}'`))
    say('Copied. Set SWITCHYARD_API_KEY first.')
}
