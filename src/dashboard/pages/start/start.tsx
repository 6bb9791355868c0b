import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { ask, queryOf } from '../../data/api'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionRow } from '../../data/types'
import { useEvents } from '../../live/live'
import { Icon } from '../../ui/icon'
import { Page } from '../../ui/parts'
import { useKeys } from '../keys/keys'
import type { FirstSteps } from './pretend-deposit'
import { CreateKey, SeeDelivery, SendDeposit, StoreIntent } from './steps'

const pollMs = 3_000

/** The four steps to the first delivery. Each turns green automatically when it is done. */
export default function Start() {
  const [user, setUser] = useState('user-1')
  const { key, steps, deposit, success } = useProgress()
  const done = [key !== undefined, steps?.hasIntent ?? false, deposit !== undefined, success !== undefined]
  const stepOf = (n: number) => ({ n, isDone: done[n - 1]!, isNext: done.indexOf(false) === n - 1 })
  return (
    <Page title="Get started" lead="Four steps to the first delivery. Each turns green when any member completes it.">
      <ol className="steps">
        <Step {...stepOf(1)} title="Create an API key">
          <CreateKey apiKey={key} />
        </Step>
        <Step {...stepOf(2)} title="Set where a user’s deposits go">
          <StoreIntent apiKey={key} user={user} onUser={setUser} />
        </Step>
        <Step {...stepOf(3)} title="Send a deposit">
          <SendDeposit deposit={deposit} steps={steps} user={user} />
        </Step>
        <Step {...stepOf(4)} title="See it delivered">
          <SeeDelivery success={success} />
        </Step>
      </ol>
      <p className="sub small">
        Every endpoint is in the{' '}
        <a href="/docs" target="_blank" rel="noreferrer">
          API reference
        </a>
        . Try fees and routes without money under <Link href="/simulate">Simulate</Link>.
      </p>
    </Page>
  )
}

/** The organization's progress: its key, its first intent, its newest deposit and its newest delivery. */
function useProgress() {
  const { organization } = useHere()
  const keys = useKeys()
  const deposits = useQuery({
    queryKey: ['first deposits', organization.id],
    queryFn: () => ask<DepositRow[]>('/deposits?limit=1'),
    refetchInterval: pollMs,
  })
  const delivered = useQuery({
    queryKey: ['first delivery', organization.id],
    queryFn: () => ask<ExecutionRow[]>(`/executions${queryOf({ status: 'SUCCESS', limit: 1 })}`),
    refetchInterval: pollMs,
  })
  const steps = useQuery({
    queryKey: ['first steps', organization.id],
    queryFn: () => ask<FirstSteps>('/first-steps'),
    refetchInterval: ({ state }) => (state.data?.hasIntent ? false : pollMs),
  })
  useEvents((events) => {
    if (events.some(({ type }) => type.startsWith('deposit.'))) void deposits.refetch()
    if (events.some(({ type }) => type === 'execution.success')) void delivered.refetch()
  })
  return {
    key: keys.data?.find(({ role, isRevoked }) => role === 'CLIENT' && !isRevoked),
    steps: steps.data,
    deposit: deposits.data?.[0],
    success: delivered.data?.[0],
  }
}

type StepProps = { n: number; title: string; isDone: boolean; isNext: boolean; children: ReactNode }
const Step = ({ n, title, isDone, isNext, children }: StepProps) => (
  <li className={`card pad step ${isDone ? 'is-done' : isNext ? 'is-next' : ''}`}>
    <span className="bullet" aria-hidden="true">
      {isDone ? <Icon name="check" size={16} /> : n}
    </span>
    <div className="stack">
      <h2>
        {title} {isDone && <span className="hidden-visually">(done)</span>}
      </h2>
      {children}
    </div>
  </li>
)
