import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hmacSeals } from '../../adapters/hmac-seals'
import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { isIntentMacKey } from '../../app/config/config-keys'
import type { Hex } from '../../domain/chain/hex'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import type { Execution } from '../../domain/execution/execution'
import {
  type Claim,
  claimOfExecution,
  claimOfIntent,
  claimOfShare,
  isLenient,
  isSealed,
  type Seals,
  sealedForSaving,
  withSealedShare,
} from '../../domain/seals'
import type { Organization } from '../../domain/tenant/organization'
import { appendAudit } from '../installation/audit'
import { databaseUrl, withStore } from '../installation/database'
import { sealsWith } from '../installation/seals'
import { Failure } from '../terminal/failure'

type Store = Pick<MongoStore, 'unsealed' | 'intents' | 'executions' | 'organizations'>
type SealCounts = { intents: number; executions: number; policies: number; wrong: string[] }

/**
 * Seals what was stored before seals existed: every intent without a seal, the matched intent of each unfinished
 * execution, and every policy with a share below the platform's. It trusts the database, so an operator who trusts it
 * too runs it once, when upgrading. A wrong seal is reported and never replaced, because an attacker might have written
 * that intent.
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

/** @returns the exit code: 1 if a seal is wrong. Run it again to seal later changes. */
export async function sealIntents(): Promise<number> {
  const seals = sealsWith(process.env['INTENT_MAC_KEY'])
  const { intents, executions, policies, wrong } = await withStore(databaseUrl(), (store) => sealAll(store, seals))
  console.log(`${intents} intents, ${executions} executions and ${policies} policies were sealed.`)
  for (const id of wrong)
    console.error(`The intent of ${id} has a wrong seal: it was tampered with, or sealed under another key.`)
  return wrong.length > 0 ? 1 : 0
}

type ResealStore = Pick<MongoStore, 'unsealed' | 'intents' | 'executions' | 'organizations' | 'auditLog' | 'time'>
/** The same database before the key leaked. */
type Backup = Pick<MongoStore, 'intents' | 'executions' | 'organizations'>
type Kind = 'intent' | 'execution' | 'policy'

/** A record backed by the leaked key alone. Its supposed author has to confirm it. */
export type Doubt = {
  kind: Kind
  id: string
  organizationId: string
  /** Identifies exactly this content. A line in the file of confirmed doubts confirms it. */
  fingerprint: string
  says: object
  /** The content in the backup; null if it was not there. */
  said: object | null
  /** The last entry of the audit log about it. An attacker who writes to the database could have written that too. */
  audited: string | null
}

type Settings = {
  /** The seals of the new key alone. */
  next: Seals
  /** The seals of the new key and the leaked ones. */
  any: Seals
  backup: Backup | null
  /** Lines of an earlier report that an operator has confirmed. */
  confirmed: readonly Pick<Doubt, 'kind' | 'id' | 'fingerprint'>[]
  /** If false, nothing is written. */
  isApplied: boolean
}

/** A sealed record: the claim that its seal covers, and how to seal it again. */
type Sealed = { kind: Kind; id: string; organizationId: string; claim: Claim; reseal: () => Promise<unknown> }

/**
 * Seals under a new key what is sealed under a leaked one. A seal of the leaked key proves nothing, so each record
 * needs other evidence. That is the same content in an earlier backup, its intent sealed under the new key since then,
 * or an operator's confirmation of exactly this content. A record without evidence stays unchanged and is reported.
 * Safe to run beside the service, to interrupt and to rerun.
 */
export async function resealAll(store: ResealStore, { next, any, backup, confirmed, isApplied }: Settings) {
  const counts = { good: 0, intents: 0, executions: 0, policies: 0 }
  const doubts: Doubt[] = []
  const wrong: string[] = []
  /** Records that changed during the run. */
  const missed: string[] = []
  const names = { intent: 'intents', execution: 'executions', policy: 'policies' } as const

  /** @param evidence Versions of the content that do not depend on the leaked key. */
  async function consider({ kind, id, organizationId, claim, reseal }: Sealed, evidence: readonly (object | null)[]) {
    if (next.isGood(claim.subject, claim.fields, claim.seal)) counts.good += 1
    else if (!any.isGood(claim.subject, claim.fields, claim.seal)) wrong.push(`${kind} ${id}`)
    else {
      const fingerprint = fingerprintOf(claim.fields)
      const isConfirmed = confirmed.some(
        (each) => each.kind === kind && each.id === id && each.fingerprint === fingerprint,
      )
      if (!isConfirmed && !evidence.some((words) => isSame(words, claim.fields))) {
        const said = evidence.find((words) => words !== null) ?? null
        const audited = await lastAudited(store, kind === 'intent' ? id : null)
        doubts.push({ kind, id, organizationId, fingerprint, says: claim.fields, said, audited })
        return
      }
      if (!isApplied) counts[names[kind]] += 1
      else {
        const details = { kind, by: isConfirmed ? 'CONFIRMATION' : 'EVIDENCE', fingerprint }
        await appendAudit(store, { organizationId, verb: 'intent.reseal', target: id, details })
        if (await reseal()) counts[names[kind]] += 1
        else missed.push(`${kind} ${id}`)
      }
    }
  }
  /** Returns the content of a record in the backup, if its seal was good then. */
  const wordsOf = (claim: Claim | null): object | null =>
    claim && any.isGood(claim.subject, claim.fields, claim.seal) ? claim.fields : null
  const inBackup = async (id: DepositIntent['id']) => {
    const intent = backup && (await backup.intents.load(id))
    return intent ? wordsOf(claimOfIntent(intent)) : null
  }

  for await (const intent of store.unsealed.intents()) {
    const reseal = () => store.intents.save(sealedForSaving(next, intent))
    await consider({ ...intent, kind: 'intent', claim: claimOfIntent(intent), reseal }, [await inBackup(intent.id)])
  }
  for await (const execution of store.unsealed.routable()) {
    const claim = claimOfExecution(execution)!
    const seal = next.seal('intent', claim.fields)
    const reseal = () => store.executions.save(withSeal(execution, seal))
    const before = backup && (await backup.executions.load(execution.id))
    const intent = await store.intents.load(execution.deposit.account)
    const isNew = intent && next.isGood('intent', claimOfIntent(intent).fields, intent.seal)
    await consider({ ...execution, kind: 'execution', claim, reseal }, [
      before && wordsOf(claimOfExecution(before)),
      await inBackup(execution.deposit.account),
      isNew ? claimOfIntent(intent).fields : null,
    ])
  }
  for (const organization of await store.organizations.all()) {
    if (!isLenient(organization)) continue
    const before = backup && (await backup.organizations.load(organization.id))
    const reseal = () => store.organizations.save(withSealedShare<Organization>(next, organization))
    const about = { kind: 'policy', id: organization.id, organizationId: organization.id } as const
    await consider({ ...about, claim: claimOfShare(organization), reseal }, [before && wordsOf(claimOfShare(before))])
  }
  return { ...counts, doubts, wrong, missed }
}

const withSeal = (execution: Execution, seal: string): Execution => ({
  ...execution,
  facts: { ...execution.facts, intent: { ...execution.facts.intent!, seal } },
})

const entriesOf = (fields: object) => Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
const fingerprintOf = (fields: object): string =>
  createHash('sha256')
    .update(JSON.stringify(entriesOf(fields)))
    .digest('hex')
    .slice(0, 32)

/** Whether two records have the same content, ignoring their versions. */
function isSame(one: object | null, other: object): boolean {
  const words = (fields: object) => JSON.stringify(entriesOf(fields).filter(([name]) => name !== 'version'))
  return one !== null && words(one) === words(other)
}

async function lastAudited({ auditLog }: Pick<MongoStore, 'auditLog'>, target: string | null): Promise<string | null> {
  if (!target) return null
  const [entry] = await auditLog.list({ target, organizationId: null }, { limit: 1 })
  return entry ? `${new Date(entry.at).toISOString()} ${entry.verb} by ${entry.actor.kind} ${entry.actor.id}` : null
}

type Options = { backup?: string; confirmed?: string; apply?: true }

/** @returns the exit code: 1 while a record is in doubt or has a wrong seal. */
export async function resealIntents({ backup, confirmed, apply }: Options): Promise<number> {
  const given = process.env['INTENT_MAC_KEY'] ?? ''
  const keys = given.split(',') as Hex[]
  if (!isIntentMacKey(given) || keys.length < 2)
    throw new Failure('INTENT_MAC_KEY must be the new key, a comma, and the key that leaked.')
  const settings = {
    next: hmacSeals(keys.slice(0, 1)),
    any: hmacSeals(keys),
    confirmed: confirmed ? linesOf(confirmed) : [],
    isApplied: apply === true,
  }
  const results = await withStore(databaseUrl(), (store) =>
    backup
      ? withStore(backup, (before) => resealAll(store, { ...settings, backup: before }))
      : resealAll(store, { ...settings, backup: null }),
  )
  const { good, intents, executions, policies, doubts, wrong, missed } = results
  for (const doubt of doubts) console.log(JSON.stringify(doubt))
  const what = `${intents} intents, ${executions} executions and ${policies} policies`
  console.error(`${what} ${apply ? 'were' : 'can be'} sealed under the new key; ${good} already were.`)
  if (doubts.length > 0)
    console.error(`${doubts.length} are in doubt and unchanged. Each is a line of the output, for you to confirm.`)
  for (const name of wrong) console.error(`The seal of ${name} is wrong under every key. Nothing is signed for it.`)
  for (const name of missed) console.error(`${name} changed during the run: run this again.`)
  return doubts.length + wrong.length + missed.length > 0 ? 1 : 0
}

function linesOf(path: string): Doubt[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as Doubt)
  } catch {
    throw new Failure(`${path} is not a file of lines printed by an earlier run.`)
  }
}
