import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { amount, chainName, exact, shortId } from '../../data/format'
import { useHere } from '../../data/session'
import type { ExecutionDetail } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Card, Code, Facts } from '../../ui/parts'
import { detectorsOf } from '../deposit/detectors'
import { wrongNow } from '../executions/wrong-now'
import { OnChain } from './on-chain'
import { valueWords } from './value-words'

type Fact = [what: string, value: ReactNode]
const fact = (what: string, value: ReactNode): Fact => [what, value]

/** Every field of an execution by name, and the whole execution as JSON. */
export function ExecutionFacts({ execution }: { execution: ExecutionDetail }) {
  const { isOperator } = useHere()
  const [isRaw, setRaw] = useState(false)
  const text = JSON.stringify(execution, null, 2)
  return (
    <Card
      title="Details"
      side={
        <span className="row">
          <Copy value={text} what="JSON" />
          <Button size="compact-sm" variant="default" aria-expanded={isRaw} onClick={() => setRaw(!isRaw)}>
            {isRaw ? 'Hide JSON' : 'Show JSON'}
          </Button>
        </span>
      }
    >
      <Facts
        rows={[
          ...moneyFacts(execution),
          ...progressFacts(execution),
          ...relatedFacts(execution),
          ...(isOperator ? [stateFact(execution)] : []),
        ]}
      />
      {isRaw && (
        <section aria-label="JSON" style={{ marginTop: 16 }}>
          <pre className="code" tabIndex={0} style={{ maxHeight: 420 }}>
            {text}
          </pre>
        </section>
      )}
    </Card>
  )
}

/** Whose money it is, where it is, and the intent that decides where it goes. */
function moneyFacts(execution: ExecutionDetail): Fact[] {
  const { intent, deposit, userId, apiKeyId, fromChainId } = execution
  const put = `${amount(execution.amountIn, execution.fromTokenDecimals)} ${execution.fromTokenSymbol}`
  const gas = intent?.sponsoredGas ? 'gas sponsored' : 'gas deducted'
  return [
    fact('User', <Link href={`/executions?user=${encodeURIComponent(userId)}`}>{userId}</Link>),
    fact('Deposit address', <Address chainId={fromChainId} value={deposit.depositAddress} what="deposit address" />),
    fact('Sender', <Address chainId={fromChainId} value={deposit.fromAddress} what="sender" />),
    fact('Where the money is', <Holder execution={execution} />),
    fact('From', `${put} on ${chainName(execution.fromChainKey)}`),
    fact('To', `${execution.toTokenSymbol} on ${chainName(execution.toChainKey)}`),
    fact('Value', valueWords(execution)),
    fact(
      'Recipient',
      intent ? (
        <Address chainId={intent.targetChainId} value={intent.targetAddress} what="recipient" />
      ) : (
        'no intent yet'
      ),
    ),
    fact('Intent used', intent ? `version ${intent.version}, ${intent.protocolFeeBps / 100} % fee, ${gas}` : 'none'),
    fact(
      'API key',
      apiKeyId ? (
        <Link href={`/executions?key=${apiKeyId}`} className="mono">
          {apiKeyId}
        </Link>
      ) : (
        'none'
      ),
    ),
  ]
}

/** How the deposit was found, its progress, and its last failure. */
function progressFacts(execution: ExecutionDetail): Fact[] {
  const { deposit, traceId, routeId, cause, createdAt, completedAt, retryCount } = execution
  return [
    fact('Trace', <Id value={traceId} what="trace id" />),
    fact('Detected by', detectorsOf(deposit)),
    fact('Confirmations', `${deposit.confirmations} of ${deposit.confirmationsRequired}`),
    fact('Attempts', String(retryCount + 1)),
    fact('First seen', exact(Date.parse(deposit.createdAt))),
    fact('Created, once confirmed', exact(Date.parse(createdAt))),
    fact('Ended', completedAt ? exact(Date.parse(completedAt)) : 'not yet'),
    fact(
      cause && !wrongNow(execution) ? 'Last failure, resolved since' : 'Cause',
      cause ? (
        <>
          <Code>{cause.code}</Code>
          {cause.category && ` (${cause.category})`}
        </>
      ) : (
        'none'
      ),
    ),
    fact('Route id', routeId ? <Id value={routeId} what="route id" /> : 'none yet'),
  ]
}

function relatedFacts({ redriveOf, redrivenBy, refundOf, continuedBy, takenBy }: ExecutionDetail): Fact[] {
  const related = [
    ['Re-drive of', redriveOf],
    ['Re-driven by', redrivenBy],
    ['Refund of', refundOf],
    ['Continued by', continuedBy],
    ['Included in', takenBy],
  ] as const
  return related.flatMap(([what, id]): Fact[] => (id === null ? [] : [fact(what, <Other id={id} />)]))
}

const stateFact = ({ state, machineVersion }: ExecutionDetail): Fact =>
  fact(
    'State',
    <span>
      <Code>{state}</Code>, machine version {machineVersion}
    </span>,
  )

const Address = ({ chainId, value, what }: { chainId: number; value: string | null; what: string }) => (
  <OnChain chainId={chainId} kind="address" value={value} what={what} />
)

const Other = ({ id }: { id: string }) => (
  <Link href={`/executions/${encodeURIComponent(id)}`}>
    <Hash value={id} kind="execution" shown={shortId(id)} />
  </Link>
)

const Id = ({ value, what }: { value: string; what: string }) => (
  <span className="row id-cell">
    <Hash value={value} kind={what} />
    <Copy value={value} what={what} />
  </span>
)

/** The remaining money and its holder, or the execution that has it. */
function Holder({ execution: { funds, next } }: { execution: ExecutionDetail }) {
  if (funds.holder === 'NONE') return next.executionId ? <Other id={next.executionId} /> : 'with another deposit'
  const isBurned = funds.holder === 'PROVIDER' && funds.address === null
  return (
    <span className="stack tight">
      <span className="num">
        {amount(funds.amount, funds.tokenDecimals)} {funds.tokenSymbol}
        {isBurned ? ', burned' : ''} on {chainName(funds.chainKey)}
      </span>
      {!isBurned && <Address chainId={funds.chainId} value={funds.address} what="holder" />}
    </span>
  )
}
