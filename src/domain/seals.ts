import type { DepositIntent } from './deposit/deposit-intent'
import { claimOfExecution, claimOfIntent, mayDepart } from './deposit/sealed-intent'
import type { Execution } from './execution/execution'
import { type Candidate, defaultPolicy, type Route } from './execution/route'
import type { WorthApproval } from './money/worth-approval'
import type { Organization } from './tenant/organization'
import { policyWith } from './tenant/policy-overrides'

/** What a seal speaks of. One that was made for something else is none. */
export type SealSubject = 'intent' | 'worth approval' | 'offer' | 'least share'

/** What can be sealed: every field counts, and its place does not. */
export type Sealable = Readonly<Record<string, string | number | boolean | null>>

/**
 * Marks what was decided by somebody who had shown who he is, under a key that the database never sees: who writes into
 * the database can take a decision away or put an earlier one back, but cannot make one. It is a pure function of the
 * key and the fields, which is why it stands here with the rules for what is sealed and is no port.
 */
export interface Seals {
  /** @throws {TypeError} for a field that is no plain value: nothing is left out of a seal in silence. */
  seal(subject: SealSubject, fields: Sealable): string
  /** Never throws: what cannot have been sealed was not. */
  isGood(subject: SealSubject, fields: object, seal: unknown): boolean
}

/** The intent as the next write stores it, sealed. */
export const sealedForSaving = (seals: Seals, intent: DepositIntent): DepositIntent => {
  const { fields } = claimOfIntent({ ...intent, version: intent.version + 1 })
  return { ...intent, seal: seals.seal('intent', fields) }
}

export const isSealed = (seals: Seals, intent: DepositIntent): boolean => {
  const { fields, seal } = claimOfIntent(intent)
  return seals.isGood('intent', fields, seal)
}

/** What is wrong with where a deposit is to go, in a sentence for the log; null when the integrator said just that. */
export function intentObjection(seals: Seals, execution: Execution): string | null {
  const claim = claimOfExecution(execution)
  if (!claim) return 'There is no intent'
  if (!seals.isGood('intent', claim.fields, claim.seal))
    return claim.seal
      ? 'The intent is not what the integrator gave'
      : 'The intent carries no seal: "intents seal" has not been run, or somebody took it away'
  return mayDepart(execution) ? null : 'The execution departs from its intent for no reason that there is'
}

/** Good for this execution alone, and for this amount. */
export function sealedApproval(
  seals: Seals,
  executionId: string,
  approval: Omit<WorthApproval, 'seal'>,
): WorthApproval {
  return { ...approval, seal: seals.seal('worth approval', { executionId, ...approval }) }
}

type Quoted = { executionId: string; amountIn: string }

const offerOf = (quoted: Quoted, { provider, amountOutMin, amountOutExpected, quotedAt }: Candidate) => ({
  ...quoted,
  provider,
  amountOutMin,
  amountOutExpected,
  quotedAt,
})

/** What providers were heard to offer, which may stand in for a price: of this execution alone, and for this amount. */
export const sealedOffers = (
  seals: Seals,
  executionId: string,
  { route, candidates }: { route: Route; candidates: readonly Candidate[] },
): Candidate[] =>
  candidates.map((each) => ({
    ...each,
    seal: seals.seal('offer', offerOf({ executionId, amountIn: route.amountIn }, each)),
  }))

/** The execution without an approval that no operator gave, and without offers that no provider was heard to make. */
export function withoutForgedWorth(seals: Seals, execution: Execution): Execution {
  const { worthApproval, candidates = [], ...facts } = execution.facts
  const { id: executionId } = execution
  const quoted = { executionId, amountIn: facts.route?.amountIn ?? '' }
  const heard = candidates.filter((each) => seals.isGood('offer', offerOf(quoted, each), each.seal))
  return {
    ...execution,
    facts: {
      ...facts,
      candidates: heard,
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

/** The organization as it is stored with a share below the platform's. */
export const withSealedShare = <Kept extends Sharing>(seals: Seals, organization: Kept): Kept => ({
  ...organization,
  policySeal: seals.seal('least share', leastShareOf(organization)),
})

/** The share of what goes in that must arrive: its own, which is below the platform's only where that was sealed. */
export function shareBpsOf(seals: Seals, organization: Sharing | null): number {
  if (!organization) return defaultPolicy.minOutputBps
  const fields = leastShareOf(organization)
  const isBelieved = !isLenient(organization) || seals.isGood('least share', fields, organization.policySeal)
  return isBelieved ? fields.minOutputBps : defaultPolicy.minOutputBps
}
