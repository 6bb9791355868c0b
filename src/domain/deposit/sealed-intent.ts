import type { Address } from '../chain/hex'
import type { Execution } from '../execution/execution'
import { type DepositIntent, departable, type IntentSnapshot, snapshotOf } from './deposit-intent'

type Owner = Pick<DepositIntent, 'id' | 'organizationId' | 'userId'>
type Claim = { fields: Owner & Omit<IntentSnapshot, 'seal' | 'sealedAs'>; seal: string | null | undefined }

/** What is sealed of an intent: whose it is, which version, and all that a deposit is carried out by. */
export function claimOfIntent(intent: DepositIntent): Claim {
  const { id, organizationId, userId } = intent
  const { seal, ...kept } = snapshotOf(intent)
  return { fields: { id, organizationId, userId, ...kept }, seal }
}

/** The same of what an execution kept: as the integrator gave it, for the account, user and tenant of this deposit. */
export function claimOfExecution({ organizationId, userId, deposit, facts }: Sealed): Claim | null {
  if (!facts.intent) return null
  const { seal, sealedAs, ...kept } = facts.intent
  return { fields: { ...kept, ...sealedAs, id: deposit.account, organizationId, userId }, seal }
}

type Sealed = Pick<Execution, 'organizationId' | 'userId' | 'deposit' | 'facts' | 'refundOf' | 'redriveOf'>

/**
 * Whether an execution may do otherwise than its sealed intent says: money that a bridge sent back pays no second
 * protocol fee, and an operator may send what cannot be routed to the refund address that the intent itself names.
 * Nothing else; and neither lets anybody be paid whom the integrator did not name.
 */
export function mayDepart({ deposit, facts, refundOf, redriveOf }: Sealed): boolean {
  const { intent } = facts
  const names = Object.keys(intent?.sealedAs ?? {})
  if (!intent || names.length === 0) return true
  // What is stored says what was sealed: of anything else, the refund address above all, it is not believed.
  if (!names.every((name) => (departable as readonly string[]).includes(name))) return false
  if (intent.protocolFeeBps !== 0) return false
  if (names.length === 1 && names[0] === 'protocolFeeBps') return refundOf !== null || isRefund(deposit, intent)
  return redriveOf !== null && isRefund(deposit, intent)
}

const isRefund = (
  { chainId, token }: { chainId: number; token: Address },
  { refundAddress = null, targetAddress, targetChainId, targetTokenAddress }: IntentSnapshot,
): boolean =>
  refundAddress !== null && targetAddress === refundAddress && targetChainId === chainId && targetTokenAddress === token
