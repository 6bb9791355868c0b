import type { Address } from './chain/hex'
import { type DepositIntent, departable, type IntentSnapshot, snapshotOf } from './deposit/deposit-intent'
import type { Signable } from './execution/execution'
import { type Candidate, defaultPolicy, policyWith, type Route } from './execution/route'
import type { WorthApproval } from './money/worth'
import type { Organization } from './tenant/organization'

/** Subject of a seal. A seal for one subject is invalid for every other subject. */
export type SealSubject = 'intent' | 'held change' | 'worth approval' | 'offer' | 'least share'

/** Fields that a seal can cover. Every field counts; their order does not. */
export type Sealable = Readonly<Record<string, string | number | boolean | null>>

/**
 * Seals decisions of authenticated people and keys: a seal is a MAC under a key that the database never sees. An
 * attacker who can write to the database can remove a decision or restore an earlier one, but cannot forge one. A seal
 * is a pure function of the key and the fields. This interface is therefore not a port and lives with the rules for
 * what is sealed.
 */
export interface Seals {
  /** @throws {TypeError} for a field that is not a plain value. No field is silently left out of a seal. */
  seal(subject: SealSubject, fields: Sealable): string
  /** Never throws. Fields that cannot be sealed count as unsealed. */
  isGood(subject: SealSubject, fields: object, seal: unknown): boolean
}

/** Returns the intent for the next write, sealed. */
export const sealedForSaving = (seals: Seals, intent: DepositIntent): DepositIntent => {
  const { fields } = claimOfIntent({ ...intent, version: intent.version + 1 })
  return { ...intent, seal: seals.seal('intent', fields) }
}

export const isSealed = (seals: Seals, intent: DepositIntent): boolean => {
  const { fields, seal } = claimOfIntent(intent)
  return seals.isGood('intent', fields, seal)
}

/**
 * Returns the fault of the intent that an execution follows, as a sentence for the log. Returns null if the integrator
 * set exactly that intent.
 */
export function intentObjection(seals: Seals, execution: Sealed): string | null {
  const claim = claimOfExecution(execution)
  if (!claim) return 'The execution has no intent'
  if (!seals.isGood('intent', claim.fields, claim.seal))
    return claim.seal
      ? 'The intent differs from the integrator’s own'
      : 'The intent has no seal: "intents seal" was not run, or the seal was removed'
  return mayDepart(execution) ? null : 'The execution departs from its intent without an allowed reason'
}

/** Seals an operator's approval. The seal is valid for this execution and this amount only. */
export function sealedApproval(
  seals: Seals,
  executionId: string,
  approval: Omit<WorthApproval, 'seal'>,
): WorthApproval {
  return { ...approval, seal: seals.seal('worth approval', { executionId, ...approval }) }
}

type Quoted = { executionId: string; amountIn: string }

type Offer = Pick<Candidate, 'provider' | 'amountOutMin' | 'amountOutExpected' | 'quotedAt'>

const offerOf = (quoted: Quoted, { provider, amountOutMin, amountOutExpected, quotedAt }: Offer) => ({
  ...quoted,
  provider,
  amountOutMin,
  amountOutExpected,
  quotedAt,
})

/**
 * Seals the offers that providers made. They can replace a missing price. A seal is valid only for this execution and
 * the amount of its route. A losing provider might have quoted for an amount that differs by its gas.
 */
export const sealedOffers = (
  seals: Seals,
  executionId: string,
  { route, candidates }: { route: Route; candidates: readonly Candidate[] },
): Candidate[] =>
  candidates.map((each) => ({
    ...each,
    seal: seals.seal('offer', offerOf({ executionId, amountIn: route.amountIn }, each)),
  }))

/** Returns the execution without approvals and offers whose seal is missing or wrong. */
export function withoutForgedWorth(seals: Seals, execution: Signable): Signable {
  const { worthApproval, candidates = [], ...facts } = execution.facts
  const { id: executionId } = execution
  const quoted = { executionId, amountIn: facts.route?.amountIn ?? '' }
  const goodCandidates = candidates.filter((each) => seals.isGood('offer', offerOf(quoted, each), each.seal))
  return {
    ...execution,
    facts: {
      ...facts,
      candidates: goodCandidates,
      ...(worthApproval && isGiven(seals, executionId, worthApproval) && { worthApproval }),
    },
  }
}

const isGiven = (seals: Seals, executionId: string, { seal, ...approval }: WorthApproval): boolean =>
  seals.isGood('worth approval', { executionId, ...approval }, seal)

type Sharing = Pick<Organization, 'id' | 'policy' | 'policySeal'>

const leastShareOf = ({ id, policy }: Sharing) => ({
  organizationId: id,
  minOutputBps: policyWith(policy).minOutputBps,
})
export const isLenient = (organization: Sharing): boolean =>
  leastShareOf(organization).minOutputBps < defaultPolicy.minOutputBps

/** Returns the fields that the seal of an organization's minimum share covers, with that seal. */
export const claimOfShare = (organization: Sharing): Claim => ({
  subject: 'least share',
  fields: leastShareOf(organization),
  seal: organization.policySeal,
})

/** Returns the organization with a sealed minimum share, for storing. */
export const withSealedShare = <Stored extends Sharing>(seals: Seals, organization: Stored): Stored => ({
  ...organization,
  policySeal: seals.seal('least share', leastShareOf(organization)),
})

/**
 * Returns the share of the input that must arrive, in basis points. The organization's own share counts below the
 * platform's only if it is sealed.
 */
export function shareBpsOf(seals: Seals, organization: Sharing | null): number {
  if (!organization) return defaultPolicy.minOutputBps
  const fields = leastShareOf(organization)
  const isBelieved = !isLenient(organization) || seals.isGood('least share', fields, organization.policySeal)
  return isBelieved ? fields.minOutputBps : defaultPolicy.minOutputBps
}

type Owner = Pick<DepositIntent, 'id' | 'organizationId' | 'userId'>
/** Fields that a seal covers, with the seal to check. */
export type Claim<Fields extends Sealable = Sealable> = {
  subject: SealSubject
  fields: Fields
  seal: string | null | undefined
}
type IntentClaim = Claim<Owner & Omit<IntentSnapshot, 'seal' | 'sealedAs'>>

/**
 * Returns the fields that the seal of an intent covers: owner, version, and every field that decides how a deposit is
 * routed.
 */
export function claimOfIntent(intent: DepositIntent): IntentClaim {
  const { id, organizationId, userId } = intent
  const { seal, ...claimed } = snapshotOf(intent)
  return { subject: 'intent', fields: { id, organizationId, userId, ...claimed }, seal }
}

/**
 * Returns the same claim for the intent that an execution keeps: the integrator's own values, for this deposit's
 * account, user and organization.
 */
export function claimOfExecution({ organizationId, userId, deposit, facts }: Sealed): IntentClaim | null {
  if (!facts.intent) return null
  const { seal, sealedAs, ...claimed } = facts.intent
  return { subject: 'intent', fields: { ...claimed, ...sealedAs, id: deposit.account, organizationId, userId }, seal }
}

type Sealed = Omit<Signable, 'id'>

/**
 * Whether an execution may depart from its sealed intent. There are two cases. Money that a bridge refunded pays no
 * second protocol fee. An operator may send unroutable money to the refund address that the intent itself names. In
 * both cases the money reaches only recipients that the integrator named.
 */
function mayDepart({ deposit, facts, refundOf, redriveOf }: Sealed): boolean {
  const { intent } = facts
  const names = Object.keys(intent?.sealedAs ?? {})
  if (!intent || names.length === 0) return true
  // The database states which fields changed after sealing. Only the fields in `departable` may be among them. The
  // refund address is never one of them.
  if (!names.every((name) => (departable as readonly string[]).includes(name))) return false
  if (intent.protocolFeeBps !== 0) return false
  if (names.length === 1 && names[0] === 'protocolFeeBps') return refundOf !== null || isRefund(deposit, intent)
  return redriveOf !== null && isRefund(deposit, intent)
}

/** Whether an operator requested a refund: the whole deposit goes to the refund address that the intent names. */
export const isOperatorRefund = ({ redriveOf, deposit, facts: { intent } }: Sealed): boolean =>
  redriveOf !== null && intent !== undefined && intent.protocolFeeBps === 0 && isRefund(deposit, intent)

/** Whether an execution sends the deposit to the refund address. */
const isRefund = (
  { chainId, token }: { chainId: number; token: Address },
  { refundAddress = null, targetAddress, targetChainId, targetTokenAddress }: IntentSnapshot,
): boolean =>
  refundAddress !== null && targetAddress === refundAddress && targetChainId === chainId && targetTokenAddress === token
