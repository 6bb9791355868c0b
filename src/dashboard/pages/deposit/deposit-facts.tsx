import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { queryOf } from '../../data/api'
import { amount, chainName, exact, grouped } from '../../data/format'
import { stateName } from '../../data/state-name'
import { useTenantName } from '../../data/tenant'
import type { DepositDetail } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Card, Facts } from '../../ui/parts'
import { OnChain } from '../execution/on-chain'
import { detectorsOf } from './detectors'

const holders: Record<string, string> = {
  SENDER: 'With the sender',
  DEPOSIT_ACCOUNT: 'In the deposit account',
  PROVIDER: 'With the bridge',
  RECIPIENT: 'With the recipient',
  NONE: 'With another execution',
}

/** Deposits of unlisted tokens are confirmed without a recorded time. */
function confirmedWhen({ confirmedAt, confirmations, confirmationsRequired }: DepositDetail): string {
  if (confirmedAt !== null) return exact(Date.parse(confirmedAt))
  return confirmations >= confirmationsRequired ? 'yes, time not recorded' : 'not yet'
}

export function DepositFacts({ deposit }: { deposit: DepositDetail }) {
  const nameOf = useTenantName()
  const { fromChainId: chainId, funds } = deposit
  const onChain = (kind: 'tx' | 'address', value: string | null, what: string, unknown?: string): ReactNode => (
    <OnChain key={what} chainId={chainId} kind={kind} value={value} what={what} {...(unknown && { unknown })} />
  )
  const money =
    funds.holder === 'NONE' || funds.holder === 'SENDER'
      ? ''
      : `: ${amount(funds.amount, funds.tokenDecimals)} ${funds.tokenSymbol} on ${chainName(funds.chainKey)}`
  return (
    <Card title="Details" side={<Copy value={JSON.stringify(deposit, null, 2)} what="JSON" />}>
      <Facts
        rows={[
          [
            'User',
            <Link key="user" href={`/deposits${queryOf({ q: deposit.userId })}`}>
              {deposit.userId}
            </Link>,
          ],
          ...(deposit.organizationId
            ? ([['Organization', nameOf(deposit.organizationId)]] as [string, ReactNode][])
            : []),
          ['Where the money is', `${holders[funds.holder] ?? funds.holder}${money}`],
          [
            'Transaction',
            onChain('tx', deposit.depositTxHash, 'transaction hash', 'none: found by a check of the balance'),
          ],
          ['Deposit address', onChain('address', deposit.depositAddress, 'deposit address')],
          ['Sender', onChain('address', deposit.fromAddress, 'sender')],
          ['Token', onChain('address', deposit.fromTokenAddress, 'token address')],
          ['Amount', `${grouped(deposit.amountIn)} atomic units`],
          ['Block', deposit.blockNumber === null ? 'not known' : String(deposit.blockNumber)],
          ['Confirmations', `${deposit.confirmations} of ${deposit.confirmationsRequired}`],
          [
            'Trace',
            <span key="trace" className="row id-cell">
              <Hash value={deposit.traceId} kind="trace" />
              <Copy value={deposit.traceId} what="trace id" />
            </span>,
          ],
          ['Detected by', detectorsOf(deposit)],
          ['First seen', exact(Date.parse(deposit.createdAt))],
          ['Confirmed', confirmedWhen(deposit)],
          ['State', stateName(deposit.state)],
        ]}
      />
    </Card>
  )
}
