import type { DepositIntent } from '../domain/deposit/deposit-intent'
import type { DepositIntents } from '../ports/tenants'

/** The owner of a target; `id` is the deposit address. */
export type Owner = Pick<DepositIntent, 'id' | 'organizationId'>

/** Longest cycle of deposit addresses that is detected. Longer ones do not arise by mistake. */
const hopsMax = 8

/** Whether intents of the organization lead the money back to the deposit address. */
export async function leadsBack(
  intents: Pick<DepositIntents, 'load'>,
  { targetAddress }: Pick<DepositIntent, 'targetAddress'>,
  { id, organizationId }: Owner,
): Promise<boolean> {
  let at = targetAddress
  for (let hops = 0; hops < hopsMax && at !== id; hops++) {
    const intent = await intents.load(at)
    if (intent?.organizationId !== organizationId) return false
    at = intent.targetAddress
  }
  return at === id
}

/** Runs checks and writes of intents that pay deposit addresses one after another, per organization. */
export type Alone = <Result>(owner: Pick<Owner, 'organizationId'>, act: () => Promise<Result>) => Promise<Result>
