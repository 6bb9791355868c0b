import { hmacSeals } from '../../src/adapters/hmac-seals'
import type { DepositIntent, IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../src/domain/execution/execution'
import { claimOfExecution } from '../../src/domain/seals'
import type { VerifyIntent } from '../../src/ports/signer'

/** As the service has them, under a key of the tests. */
export const seals = hmacSeals([`0x${'5ea1'.repeat(16)}`])

/** For what is not about seals. */
export const anySeal = { ...seals, isGood: () => true }
export const anyIntent: VerifyIntent = async () => null

type Owner = Pick<Execution, 'organizationId' | 'userId'> & { deposit: { account: DepositIntent['id'] } }

/** The snapshot of an intent that the API has sealed for this owner. */
export function sealed(owner: Owner, intent: IntentSnapshot): IntentSnapshot {
  const { fields } = claimOfExecution({ ...owner, facts: { intent } } as Execution)!
  return { ...intent, seal: seals.seal('intent', fields) }
}
