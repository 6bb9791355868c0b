import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { grouped } from '../../data/format'
import { atomicOf, type OtherTarget, type SimulatedDeposit } from './simulated'
import { chainChoices, type Token, tokenChoices, usualToken } from './tokens'

const noTarget: OtherTarget = { chainId: null, token: null, recipient: '' }

type Props = {
  tokens: readonly Token[]
  /** A user with an intent: null without one, and undefined until it is read. */
  firstUser: string | null | undefined
  isPending: boolean
  onSimulate: (deposit: SimulatedDeposit) => void
}
type Sent = { chainId: string | null; address: string | null }
/** The form: the deposit, its user, and an optional target instead of the stored intent's. It begins filled in. */
export function SimulateForm({ tokens, firstUser, isPending, onSimulate }: Props) {
  const [typedUser, setUser] = useState<string | null>(null)
  const [chosen, setChosen] = useState<Sent | null>(null)
  const user = typedUser ?? firstUser ?? ''
  const usual = usualToken(tokens, 'base')
  const { chainId, address } = chosen ?? {
    chainId: usual ? String(usual.chainId) : null,
    address: usual?.tokenAddress ?? null,
  }
  const [text, setText] = useState('25')
  const [target, setTarget] = useState(noTarget)
  const token = tokens.find((each) => String(each.chainId) === chainId && each.tokenAddress === address)
  const atomic = token ? atomicOf(text, token.decimals) : null
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onSimulate({ user, token: token!, amountInAtomic: atomic!, target })
      }}
    >
      <TextInput
        label="User"
        description="The deposit follows this user’s intent. The user need not exist if you fill in the whole target below."
        value={user}
        onChange={(event) => setUser(event.currentTarget.value)}
        maxLength={256}
        required
      />
      <SentTokenFields
        tokens={tokens}
        chainId={chainId}
        address={address}
        onChange={(chain, token) => setChosen({ chainId: chain, address: token })}
      />
      <TextInput
        label="Amount"
        inputMode="decimal"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={
          token && atomic === null
            ? `Enter a number with at most ${token.decimals} decimals, such as 1500 or 1.5`
            : null
        }
        description={atomic ? `${grouped(atomic)} atomic units` : 'In whole tokens'}
        required
      />
      <OtherTargetFields tokens={tokens} target={target} onChange={setTarget} />
      <div className="row">
        <Button type="submit" loading={isPending} disabled={!atomic || user === ''}>
          Simulate
        </Button>
      </div>
    </form>
  )
}

type TokenFieldProps = {
  tokens: readonly Token[]
  chainId: string | null
  address: string | null
  onChange: (chainId: string | null, address: string | null) => void
}
const SentTokenFields = ({ tokens, chainId, address, onChange }: TokenFieldProps) => (
  <div className="form-grid">
    <Select
      label="From chain"
      placeholder="Choose a chain"
      data={chainChoices(tokens)}
      value={chainId}
      onChange={(value) => onChange(value, null)}
      required
    />
    <Select
      label="Token"
      placeholder={chainId === null ? 'Choose a chain first' : 'Choose a token'}
      data={tokenChoices(tokens, chainId)}
      value={address}
      onChange={(value) => onChange(chainId, value)}
      disabled={chainId === null}
      searchable
      required
    />
  </div>
)

type TargetProps = { tokens: readonly Token[]; target: OtherTarget; onChange: (target: OtherTarget) => void }
const OtherTargetFields = ({ tokens, target, onChange }: TargetProps) => (
  <details>
    <summary className="small strong">Another target, for this simulation only</summary>
    <div className="form-grid" style={{ paddingTop: 12 }}>
      <Select
        label="To chain"
        data={chainChoices(tokens)}
        value={target.chainId}
        onChange={(value) => onChange({ ...target, chainId: value, token: null })}
        clearable
      />
      <Select
        label="Token to deliver"
        data={tokenChoices(tokens, target.chainId)}
        value={target.token}
        onChange={(value) => onChange({ ...target, token: value })}
        disabled={!target.chainId}
        searchable
        clearable
      />
      <TextInput
        label="Recipient"
        placeholder="0x…"
        value={target.recipient}
        onChange={(event) => onChange({ ...target, recipient: event.currentTarget.value })}
        pattern="\s*0x[0-9a-fA-F]{40}\s*"
      />
    </div>
  </details>
)
