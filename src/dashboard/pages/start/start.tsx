import { useState } from 'react'
import { Link } from 'wouter'
import { queryOf } from '../../data/api'
import { allOf, ifLoaded, type QueryState } from '../../data/read'
import type { DepositRow, ExecutionRow, KeyView } from '../../data/types'
import { useRead } from '../../data/use-read'
import { useEvents } from '../../live/live'
import { Loaded } from '../../ui/loaded'
import { Bones, Page } from '../../ui/parts'
import type { Draft } from '../intents/intent-form'
import { useTokens } from '../intents/tokens'
import { useKeys } from '../keys/keys'
import { useEndpoints } from '../webhooks/endpoint-data'
import { CreateKey } from './create-key'
import type { FirstSteps } from './pretend-deposit'
import { firstEndpoint, ReceiveWebhooks } from './receive-webhooks'
import { SeeDelivery, SendDeposit } from './send-deposit'
import { Step } from './step'
import { draftOf, StoreIntent } from './store-intent'

const pollMs = 3_000

/** The five steps to the first delivery, each on this page. Each turns green automatically when it is done. */
export default function Start() {
  const tokens = useTokens()
  const [value, setValue] = useState<string | null>(null)
  const [edited, setEdited] = useState<Draft | null>(null)
  const [storedHere, setStoredHere] = useState<string | null>(null)
  const { key, steps, endpoint, deposit, success } = useProgress()
  const isDone = [
    isThere(key),
    ifLoaded(steps, ({ hasIntent }) => hasIntent),
    ifLoaded(endpoint, (each) => each?.lastSuccessAt != null),
    isThere(deposit),
    isThere(success),
  ]
  // Webhooks arrive with the deposit, and an installation without a receiver of its own needs none to go on.
  const mayGoOn = ifLoaded(
    allOf(endpoint, steps),
    ([endpointView, { receiverUrl }]) => endpointView !== null || receiverUrl === null,
  )
  // The next step is named only if all steps before it are known to be done.
  const next = isDone.with(2, mayGoOn).findIndex((is) => is !== true) + 1
  const stepOf = (n: number) => ({ n, isDone: isDone[n - 1], isNext: n === next })
  const userOf = ({ userId }: FirstSteps) => storedHere ?? userId
  return (
    <Page title="Get started" lead="Five steps to the first delivery. Each turns green when any member completes it.">
      <ol className="steps">
        <Step {...stepOf(1)} title="Create an API key">
          <Loaded of={allOf(key, steps)} bones={bones}>
            {([apiKey, { keyPrefix }]) => (
              <CreateKey apiKey={apiKey} value={value} isTest={keyPrefix === 'sy_test_'} onMade={setValue} />
            )}
          </Loaded>
        </Step>
        <Step {...stepOf(2)} title="Set where a user’s deposits go">
          <Loaded of={allOf(key, steps, tokens)} bones={bones}>
            {([apiKey, firstSteps, listed]) => (
              <StoreIntent
                apiKey={apiKey}
                draft={edited ?? draftOf(listed, firstSteps.hasFaucet)}
                storedUser={userOf(firstSteps)}
                keyText={value ?? `${apiKey?.prefix ?? firstSteps.keyPrefix}…`}
                onEdit={setEdited}
                onStored={setStoredHere}
              />
            )}
          </Loaded>
        </Step>
        <Step {...stepOf(3)} title="Receive webhooks">
          <Loaded of={allOf(endpoint, steps)} bones={bones}>
            {([endpointView, { receiverUrl }]) => <ReceiveWebhooks endpoint={endpointView} receiverUrl={receiverUrl} />}
          </Loaded>
        </Step>
        <Step {...stepOf(4)} title="Send a deposit">
          <Loaded of={allOf(deposit, steps)} bones={bones}>
            {([newest, firstSteps]) => <SendDeposit deposit={newest} steps={firstSteps} user={userOf(firstSteps)} />}
          </Loaded>
        </Step>
        <Step {...stepOf(5)} title="See it delivered">
          <Loaded of={allOf(success, deposit)} bones={bones}>
            {([delivered, newest]) => <SeeDelivery success={delivered} deposit={newest} />}
          </Loaded>
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
const isThere = (read: QueryState<object | null>): boolean | undefined => ifLoaded(read, (value) => value !== null)

/** The organization's progress: its key, first intent, endpoint, newest deposit and newest delivery. */
function useProgress() {
  const keys = useKeys()
  const endpoints = useEndpoints()
  const deposits = useRead<DepositRow[]>(['first deposits'], '/deposits?limit=1', { refetchInterval: pollMs })
  const delivered = useRead<ExecutionRow[]>(
    ['first delivery'],
    `/executions${queryOf({ status: 'SUCCESS', limit: 1 })}`,
    { refetchInterval: pollMs },
  )
  const steps = useRead<FirstSteps>(['first steps'], '/first-steps', {
    refetchInterval: ({ state }) => (state.data?.hasIntent ? false : pollMs),
  })
  useEvents((events) => {
    if (events.some(({ type }) => type !== 'execution.moved')) void deposits.refetch()
    if (events.some(({ type }) => type === 'execution.success')) void delivered.refetch()
  })
  const firstOf = <Row,>(rows: readonly Row[]): Row | null => rows[0] ?? null
  const usable = (all: readonly KeyView[]) =>
    firstOf(all.filter(({ role, isRevoked }) => role === 'CLIENT' && !isRevoked))
  const both = allOf(endpoints, steps)
  return {
    key: { ...keys, data: ifLoaded(keys, usable) },
    steps,
    endpoint: { ...both, data: ifLoaded(both, ([all, { receiverUrl }]) => firstEndpoint(all, receiverUrl)) },
    deposit: { ...deposits, data: ifLoaded(deposits, firstOf) },
    success: { ...delivered, data: ifLoaded(delivered, firstOf) },
  }
}
