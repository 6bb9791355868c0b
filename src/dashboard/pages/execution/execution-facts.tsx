import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { Link } from 'wouter'
import { amount, chainName, exact, short, shortId } from '../../data/format'
import { useHere } from '../../data/session'
import type { ExecutionDetail } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Card, Code, Facts } from '../../ui/parts'
import { wrongNow } from '../executions/wrong-now'
import { OnChain } from './on-chain'

export function ExecutionFacts({ execution }: { execution: ExecutionDetail }) {
  const { intent, deposit, funds } = execution
  const { isOperator } = useHere()
  const [isRaw, setRaw] = useState(false)
  const gas = intent?.sponsoredGas ? 'gas sponsored' : 'gas deducted'
  const from = chainName(execution.fromChainKey)
  const text = JSON.stringify(execution, null, 2)
  const address = (chainId: number, value: string | null, what: string): ReactNode => (
    <OnChain key={what} chainId={chainId} kind="address" value={value} what={what} />
  )
  const other = (id: string | null): ReactNode =>
    id === null ? null : (
      <Link href={`/executions/${encodeURIComponent(id)}`} className="mono">
        {shortId(id)}
      </Link>
    )
  const money =
    funds.holder === 'NONE' ? (
      (other(execution.next.executionId) ?? 'with another deposit')
    ) : (
      <span className="stack tight">
        <span className="num">
          {amount(funds.amount, funds.tokenDecimals)} {funds.tokenSymbol} on {chainName(funds.chainKey)}
        </span>
        {address(funds.chainId, funds.address, 'holder')}
      </span>
    )
  const related = (
    [
      ['Re-drive of', execution.redriveOf],
      ['Re-driven by', execution.redrivenBy],
      ['Refund of', execution.refundOf],
      ['Continued by', execution.continuedBy],
      ['Taken along by', execution.takenBy],
    ] as const
  ).flatMap(([what, id]): [string, ReactNode][] => (id === null ? [] : [[what, other(id)]]))
  return (
    <Card
      title="Everything about it"
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
          [
            'User',
            <Link key="user" href={`/executions?user=${encodeURIComponent(execution.userId)}`}>
              {execution.userId}
            </Link>,
          ],
          ['Deposit address', address(execution.fromChainId, deposit.depositAddress, 'deposit address')],
          ['Sender', address(execution.fromChainId, deposit.fromAddress, 'sender')],
          ['Where the money is', money],
          [
            'From',
            `${amount(execution.amountIn, execution.fromTokenDecimals)} ${execution.fromTokenSymbol} on ${from}`,
          ],
          ['To', `${execution.toTokenSymbol} on ${chainName(execution.toChainKey)}`],
          ['Recipient', intent ? address(intent.targetChainId, intent.targetAddress, 'recipient') : 'no intent yet'],
          ['Intent used', intent ? `version ${intent.version}, ${intent.protocolFeeBps / 100} % fee, ${gas}` : 'none'],
          [
            'API key',
            execution.apiKeyId ? (
              <Link key="key" href={`/executions?key=${execution.apiKeyId}`} className="mono">
                {execution.apiKeyId}
              </Link>
            ) : (
              'none'
            ),
          ],
          [
            'Trace',
            <span key="trace" className="row id-cell">
              <span className="mono" title={execution.traceId}>
                {short(execution.traceId)}
              </span>
              <Copy value={execution.traceId} what="trace id" />
            </span>,
          ],
          ['Found by', deposit.detectedBy.join(', ').toLowerCase()],
          ['Confirmations', `${deposit.confirmations} of ${deposit.confirmationsRequired}`],
          ['Attempts', String(execution.retryCount + 1)],
          ['Created', exact(Date.parse(execution.createdAt))],
          ['Ended', execution.completedAt ? exact(Date.parse(execution.completedAt)) : 'not yet'],
          [
            execution.cause && !wrongNow(execution) ? 'Last failure, overcome' : 'Cause',
            execution.cause ? (
              <>
                <Code>{execution.cause.code}</Code>
                {execution.cause.category && ` (${execution.cause.category})`}
              </>
            ) : (
              'none'
            ),
          ],
          [
            'Route id',
            execution.routeId ? (
              <span key="route" className="row id-cell">
                <span className="mono">{short(execution.routeId)}</span>
                <Copy value={execution.routeId} what="route id" />
              </span>
            ) : (
              'none yet'
            ),
          ],
          ...related,
          ...(isOperator
            ? ([
                [
                  'State',
                  <span key="state">
                    <Code>{execution.state}</Code>, machine version {execution.machineVersion}
                  </span>,
                ],
              ] as [string, ReactNode][])
            : []),
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
