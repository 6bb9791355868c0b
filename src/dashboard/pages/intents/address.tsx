import { Button, Select, TextInput } from '@mantine/core'
import type { FormEvent } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { DepositAddressView } from '../../../http/views/deposit-address'
import { ApiError } from '../../data/api'
import { chainName } from '../../data/format'
import { useRead } from '../../data/use-read'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Unread } from '../../ui/loaded'
import { Bones, Card, Empty, Note, Page } from '../../ui/parts'
import { Qr } from '../../ui/qr'
import { type Accepted, AcceptedTokens } from '../accepted-tokens'
import { HostedPage } from './hosted-page'
import { IntentHistory } from './intent-history'

type Answer = typeof DepositAddressView.infer

/** A user's deposit address, with everything that a sender needs. */
export default function Address() {
  const [parameters, setParameters] = useSearchParams()
  const user = parameters.get('user') ?? ''
  const query = useRead<Answer>(['address', user], `/users/${encodeURIComponent(user)}/deposit-address`, {
    enabled: user !== '',
    refetchInterval: 30_000,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = String(new FormData(event.currentTarget).get('user')).trim()
    setParameters(wanted ? { user: wanted } : {})
  }
  const isUnknown = query.error instanceof ApiError && query.error.statusCode === 404
  return (
    <Page
      title="Deposit address"
      lead="A user’s deposit address, the tokens it accepts, and the smallest deposit of each that can be routed now."
    >
      <form onSubmit={submit} className="row" style={{ alignItems: 'flex-end' }}>
        <TextInput
          key={user}
          name="user"
          label="User"
          placeholder="user-1"
          defaultValue={user}
          maxLength={256}
          w={300}
        />
        <Button type="submit" variant="default">
          Show
        </Button>
      </form>
      {!isUnknown && <Unread of={query} />}
      {isUnknown || user === '' ? (
        <div className="card">
          <Empty icon="qr" title={isUnknown ? 'This user has no deposit address' : 'Choose a user'}>
            <p>
              {isUnknown ? 'A user gets one with the first deposit intent.' : 'Enter the user’s id in your system.'}
            </p>
            {isUnknown && <Link href="/start">Create an intent</Link>}
          </Empty>
        </div>
      ) : query.data ? (
        <Shown answer={query.data} />
      ) : (
        query.isFetching && (
          <div className="card empty-space">
            <Bones rows={7} height={24} />
          </div>
        )
      )}
    </Page>
  )
}

function Shown({ answer }: { answer: Answer }) {
  const [parameters] = useSearchParams()
  const { depositAddress, accepts, notices, hasIntent } = answer
  const chosen = parameters.get('pay') ?? ''
  const uri = accepts.find(({ paymentUri }) => paymentUri === chosen)?.paymentUri
  return (
    <>
      <Card title={`Where ${answer.userId} sends deposits`}>
        <div className="split">
          <Qr text={uri ?? depositAddress} label={uri ? 'QR code that opens a wallet' : 'QR code of the address'} />
          <div className="fills stack">
            <div>
              <div className="sub small">The same address on every chain</div>
              <div className="row keep id-cell">
                <span className="big-mono">{depositAddress}</span>
                <Copy value={depositAddress} what="deposit address" />
              </div>
            </div>
            <QrChoice accepts={accepts} chosen={chosen} />
            {hasIntent ? (
              <p className="small">
                Everything arrives as <span className="strong">{answer.targetTokenSymbol}</span> on{' '}
                <span className="strong">{chainName(answer.targetChainKey)}</span>, at{' '}
                {answer.targetAddress && (
                  <Hash value={answer.targetAddress} kind="address" shown={answer.targetAddress} />
                )}
                .
              </p>
            ) : (
              <Note tone="warn">There is no deposit intent yet: deposits wait safely until there is one.</Note>
            )}
            {notices.map((notice) => (
              <p key={notice} className="sub small">
                {notice}
              </p>
            ))}
          </div>
        </div>
      </Card>
      <HostedPage userId={answer.userId} accepts={accepts} />
      <IntentHistory userId={answer.userId} />
      <AcceptedTokens accepts={accepts} />
    </>
  )
}

/** The content of the QR code: the address alone, or the payment of one token. Stored in the URL. */
function QrChoice({ accepts, chosen }: { accepts: readonly Accepted[]; chosen: string }) {
  const [, setParameters] = useSearchParams()
  return (
    <Select
      label="QR code for"
      data={[
        { value: '', label: 'Any wallet (the address alone)' },
        ...accepts
          .filter(({ acceptsDeposits }) => acceptsDeposits)
          .map((each) => ({
            value: each.paymentUri,
            label: `${each.fromTokenSymbol} on ${chainName(each.fromChainKey)}`,
          })),
      ]}
      value={chosen}
      onChange={(value) =>
        setParameters((before) => {
          const next = new URLSearchParams(before)
          if (value) next.set('pay', value)
          else next.delete('pay')
          return next
        })
      }
      searchable
      maw={340}
    />
  )
}
