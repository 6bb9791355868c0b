import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { ask, askFile, isNotFound } from '../../data/api'
import { saveFile } from '../../data/download'
import { amount, chainName, short, shortId } from '../../data/format'
import { useHere } from '../../data/session'
import { Tenant } from '../../data/tenant'
import type { ExecutionDetail } from '../../data/types'
import { useEvents, usePolling } from '../../live/live'
import { useDirection } from '../../machine/use-direction'
import { Copy, copyText } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Unread } from '../../ui/loaded'
import { Bones, Card, Empty, Page, Trouble } from '../../ui/parts'
import { Status } from '../../ui/status'
import { showToast } from '../../ui/toast'
import { AnswerCustomer } from '../deposit/answer'
import { RawWebhook } from '../deposit/raw-webhook'
import { lastList } from '../executions/last-list'
import { Resume } from '../operations/resume'
import { Actions } from './actions'
import { ExecutionFacts } from './execution-facts'
import { FeeFall } from './fee-fall'
import { Headline } from './headline'
import { useKeys, useNeighbours } from './keys'
import { OnChain } from './on-chain'
import { PathMap, useIsNarrow } from './path-map'
import { howToMint } from './place'
import { Quotes } from './quotes'
import { Timeline } from './timeline'
import { Transactions } from './transactions'

/** One execution: in words, on the map, its history, its money, and all its fields. */
export default function ExecutionPage({ params }: { params: { id: string } }) {
  const id = decodeURIComponent(params.id)
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const queryKey = useMemo(() => ['execution', organization.id, id], [organization.id, id])
  const query = useQuery({
    queryKey,
    queryFn: () => ask<ExecutionDetail>(`/executions/${encodeURIComponent(id)}`),
    refetchInterval: polling,
  })
  const renew = () => void client.invalidateQueries({ queryKey })
  useEvents((events) => {
    if (events.some(({ data }) => data['id'] === id)) renew()
  })
  if (query.error && (!query.data || isNotFound(query.error)))
    return <NotShown id={id} error={query.error} onRetry={() => void query.refetch()} />
  if (!query.data)
    return (
      <Page title="Execution" back={<Back />}>
        <div className="card empty-space">
          <Bones rows={10} />
        </div>
      </Page>
    )
  return (
    <>
      <Unread of={query} />
      <Shown key={id} execution={query.data} onChange={renew} />
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
      {isNotFound(error) ? (
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

type ExecutionProps = { execution: ExecutionDetail; onChange: () => void }
/**
 * A found execution. `shown` is the number of history entries on the map and the timeline: all, unless the reader steps
 * back.
 */
function Shown({ execution, onChange }: ExecutionProps) {
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
          <Resume of={execution} />
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
    showToast('Copied. Set SWITCHYARD_API_KEY first.')
}

/** Saves the signed receipt of an ended execution. */
export function Receipt({ id }: { id: string }) {
  const save = useMutation({
    mutationFn: () => askFile(`/executions/${encodeURIComponent(id)}/receipt`),
    onSuccess: (file) => saveFile(`receipt-${id.replaceAll(':', '-')}.json`, file),
    onError: ({ message }) => showToast(message, 'bad'),
  })
  return (
    <Button
      variant="default"
      size="sm"
      loading={save.isPending}
      title="A signed statement of how this execution ended, for anyone who does not trust our database"
      onClick={() => save.mutate()}
    >
      Receipt
    </Button>
  )
}

type Titled = Pick<
  ExecutionDetail,
  | 'id'
  | 'userId'
  | 'amountIn'
  | 'fromTokenDecimals'
  | 'fromTokenSymbol'
  | 'fromChainKey'
  | 'toTokenSymbol'
  | 'toChainKey'
  | 'funds'
>

/** The title of an execution: `25 USDC · Base → 23.86 USDC · Arbitrum · zoe`, and which re-drive it is. */
export function titleOf({
  id,
  userId,
  fromTokenDecimals,
  fromTokenSymbol,
  toTokenSymbol,
  funds,
  ...rest
}: Titled): string {
  const put = `${amount(rest.amountIn, fromTokenDecimals, 4)} ${fromTokenSymbol} · ${chainName(rest.fromChainKey)}`
  const [out, where] =
    funds.holder === 'RECIPIENT'
      ? [`${amount(funds.amount, funds.tokenDecimals, 4)} ${funds.tokenSymbol}`, funds.chainKey]
      : [toTokenSymbol, rest.toChainKey]
  const redrive = /:r(\d+)$/.exec(id)?.[1]
  const whose = redrive ? `${userId} · re-drive ${redrive}` : userId
  return where ? `${put} → ${out} · ${chainName(where)} · ${whose}` : `${put} · ${whose}`
}

/** Instructions for minting the burned money from any account, without waiting for Switchyard. */
export function Mint({ execution: { mint, completedAt } }: { execution: ExecutionDetail }) {
  if (!mint) return null
  const { chainId, chainKey, contract, data } = mint
  return (
    <Card title="Mint it yourself">
      <div className="stack">
        <p className="sub small">{howToMint(chainName(chainKey), completedAt !== null)}</p>
        <div className="row apart">
          <span className="small">Contract</span>
          <OnChain chainId={chainId} kind="address" value={contract} what="contract that mints" />
        </div>
        <div className="row apart">
          <span className="small">Call (data)</span>
          <span className="row id-cell">
            <Hash value={data} kind="data" shown={short(data, 14, 10)} />
            <Copy value={data} what="call that mints" />
          </span>
        </div>
      </div>
    </Card>
  )
}
