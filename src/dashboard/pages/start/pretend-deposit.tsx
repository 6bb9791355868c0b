import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { isTerminal } from '../../../domain/execution/status'
import type { PretendDepositView } from '../../../http/dashboard/pretend-deposits'
import type { FirstStepsView } from '../../../http/dashboard/states'
import { ask, queryOf } from '../../data/api'
import { amount, chainName } from '../../data/format'
import { ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionRow } from '../../data/types'
import { useEvents } from '../../live/live'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Unread } from '../../ui/loaded'
import { Trouble } from '../../ui/parts'
import { Stage, Status } from '../../ui/status'

type Sent = PretendDepositView
/** The response of `GET /first-steps`. */
export type FirstSteps = FirstStepsView

const pollMs = 1_000
const runIt = 'npm run demo'

/** On test chains, sends a deposit of worthless money and follows it. Elsewhere it explains how to run the demo. */
export function PretendDeposit({ steps, user }: { steps: FirstSteps; user: string }) {
  return steps.hasFaucet ? <Pretending key={steps.userId} userId={steps.userId ?? user} /> : <Elsewhere />
}

const Elsewhere = () => (
  <details>
    <summary className="small strong">Or try it with pretend money</summary>
    <div className="stack" style={{ paddingTop: 12 }}>
      <p className="small">
        This installation has no pretend money: every deposit here is real. To try pretend money, run this command in a
        copy of Switchyard’s source. It starts the whole service on a laptop, with its own chains:
      </p>
      <div className="secret">
        <pre className="code" tabIndex={0}>
          {runIt}
        </pre>
        <Copy value={runIt} what="command" />
      </div>
    </div>
  </details>
)

function Pretending({ userId }: { userId: string }) {
  const { isOperator, organization } = useHere()
  const [user, setUser] = useState(userId)
  const send = useMutation({ mutationFn: () => ask<Sent>('/pretend-deposits', { body: { userId: user.trim() } }) })
  if (!isOperator)
    return (
      <p className="small sub">
        This installation runs on test chains. An owner, admin or operator of {organization.name} can send a pretend
        deposit from here.
      </p>
    )
  return (
    <section className="stack" aria-label="Pretend deposit">
      <p className="small">
        This installation runs on test chains. Its faucet sends 25 worthless USDC to the deposit address of one of your
        users. They are routed like a real deposit.
      </p>
      <form
        className="row"
        style={{ alignItems: 'flex-end' }}
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        <TextInput
          label="User"
          value={user}
          onChange={(event) => setUser(event.currentTarget.value)}
          maxLength={256}
          required
          w={240}
        />
        <Button type="submit" loading={send.isPending} disabled={user.trim() === ''}>
          Send a pretend deposit
        </Button>
      </form>
      <Trouble error={send.error} />
      {send.data && <Followed key={send.data.depositTxHash} sent={send.data} />}
    </section>
  )
}

const hasEnded = (sample: { execution: ExecutionRow | null } | undefined): boolean =>
  Boolean(sample?.execution && isTerminal(sample.execution.status))

/** The state of the pretend deposit, until its execution has ended. */
function Followed({ sent }: { sent: Sent }) {
  const { organization } = useHere()
  const { depositTxHash: txHash } = sent
  const query = useQuery({
    queryKey: ['pretend deposit', organization.id, txHash],
    queryFn: async () => {
      const [deposit] = await ask<DepositRow[]>(`/deposits${queryOf({ txHash, limit: 1 })}`)
      if (!deposit?.executionId) return { deposit, execution: null }
      const execution = await ask<ExecutionRow>(`/executions/${encodeURIComponent(deposit.executionId)}`)
      return { deposit, execution }
    },
    refetchInterval: ({ state }) => (hasEnded(state.data) ? false : pollMs),
  })
  useEvents((events) => {
    if (events.some(({ data }) => String(data['id']).includes(txHash))) void query.refetch()
  })
  const deposit = ifLoaded(query, (each) => each.deposit)
  const execution = ifLoaded(query, (each) => each.execution)
  const what = `${amount(sent.amountIn, deposit?.fromTokenDecimals ?? null)} ${sent.fromTokenSymbol}`
  return (
    <div className="stack tight">
      <p className="small row" role="status">
        {execution ? (
          <Status status={execution.status} />
        ) : deposit ? (
          <Stage stage={deposit.stage} />
        ) : (
          <span className="pill t-info is-busy">Sent</span>
        )}
        <span>{deposit ? deposit.next.message : `Sent. ${chainName(sent.fromChainKey)} does not show it yet.`}</span>
      </p>
      <p className="small row">
        {deposit && (
          <span>
            {what} on {chainName(sent.fromChainKey)} to {sent.userId}
          </span>
        )}
        <span className="row keep id-cell">
          <Hash value={txHash} kind="transaction" />
          <Copy value={txHash} what="transaction hash" />
        </span>
        {execution ? (
          <Link href={`/executions/${encodeURIComponent(execution.id)}`}>Open the execution</Link>
        ) : (
          deposit && <Link href={`/deposits/${encodeURIComponent(deposit.id)}`}>Open the deposit</Link>
        )}
      </p>
      <Unread of={query} />
    </div>
  )
}
