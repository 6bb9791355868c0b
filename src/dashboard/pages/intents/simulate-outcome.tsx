import { providerName } from '../../../domain/execution/provider'
import { ApiError } from '../../data/api'
import { amount, chainName } from '../../data/format'
import { stateName } from '../../data/state-name'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Bones, Facts, Note, Trouble } from '../../ui/parts'
import { Fall } from '../execution/fee-fall'
import { partsOf, type Simulated } from './simulated'
import type { Token } from './tokens'

type Props = {
  tokens: readonly Token[]
  /** Decimals of the deposited token. */
  decimalsIn: number | null
  isPending: boolean
  error: Error | null
  result: Simulated | undefined
}
/** The result of the simulated deposit: delivered, ended early, or unknown. */
export function Outcome({ tokens, decimalsIn, isPending, error, result }: Props) {
  if (isPending) return <Bones rows={6} height={24} />
  if (error instanceof ApiError && error.statusCode === 422)
    return (
      <Note tone="warn" role="alert">
        <span className="strong">It would end as {stateName(String(error.code))}.</span> {error.message} The money would
        stay in the deposit account.
      </Note>
    )
  if (error) return <Trouble error={error} />
  if (!result)
    return (
      <p className="sub">
        Fill in the form to see what a deposit would bring. The result comes live from the routing providers and takes a
        second or two.
      </p>
    )
  return (
    <div className="stack" role="status">
      <Fall decimals={decimalsIn} symbol={result.fromTokenSymbol} fees={partsOf(result)} />
      <Facts rows={factsOf(result, tokens)} />
    </div>
  )
}

function factsOf(result: Simulated, tokens: readonly Token[]): Parameters<typeof Facts>[0]['rows'] {
  const { targetChainId, targetChainKey, targetTokenSymbol, targetAddress, amountOutExpectedAtomic } = result
  const target = tokens.find((each) => each.chainId === targetChainId && each.tokenSymbol === targetTokenSymbol)
  const out = amount(amountOutExpectedAtomic, target?.decimals ?? null)
  return [
    ['Would arrive', `${out} ${targetTokenSymbol} on ${chainName(targetChainKey)}`],
    [
      'Recipient',
      <span key="to" className="row keep id-cell">
        <Hash value={targetAddress} kind="recipient" />
        <Copy value={targetAddress} what="recipient" />
      </span>,
    ],
    ['Routed by', providerName(result.provider)],
    ['Target', result.hasIntent ? 'From the stored intent' : 'From this form: the user has no intent'],
  ]
}
