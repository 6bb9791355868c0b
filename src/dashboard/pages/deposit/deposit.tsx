import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ApiError, ask, isNotFound } from '../../data/api'
import { amount, capital, chainName, clock, duration, shortId } from '../../data/format'
import { useHere } from '../../data/session'
import { stateName } from '../../data/state-name'
import { Tenant } from '../../data/tenant'
import type { DepositDetail, ExecutionRow } from '../../data/types'
import { useFind } from '../../find/find-context'
import { useEvents, usePolling } from '../../live/live'
import { actsNext } from '../../ui/actor'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { LinkedIds } from '../../ui/linked-ids'
import { Unread } from '../../ui/loaded'
import { Bones, Card, Empty, Page, Trouble } from '../../ui/parts'
import { Stage, Status, toneOfStage } from '../../ui/status'
import { Table } from '../../ui/table'
import { Time, useNow } from '../../ui/time'
import { ApproveDeposit } from '../execution/actions'
import { Resume } from '../operations/resume'
import { AnswerCustomer } from './answer'
import { DepositFacts } from './deposit-facts'
import { RawWebhook } from './raw-webhook'
import { RescanDeposit } from './rescan-deposit'

/** Poll interval of confirmations, because new blocks cause no event. */
const blocksMs = 2_000

/** One deposit from its first sighting: its stage, who acts next, and its execution if it has one. */
export default function DepositPage({ params }: { params: { id: string } }) {
  const id = decodeURIComponent(params.id)
  const { organization } = useHere()
  const client = useQueryClient()
  const polling = usePolling()
  const queryKey = ['deposit', organization.id, id]
  const query = useQuery({
    queryKey,
    queryFn: () => ask<DepositDetail>(`/deposits/${encodeURIComponent(id)}`),
    refetchInterval: ({ state }) =>
      state.data?.next.actor === 'SERVICE' && state.data.executionId === null ? blocksMs : polling,
  })
  const renew = () => void client.invalidateQueries({ queryKey })
  // The id of every execution of this deposit, including re-drives, begins with the deposit's id.
  useEvents((events) => {
    if (events.some(({ data }) => String(data['id']).startsWith(id))) renew()
  })
  const deposit = query.data
  if (query.error && (!deposit || isNotFound(query.error)))
    return <NotShown id={id} error={query.error} onRetry={() => void query.refetch()} />
  if (!deposit)
    return (
      <Page title="Deposit">
        <div className="card empty-space">
          <Bones rows={9} />
        </div>
      </Page>
    )
  const what = `${amount(deposit.amountIn, deposit.fromTokenDecimals, 6)} ${deposit.fromTokenSymbol}`
  return (
    <Page
      title={`${what} on ${chainName(deposit.fromChainKey)}`}
      lead={<Lead deposit={deposit} />}
      actions={
        <>
          <Resume of={deposit} />
          {deposit.next.action === 'APPROVE' && <ApproveDeposit of={deposit} onDone={renew} />}
          <RescanDeposit deposit={deposit} onDone={renew} />
          <AnswerCustomer depositId={id} />
          <Link href="/deposits">All deposits</Link>
        </>
      }
    >
      <Unread of={query} />
      <Now deposit={deposit} />
      {deposit.executionId === null && deposit.next.executionId && (
        <p>
          <Link href={`/deposits/${encodeURIComponent(deposit.next.executionId)}`} className="strong">
            Open the deposit that is routed
          </Link>
        </p>
      )}
      {deposit.executionId !== null && <ItsExecution id={deposit.executionId} />}
      <div className="grid2">
        <History deposit={deposit} />
        <DepositFacts deposit={deposit} />
      </div>
      <RawWebhook deposit={deposit} />
    </Page>
  )
}

function NotShown({ id, error, onRetry }: { id: string; error: Error; onRetry: () => void }) {
  const find = useFind()
  return (
    <Page title="Deposit">
      <div className="card">
        {error instanceof ApiError && error.statusCode === 404 ? (
          <Empty icon="search" title="No deposit with this id">
            <p>It has not been seen yet, or it belongs to another organization.</p>
            <Button variant="default" size="sm" onClick={() => find(id)}>
              Search for it
            </Button>
          </Empty>
        ) : (
          <div className="empty-space">
            <Trouble error={error} retry={onRetry} />
          </div>
        )}
      </div>
    </Page>
  )
}

const Lead = ({ deposit: { id, stage, next, userId, organizationId } }: { deposit: DepositDetail }) => (
  <span className="row id-cell">
    <Stage stage={stage} actor={next.actor} />
    <span className="row keep id-cell">
      <Hash value={id} kind="deposit" shown={shortId(id)} />
      <Copy value={id} what="deposit id" />
    </span>
    <span>of {userId}</span>
    <Tenant id={organizationId} />
  </span>
)

/** The deposit's execution and its status, kept current by events. */
function ItsExecution({ id }: { id: string }) {
  const { organization } = useHere()
  const client = useQueryClient()
  const queryKey = ['execution', organization.id, id]
  const query = useQuery({
    queryKey,
    queryFn: () => ask<ExecutionRow>(`/executions/${encodeURIComponent(id)}`),
    refetchInterval: usePolling(),
  })
  useEvents((events) => {
    if (events.some(({ data }) => data['id'] === id)) void client.invalidateQueries({ queryKey })
  })
  const execution = query.data
  return (
    <Card title="Its execution" side={execution && <Status status={execution.status} />}>
      <p className="row">
        <Link href={`/executions/${encodeURIComponent(id)}`} className="strong">
          Open the execution
        </Link>
        {execution && (
          <span className="sub small">
            {chainName(execution.fromChainKey)} → {chainName(execution.toChainKey)}
          </span>
        )}
      </p>
      <Unread of={query} />
    </Card>
  )
}

const History = ({ deposit: { history } }: { deposit: DepositDetail }) => (
  <Card
    title="History"
    side={<span className="sub tiny">{history.length === 1 ? '1 entry' : `${history.length} entries`}</span>}
  >
    <Table heads={['Time', 'What happened', 'State']} kind="tight" label="History">
      {history.map(({ seq, at, event, to, note }) => (
        <tr key={seq}>
          <td className="nowrap num">
            <Time at={at}>{clock(Date.parse(at))}</Time>
          </td>
          <td>
            {capital(event)}
            {note && (
              <div className="sub tiny wrap">
                <LinkedIds>{note}</LinkedIds>
              </div>
            )}
          </td>
          <td className="sub">{stateName(to)}</td>
        </tr>
      ))}
    </Table>
  </Card>
)

/** Describes the deposit's state, who acts next, and when. */
export function Now({ deposit }: { deposit: DepositDetail }) {
  const { next, stage, confirmations, confirmationsRequired } = deposit
  const now = useNow()
  const waits = next.expectedAt === null ? null : Date.parse(next.expectedAt) - now
  return (
    <section className={`card pad headline t-${toneOfStage(stage, next.actor)}`} aria-label="Current state">
      <div>
        <div className="say" aria-live="polite">
          <LinkedIds>{next.message}</LinkedIds>
        </div>
        <div className="then strong">{actsNext(next.actor)}</div>
        {stage === 'CONFIRMING' && (
          <div className="then">
            <div
              className="meter"
              role="progressbar"
              aria-label="Confirmations"
              aria-valuenow={confirmations}
              aria-valuemin={0}
              aria-valuemax={confirmationsRequired}
            >
              <i style={{ width: `${Math.min(1, confirmations / confirmationsRequired) * 100}%` }} />
            </div>
            <span className="num">
              {confirmations} of {confirmationsRequired} confirmations
            </span>
          </div>
        )}
      </div>
      {waits !== null && (
        <div className="count">
          <div className="value" role="timer">
            {waits > 0 ? duration(Math.ceil(waits / 1_000) * 1_000).replace('.0 s', ' s') : 'soon'}
          </div>
          <div className="sub tiny">expected</div>
        </div>
      )}
    </section>
  )
}
