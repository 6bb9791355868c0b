import { Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { typedAmount } from '../../../domain/money/amount'
import { linkMinutes } from '../../../domain/tenant/deposit-page'
import type { DepositLinkView } from '../../../http/dashboard/hosted/links'
import { ask, queryOf } from '../../data/api'
import { chainName, amount as shownAmount } from '../../data/format'
import { Copy } from '../../ui/copy'
import { FormDialog } from '../../ui/form-dialog'
import { Qr } from '../../ui/qr'
import type { Accepted } from '../accepted-tokens'

const spans = [
  { value: '15', label: '15 minutes' },
  { value: String(linkMinutes.usual), label: 'One hour' },
  { value: '240', label: '4 hours' },
  { value: String(linkMinutes.most), label: 'One day' },
]

const assetOf = ({ fromChainId, fromTokenAddress }: Accepted): string => `${fromChainId}:${fromTokenAddress}`

/** Returns why the hosted page would refuse the amount; null if it would accept it. */
function objectionTo(text: string, chosen: Accepted | undefined): string | null {
  if (text === '') return null
  if (!chosen) return 'Choose the token first.'
  const { fromTokenDecimals, minimumAmountIn } = chosen
  const raw = typedAmount(text, fromTokenDecimals)
  if (raw === null) return `Enter a number with at most ${fromTokenDecimals} decimals, such as 1500 or 1.5.`
  const isTooSmall = minimumAmountIn !== null && raw < BigInt(minimumAmountIn)
  return isTooSmall ? `The smallest amount now is ${shownAmount(minimumAmountIn, fromTokenDecimals)}.` : null
}

type Props = { userId: string; accepts: readonly Accepted[]; onClose: () => void }

/** Creates a link to the hosted page, with the payment filled in if known. */
export function NewLink({ userId, accepts, onClose }: Props) {
  const [minutes, setMinutes] = useState(String(linkMinutes.usual))
  const [asset, setAsset] = useState('')
  const [typed, setTyped] = useState('')
  const make = useMutation({
    mutationFn: () => ask<DepositLinkView>('/deposit-page/links', { body: { userId, minutes: Number(minutes) } }),
  })
  const routed = accepts.filter(({ acceptsDeposits }) => acceptsDeposits)
  const chosen = routed.find((one) => assetOf(one) === asset)
  const amount = typed.trim()
  const objection = objectionTo(amount, chosen)
  const url = make.data && `${make.data.url}${queryOf({ asset, amount })}`
  return (
    <FormDialog
      title={`A link for ${userId}`}
      action={url ? null : 'Create a link'}
      cancel={url ? 'Close' : 'Cancel'}
      act={make}
      onClose={onClose}
      isReady={objection === null}
    >
      {url ? (
        <>
          <div className="secret">
            <code className="code breaks" data-link>
              {url}
            </code>
            <Copy value={url} what="link" />
          </div>
          <Qr text={url} label="QR code of the link" />
          <p className="sub small">
            Scanning this opens the page{chosen ? `, which asks for ${paymentOf(chosen, amount)}` : ''}.
          </p>
        </>
      ) : (
        <>
          <Select label="Valid for" data={spans} value={minutes} onChange={(value) => value && setMinutes(value)} />
          <Select
            label="Token and network"
            description="The page shows it first; the sender can choose another."
            data={[{ value: '', label: 'Any' }, ...routed.map((one) => ({ value: assetOf(one), label: nameOf(one) }))]}
            value={asset}
            onChange={(value) => setAsset(value ?? '')}
            searchable
          />
          <TextInput
            label="Amount"
            description="Leave it empty to let the sender choose."
            inputMode="decimal"
            autoComplete="off"
            maxLength={40}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={objection}
          />
        </>
      )}
    </FormDialog>
  )
}

const nameOf = ({ fromTokenSymbol, fromChainKey }: Accepted): string =>
  `${fromTokenSymbol} on ${chainName(fromChainKey)}`
const paymentOf = (chosen: Accepted, amount: string): string =>
  amount ? `${amount} ${nameOf(chosen)}` : nameOf(chosen)
