import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { ask, queryOf } from '../../data/api'
import { allOf, ifKnown, type Read } from '../../data/read'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionRow, KeyView } from '../../data/types'
import { useEvents } from '../../live/live'
import { Icon } from '../../ui/icon'
import { Known } from '../../ui/known'
import { Bones, Page } from '../../ui/parts'
import { useKeys } from '../keys/keys'
import type { FirstSteps } from './pretend-deposit'
import { CreateKey, SeeDelivery, SendDeposit, StoreIntent } from './steps'

const pollMs = 3_000

/** The four steps to the first delivery. Each turns green automatically when it is done. */
export default function Start() {
  const [user, setUser] = useState('user-1')
  const { key, steps, deposit, success } = useProgress()
  const done = [isThere(key), ifKnown(steps, ({ hasIntent }) => hasIntent), isThere(deposit), isThere(success)]
  // The next step is named only if all steps before it are known to be done.
  const stepOf = (n: number) => ({ n, isDone: done[n - 1], isNext: done.findIndex((is) => is !== true) === n - 1 })
  return (
    <Page title="Get started" lead="Four steps to the first delivery. Each turns green when any member completes it.">
      <ol className="steps">
        <Step {...stepOf(1)} title="Create an API key">
          <Known of={key} bones={bones}>
            {(apiKey) => <CreateKey apiKey={apiKey} />}
          </Known>
        </Step>
        <Step {...stepOf(2)} title="Set where a user’s deposits go">
          <Known of={key} bones={bones}>
            {(apiKey) => <StoreIntent apiKey={apiKey} user={user} onUser={setUser} />}
          </Known>
        </Step>
        <Step {...stepOf(3)} title="Send a deposit">
          <Known of={allOf(deposit, steps)} bones={bones}>
            {([newest, known]) => <SendDeposit deposit={newest} steps={known} user={user} />}
          </Known>
        </Step>
        <Step {...stepOf(4)} title="See it delivered">
          <Known of={success} bones={bones}>
            {(newest) => <SeeDelivery success={newest} />}
          </Known>
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

const bones = <Bones rows={1} />
const isThere = (read: Read<object | null>): boolean | undefined => ifKnown(read, (value) => value !== null)

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
  const firstOf = <Row,>(rows: readonly Row[]): Row | null => rows[0] ?? null
  const usable = (all: readonly KeyView[]) =>
    firstOf(all.filter(({ role, isRevoked }) => role === 'CLIENT' && !isRevoked))
  return {
    key: { ...keys, data: ifKnown(keys, usable) },
    steps,
    deposit: { ...deposits, data: ifKnown(deposits, firstOf) },
    success: { ...delivered, data: ifKnown(delivered, firstOf) },
  }
}

type StepProps = { n: number; title: string; isDone: boolean | undefined; isNext: boolean; children: ReactNode }
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
