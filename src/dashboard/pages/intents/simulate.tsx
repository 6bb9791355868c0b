import { Button, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, ask } from '../../data/api'
import { amount, chainName, grouped, providerName, short } from '../../data/format'
import { Copy } from '../../ui/copy'
import { Bones, Card, Empty, Facts, Note, Page, Trouble } from '../../ui/parts'
import { Fall } from '../execution/fee-fall'
import { atomicOf, partsOf, type Simulated } from './simulated'
import { chainChoices, tokenChoices, useTokens } from './tokens'

/** What a deposit would become, worked out by the very steps that a real one takes. Nothing is stored or sent. */
export default function Simulate() {
  const tokens = useTokens().data ?? []
  const [user, setUser] = useState('')
  const [chainId, setChainId] = useState<string | null>(null)
  const [address, setAddress] = useState<string | null>(null)
  const [text, setText] = useState('25')
  const [target, setTarget] = useState<{ chainId: string | null; token: string | null; recipient: string }>({
    chainId: null,
    token: null,
    recipient: '',
  })
  const token = tokens.find((each) => String(each.chainId) === chainId && each.tokenAddress === address)
  const atomic = token ? atomicOf(text, token.decimals) : null
  const simulate = useMutation({
    mutationFn: () =>
      ask<Simulated>('/routing/simulate-deposit', {
        body: {
          userId: user,
          fromChainId: Number(chainId),
          fromTokenSymbol: token!.tokenSymbol,
          amountInAtomic: atomic,
          ...(target.chainId && { overrideTargetChainId: Number(target.chainId) }),
          ...(target.token && { overrideTargetTokenAddress: target.token }),
          ...(target.recipient && { overrideTargetAddress: target.recipient.trim() }),
        },
      }),
  })
  const result = simulate.data
  const decimalsOut =
    tokens.find((each) => each.chainId === result?.targetChainId && each.tokenSymbol === result?.targetTokenSymbol)
      ?.decimals ?? null
  const wouldFail = simulate.error instanceof ApiError && simulate.error.statusCode === 422 ? simulate.error : null
  return (
    <Page title="Simulate" lead="See the route, fees and output of a deposit at current prices, without making one.">
      <div className="grid2">
        <Card title="The deposit">
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault()
              simulate.mutate()
            }}
          >
            <TextInput
              label="User"
              description="This user’s intent decides where it goes. The user need not exist if you fill in the whole target below."
              value={user}
              onChange={(event) => setUser(event.currentTarget.value)}
              maxLength={256}
              required
              withAsterisk={false}
            />
            <div className="form-grid">
              <Select
                label="From chain"
                placeholder="Choose a chain"
                data={chainChoices(tokens)}
                value={chainId}
                onChange={(value) => {
                  setChainId(value)
                  setAddress(null)
                }}
                required
                withAsterisk={false}
              />
              <Select
                label="Token"
                placeholder={chainId === null ? 'Choose a chain first' : 'Choose a token'}
                data={tokenChoices(tokens, chainId)}
                value={address}
                onChange={setAddress}
                disabled={chainId === null}
                searchable
                required
                withAsterisk={false}
              />
            </div>
            <TextInput
              label="Amount"
              inputMode="decimal"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              error={token && atomic === null ? `A number above 0 with at most ${token.decimals} decimals` : null}
              description={atomic ? `${grouped(atomic)} atomic units` : 'In whole tokens'}
              required
              withAsterisk={false}
            />
            <details>
              <summary className="small strong">Another target, for this simulation only</summary>
              <div className="form-grid" style={{ paddingTop: 12 }}>
                <Select
                  label="To chain"
                  data={chainChoices(tokens)}
                  value={target.chainId}
                  onChange={(value) => setTarget({ ...target, chainId: value, token: null })}
                  clearable
                />
                <Select
                  label="Token to deliver"
                  data={tokenChoices(tokens, target.chainId)}
                  value={target.token}
                  onChange={(value) => setTarget({ ...target, token: value })}
                  disabled={!target.chainId}
                  searchable
                  clearable
                />
                <TextInput
                  label="Recipient"
                  placeholder="0x…"
                  value={target.recipient}
                  onChange={(event) => setTarget({ ...target, recipient: event.currentTarget.value })}
                  pattern="\s*0x[0-9a-fA-F]{40}\s*"
                />
              </div>
            </details>
            <div className="row">
              <Button type="submit" loading={simulate.isPending} disabled={!atomic || user === ''}>
                Simulate
              </Button>
            </div>
          </form>
        </Card>
        <Card title="What would happen">
          {simulate.isPending ? (
            <Bones rows={6} height={24} />
          ) : wouldFail ? (
            <Note tone="warn" role="alert">
              <span className="strong">It would end in {wouldFail.code}.</span> {wouldFail.message} The money would stay
              in the deposit account.
            </Note>
          ) : simulate.error ? (
            <Trouble error={simulate.error} />
          ) : result ? (
            <div className="stack" role="status">
              <Fall decimals={token?.decimals ?? null} symbol={result.fromTokenSymbol} fees={partsOf(result)} />
              <Facts
                rows={[
                  [
                    'Would arrive',
                    [
                      amount(result.amountOutExpectedAtomic, decimalsOut),
                      result.targetTokenSymbol,
                      'on',
                      chainName(result.targetChainKey),
                    ].join(' '),
                  ],
                  [
                    'Recipient',
                    <span key="to" className="row keep id-cell">
                      <span className="mono" title={result.targetAddress}>
                        {short(result.targetAddress)}
                      </span>
                      <Copy value={result.targetAddress} what="recipient" />
                    </span>,
                  ],
                  ['Routed by', providerName(result.provider)],
                  ['Target', result.hasIntent ? 'From the stored intent' : 'Given here: the user has no intent'],
                ]}
              />
            </div>
          ) : (
            <Empty icon="flask" title="Nothing simulated yet">
              <p>The answer comes live from the routing providers and takes a second or two.</p>
            </Empty>
          )}
        </Card>
      </div>
    </Page>
  )
}
