import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { claimOfExecution } from '../../domain/deposit/sealed-intent'
import { isLenient, isSealed, type Seals, sealedForSaving, withSealedShare } from '../../ports/seals'
import { databaseUrl, withStore } from '../installation/database'
import { sealsWith } from '../installation/seals'

type Store = Pick<MongoStore, 'unsealed' | 'intents' | 'executions' | 'organizations'>
export type SealCounts = { intents: number; executions: number; policies: number; wrong: string[] }

/**
 * Seals what is older than seals: every intent that has none, the intent that each unfinished execution was matched
 * with, and every policy that asks for a smaller share than the platform's. It believes the database, so it is run
 * once, at the upgrade, by somebody who does. A wrong seal is named and left: nothing here makes somebody else's word
 * out of it.
 */
export async function sealAll(store: Store, seals: Seals) {
  const done: SealCounts = { intents: 0, executions: 0, policies: 0, wrong: [] }
  for await (const intent of store.unsealed.intents()) {
    if (intent.seal && !isSealed(seals, intent)) done.wrong.push(intent.id)
    if (!intent.seal && (await store.intents.save(sealedForSaving(seals, intent)))) done.intents += 1
  }
  for await (const execution of store.unsealed.executions()) {
    const { fields } = claimOfExecution(execution)!
    const intent = { ...execution.facts.intent!, seal: seals.seal('intent', fields) }
    if (await store.executions.save({ ...execution, facts: { ...execution.facts, intent } })) done.executions += 1
  }
  for (const organization of await store.organizations.all())
    if (!organization.policySeal && isLenient(organization))
      if (await store.organizations.save(withSealedShare(seals, organization))) done.policies += 1
  return done
}

/** @returns the exit code: 1 where a seal is wrong. What changed meanwhile is sealed by running it again. */
export async function sealIntents(): Promise<number> {
  const seals = sealsWith(process.env['INTENT_MAC_KEY'])
  const { intents, executions, policies, wrong } = await withStore(databaseUrl(), (store) => sealAll(store, seals))
  console.log(`${intents} intents, ${executions} executions and ${policies} policies are sealed now.`)
  for (const id of wrong)
    console.error(`The intent of ${id} has a wrong seal: somebody else wrote it, or it was sealed under another key.`)
  return wrong.length > 0 ? 1 : 0
}
