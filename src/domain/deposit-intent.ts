import type { ChainId } from './chain'
import type { Address } from './hex'

/** Where the deposits of one user go. There is one per account; `id` is the account's address. */
export type DepositIntent = {
  id: Address
  version: number
  organizationId: string
  userId: string
  apiKeyId: string
  targetChainId: ChainId
  targetTokenAddress: Address
  targetAddress: Address
  /** Copied from the API key when the intent is created; a later change of the key does not matter. */
  protocolFeeBps: number
  sponsoredGas: boolean
  /** Where an operator may send back what cannot be routed; null unless the integrator named it. Decision 36. */
  refundAddress: Address | null
  createdAt: number
  updatedAt: number
}

/** What an execution keeps of it. Never replaced: a later change of the intent affects later deposits only. */
export type IntentSnapshot = Pick<
  DepositIntent,
  'version' | 'apiKeyId' | 'targetChainId' | 'targetTokenAddress' | 'targetAddress' | 'protocolFeeBps' | 'sponsoredGas'
>

export const snapshotOf = (intent: DepositIntent): IntentSnapshot => {
  const { version, apiKeyId, targetChainId, targetTokenAddress, targetAddress, protocolFeeBps, sponsoredGas } = intent
  return { version, apiKeyId, targetChainId, targetTokenAddress, targetAddress, protocolFeeBps, sponsoredGas }
}
