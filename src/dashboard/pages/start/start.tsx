import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { chains } from '../../../domain/chain/chain'
import { ask, queryOf } from '../../data/api'
import { shortId } from '../../data/format'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionRow } from '../../data/types'
import { useEvents } from '../../live/live'
import { Copy } from '../../ui/copy'
import { Icon } from '../../ui/icon'
import { Page } from '../../ui/parts'
import { Status } from '../../ui/status'
import { IntentForm } from '../intents/intent-form'
import { useTokens } from '../intents/tokens'
import { useKeys } from '../keys/keys'
import { PretendDeposit } from './pretend-deposit'

type FirstSteps = { hasIntent: boolean; userId: string | null; hasFaucet: boolean }

/** From nothing to the first delivery; what is done turns green by itself. */
export default function Start() {
  const { organization, isAdmin } = useHere()
  const keys = useKeys()
  const [user, setUser] = useState('user-1')
  const tokens = useTokens()
  const deposits = useQuery({
    queryKey: ['first deposits', organization.id],
    queryFn: () => ask<DepositRow[]>('/deposits?limit=1'),
    refetchInterval: 3_000,
  })
  const delivered = useQuery({
    queryKey: ['first delivery', organization.id],
    queryFn: () => ask<ExecutionRow[]>(`/executions${queryOf({ status: 'SUCCESS', limit: 1 })}`),
    refetchInterval: 3_000,
  })
  const steps = useQuery({
    queryKey: ['first steps', organization.id],
    queryFn: () => ask<FirstSteps>('/first-steps'),
    refetchInterval: ({ state }) => (state.data?.hasIntent ? false : 3_000),
  })
  useEvents((events) => {
    if (events.some(({ type }) => type.startsWith('deposit.'))) void deposits.refetch()
    if (events.some(({ type }) => type === 'execution.success')) void delivered.refetch()
  })
  const usable = keys.data?.find(({ role, isRevoked }) => role === 'CLIENT' && !isRevoked)
  const deposit = deposits.data?.[0]
  const success = delivered.data?.[0]
  const hasIntent = steps.data?.hasIntent ?? false
  const done = [usable !== undefined, hasIntent, deposit !== undefined, success !== undefined]
  const next = done.indexOf(false)
  const target = tokens.data?.find(({ tokenSymbol, chainKey }) => tokenSymbol === 'USDC' && chainKey === 'arbitrum')
  const wanted = {
    userId: user,
    targetChainId: target?.chainId ?? chains.arbitrum.id,
    targetTokenAddress: target?.tokenAddress ?? '0x…',
    targetAddress: '0x…',
  }
  const curl = [
    `curl -s ${location.origin}/api/deposit-intents \\`,
    `  -H 'x-api-key: ${usable ? `${usable.prefix}…` : 'sy_live_…'}' -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(wanted)}'`,
  ].join('\n')
  const step = (n: number, title: string, children: ReactNode) => (
    <Step n={n} title={title} isDone={done[n - 1]!} isNext={next === n - 1} key={n}>
      {children}
    </Step>
  )
  return (
    <Page
      title="Get started"
      lead="Four steps to the first delivery. Each turns green once it is done, whoever did it."
    >
      <ol className="steps">
        {step(
          1,
          'Create an API key',
          usable ? (
            <p className="small">
              <span className="strong">{usable.label}</span> begins with <span className="mono">{usable.prefix}</span>.
              Only you have the rest. <Link href="/keys">Keys</Link>
            </p>
          ) : (
            <>
              <p className="small">Your server calls Switchyard with it. Its value is shown once.</p>
              {isAdmin ? (
                <Button component={Link} href="/keys" size="sm">
                  Create a key
                </Button>
              ) : (
                <p className="small sub">Ask an owner or admin of {organization.name} for one.</p>
              )}
            </>
          ),
        )}
        {step(
          2,
          'Say where a user’s deposits go',
          <div className="stack">
            <p className="small">
              One call per user, from your server. The response contains the deposit address, which is the same on all
              five chains.
            </p>
            <div className="secret">
              <pre className="code" tabIndex={0}>
                {curl}
              </pre>
              <Copy value={curl} what="curl command" />
            </div>
            {isAdmin && usable && (
              <details className="stack">
                <summary className="small strong">Or create it here with the key {usable.label}</summary>
                <div style={{ paddingTop: 12 }}>
                  <IntentForm userId={user} onUser={setUser} />
                </div>
              </details>
            )}
          </div>,
        )}
        {step(
          3,
          'Send a deposit',
          <div className="stack">
            {deposit ? (
              <p className="small">
                Seen: <span className="mono">{shortId(deposit.id)}</span> of {deposit.userId}.{' '}
                <Link href="/deposits">Deposits</Link>
              </p>
            ) : (
              <p className="small">
                <span className="pill t-info is-busy" role="status">
                  Waiting for your deposit
                </span>{' '}
                Send any listed token to the address on any of the five chains. It appears here once it is seen.{' '}
                <Link href={`/address${queryOf({ user })}`}>Address and QR code</Link>
              </p>
            )}
            <PretendDeposit known={steps.data} user={user} />
          </div>,
        )}
        {step(
          4,
          'See it delivered',
          success ? (
            <p className="small row">
              <Status status="SUCCESS" />
              <Link href={`/executions/${encodeURIComponent(success.id)}`}>{success.userId}’s deposit arrived</Link>
            </p>
          ) : (
            <p className="small">
              Nothing to do: Switchyard finds the deposit, routes it and shows every step.{' '}
              <Link href="/executions">Executions</Link>
            </p>
          ),
        )}
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
