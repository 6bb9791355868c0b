import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { claimOfExecution, isLenient, isSealed, type Seals, sealedForSaving, withSealedShare } from '../../domain/seals'
import { databaseUrl, withStore } from '../installation/database'
import { sealsWith } from '../installation/seals'

type Store = Pick<MongoStore, 'unsealed' | 'intents' | 'executions' | 'organizations'>
type SealCounts = { intents: number; executions: number; policies: number; wrong: string[] }

/**
 * Seals what was stored before seals existed: every intent without a seal, the intent that each unfinished execution
 * was matched with, and every policy whose share is below the platform's. It trusts what the database says, so it is
 * run once, when upgrading, by somebody who trusts it too. A wrong seal is reported and never replaced, because
 * somebody else may have written that intent.
 */
export async function sealAll(store: Store, seals: Seals) {
  const counts: SealCounts = { intents: 0, executions: 0, policies: 0, wrong: [] }
  for await (const intent of store.unsealed.intents()) {
    if (intent.seal && !isSealed(seals, intent)) counts.wrong.push(intent.id)
    if (!intent.seal && (await store.intents.save(sealedForSaving(seals, intent)))) counts.intents += 1
  }
  for await (const execution of store.unsealed.executions()) {
    const { fields } = claimOfExecution(execution)!
    const intent = { ...execution.facts.intent!, seal: seals.seal('intent', fields) }
    if (await store.executions.save({ ...execution, facts: { ...execution.facts, intent } })) counts.executions += 1
  }
  for (const organization of await store.organizations.all())
    if (!organization.policySeal && isLenient(organization))
      if (await store.organizations.save(withSealedShare(seals, organization))) counts.policies += 1
  return counts
}

/** @returns the exit code, which is 1 if a seal is wrong. Run it again to seal what was changed in the meantime. */
export async function sealIntents(): Promise<number> {
  const seals = sealsWith(process.env['INTENT_MAC_KEY'])
  const { intents, executions, policies, wrong } = await withStore(databaseUrl(), (store) => sealAll(store, seals))
  console.log(`${intents} intents, ${executions} executions and ${policies} policies were sealed.`)
  for (const id of wrong)
    console.error(`The intent of ${id} has a wrong seal: somebody else wrote it, or it was sealed under another key.`)
  return wrong.length > 0 ? 1 : 0
}
