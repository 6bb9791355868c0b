import { hmacSeals } from '../../src/adapters/hmac-seals'
import type { DepositIntent, IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../src/domain/execution/execution'
import { claimOfExecution } from '../../src/domain/seals'
import type { VerifyIntent } from '../../src/ports/signer'

/** The service's seals, with a test key. */
export const seals = hmacSeals([`0x${'5ea1'.repeat(16)}`])

/** Accepts every seal. For tests of other subjects. */
export const anySeal = { ...seals, isGood: () => true }
export const anyIntent: VerifyIntent = async () => null

type Owner = Pick<Execution, 'organizationId' | 'userId'> & { deposit: { account: DepositIntent['id'] } }

/** Returns the intent's snapshot as the API seals it for this owner. */
export function sealed(owner: Owner, intent: IntentSnapshot): IntentSnapshot {
  const { fields } = claimOfExecution({ ...owner, facts: { intent } } as Execution)!
  return { ...intent, seal: seals.seal('intent', fields) }
}
