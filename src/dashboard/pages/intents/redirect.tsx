import type { DepositIntentView } from '../../../http/views/deposit-intent'
import { ApiError, ask } from '../../data/api'
import { chainName } from '../../data/format'
import { FormDialog } from '../../ui/form-dialog'
import { Hash } from '../../ui/hash'
import type { Token } from './tokens'

export type IntentTarget = Pick<
  typeof DepositIntentView.infer,
  'targetChainId' | 'targetTokenAddress' | 'targetAddress'
>

/** Returns where a user's deposits go now; null without an intent. */
export async function findIntent(userId: string): Promise<IntentTarget | null> {
  try {
    return await ask<IntentTarget>(`/users/${encodeURIComponent(userId)}/deposit-intent`, { isRepeated: false })
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return null
    throw error
  }
}

const sameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
export const isSameTarget = (one: IntentTarget, other: IntentTarget): boolean =>
  one.targetChainId === other.targetChainId &&
  sameAddress(one.targetTokenAddress, other.targetTokenAddress) &&
  sameAddress(one.targetAddress, other.targetAddress)

/** A target in words. A listed token is named by its symbol. */
export function TargetWords({ target, tokens }: { target: IntentTarget; tokens: readonly Token[] }) {
  const { targetChainId, targetTokenAddress, targetAddress } = target
  const onChain = tokens.filter(({ chainId }) => chainId === targetChainId)
  const token = onChain.find(({ tokenAddress }) => sameAddress(tokenAddress, targetTokenAddress))
  return (
    <>
      <span className="strong">{token?.tokenSymbol ?? 'the token'}</span>{' '}
      {!token && <Hash value={targetTokenAddress} kind="token" shown={targetTokenAddress} />}
      on <span className="strong">{onChain[0] ? chainName(onChain[0].chainKey) : `chain ${targetChainId}`}</span>, to{' '}
      <Hash value={targetAddress} kind="address" shown={targetAddress} />
    </>
  )
}

type Props = {
  userId: string
  before: IntentTarget | null
  after: IntentTarget
  tokens: readonly Token[]
  isPending: boolean
  error: Error | null
  onClose: () => void
  onConfirm: () => void
}

/** Asks before a user's money is redirected, and shows the current and the new target. */
export const RedirectDialog = ({ userId, before, after, tokens, isPending, error, onClose, onConfirm }: Props) => (
  <FormDialog
    title={`Redirect the deposits of ${userId}?`}
    action="Redirect the deposits"
    cancel="Keep the current one"
    size="lg"
    isOpen={before !== null}
    onSubmit={onConfirm}
    onClose={onClose}
    isPending={isPending}
    error={error}
  >
    {before && (
      <>
        <p className="small">
          This user already has a deposit intent. Deposits in progress keep the old one; later deposits follow the new
          one.
        </p>
        <div data-redirect="before">
          <div className="sub small">Deposits now go to</div>
          <p>
            <TargetWords target={before} tokens={tokens} />
          </p>
        </div>
        <div data-redirect="after">
          <div className="sub small">Later deposits would go to</div>
          <p>
            <TargetWords target={after} tokens={tokens} />
          </p>
        </div>
      </>
    )}
  </FormDialog>
)
