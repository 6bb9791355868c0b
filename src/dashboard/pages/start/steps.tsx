import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { chains } from '../../../domain/chain/chain'
import { queryOf } from '../../data/api'
import { shortId } from '../../data/format'
import { useHere } from '../../data/session'
import type { DepositRow, ExecutionRow, KeyView } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Known } from '../../ui/known'
import { Bones } from '../../ui/parts'
import { Status } from '../../ui/status'
import { IntentForm } from '../intents/intent-form'
import { type Token, useTokens } from '../intents/tokens'
import { type FirstSteps, PretendDeposit } from './pretend-deposit'

export function CreateKey({ apiKey }: { apiKey: KeyView | null }) {
  const { organization, isAdmin } = useHere()
  if (apiKey)
    return (
      <p className="small">
        <span className="strong">{apiKey.label}</span> begins with <span className="mono">{apiKey.prefix}</span>. Only
        you have the rest. <Link href="/keys">Keys</Link>
      </p>
    )
  return (
    <>
      <p className="small">Your server calls Switchyard with it. Its value is shown once.</p>
      {isAdmin ? (
        <div>
          <Button component={Link} href="/keys" size="sm">
            Create a key
          </Button>
        </div>
      ) : (
        <p className="small sub">Ask an owner or admin of {organization.name} for one.</p>
      )}
    </>
  )
}

type IntentProps = { apiKey: KeyView | null; user: string; onUser: (user: string) => void }
export function StoreIntent({ apiKey, user, onUser }: IntentProps) {
  const { isAdmin } = useHere()
  return (
    <div className="stack">
      <p className="small">
        One call per user, from your server. The response contains the deposit address, which is the same on all five
        chains.
      </p>
      <Known of={useTokens()} bones={<Bones rows={3} />}>
        {(tokens) => <Curl command={curlOf(apiKey, user, tokens)} />}
      </Known>
      {isAdmin && apiKey && (
        <details className="stack">
          <summary className="small strong">Or create it here with the key {apiKey.label}</summary>
          <div style={{ paddingTop: 12 }}>
            <IntentForm userId={user} onUser={onUser} />
          </div>
        </details>
      )}
    </div>
  )
}

const Curl = ({ command }: { command: string }) => (
  <div className="secret">
    <pre className="code" tabIndex={0}>
      {command}
    </pre>
    <Copy value={command} what="curl command" />
  </div>
)

/** The call for an intent that delivers USDC on Arbitrum. The caller's own address is still to be filled in. */
function curlOf(apiKey: KeyView | null, user: string, tokens: readonly Token[]): string {
  const target = tokens.find(({ tokenSymbol, chainKey }) => tokenSymbol === 'USDC' && chainKey === 'arbitrum')
  const intent = {
    userId: user,
    targetChainId: target?.chainId ?? chains.arbitrum.id,
    targetTokenAddress: target?.tokenAddress ?? '0x…',
    targetAddress: '0x…',
  }
  return [
    `curl -s ${location.origin}/api/deposit-intents \\`,
    `  -H 'x-api-key: ${apiKey ? `${apiKey.prefix}…` : 'sy_live_…'}' -H 'content-type: application/json' \\`,
    `  -d '${JSON.stringify(intent)}'`,
  ].join('\n')
}

type DepositProps = { deposit: DepositRow | null; steps: FirstSteps; user: string }
export const SendDeposit = ({ deposit, steps, user }: DepositProps) => (
  <div className="stack">
    {deposit ? (
      <p className="small">
        Seen: <Hash value={deposit.id} kind="deposit" shown={shortId(deposit.id)} /> of {deposit.userId}.{' '}
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
    <PretendDeposit known={steps} user={user} />
  </div>
)

export const SeeDelivery = ({ success }: { success: ExecutionRow | null }) =>
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
  )
