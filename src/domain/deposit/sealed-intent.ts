import type { Address } from '../chain/hex'
import type { Execution } from '../execution/execution'
import { type DepositIntent, departable, type IntentSnapshot, snapshotOf } from './deposit-intent'

type Owner = Pick<DepositIntent, 'id' | 'organizationId' | 'userId'>
type Claim = { fields: Owner & Omit<IntentSnapshot, 'seal' | 'sealedAs'>; seal: string | null | undefined }

/**
 * Returns what the seal of an intent covers: its owner, its version, and every field that decides how a deposit is
 * routed.
 */
export function claimOfIntent(intent: DepositIntent): Claim {
  const { id, organizationId, userId } = intent
  const { seal, ...kept } = snapshotOf(intent)
  return { fields: { id, organizationId, userId, ...kept }, seal }
}

/**
 * Returns the same for the intent that an execution keeps: as the integrator gave it, for this deposit's account, user
 * and organization.
 */
export function claimOfExecution({ organizationId, userId, deposit, facts }: Sealed): Claim | null {
  if (!facts.intent) return null
  const { seal, sealedAs, ...kept } = facts.intent
  return { fields: { ...kept, ...sealedAs, id: deposit.account, organizationId, userId }, seal }
}

type Sealed = Pick<Execution, 'organizationId' | 'userId' | 'deposit' | 'facts' | 'refundOf' | 'redriveOf'>

/**
 * Whether an execution may depart from its sealed intent. There are two cases: money that a bridge sent back pays no
 * second protocol fee, and an operator may send money that cannot be routed to the refund address that the intent
 * itself names. Neither lets anybody be paid whom the integrator did not name.
 */
export function mayDepart({ deposit, facts, refundOf, redriveOf }: Sealed): boolean {
  const { intent } = facts
  const names = Object.keys(intent?.sealedAs ?? {})
  if (!intent || names.length === 0) return true
  // The database says which fields were changed after sealing. Only the fields in `departable` may be among them, and
  // the refund address above all is not.
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
