import { chainIds } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import { type DepositIntent, isSealedAgain } from '../domain/deposit/deposit-intent'
import type { Sighting } from '../domain/deposit/sighting'
import type { MarkedCollection } from '../domain/event-marks'
import type { Execution } from '../domain/execution/execution'
import type { ApiKey } from '../domain/tenant/api-key'
import { pauseScopes } from '../domain/tenant/pause-scope'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type { Executions } from '../ports/executions'
import type { QuotaWarnings } from '../ports/limits'
import type { PausePeriods } from '../ports/operators'
import type { HeldChanges, IntentHistory } from '../ports/tenants'
import { draftsOfExecution, draftsOfSighting } from './deposit-events'
import type { EventDraft } from './event-draft'
import { chainEvents, endpointEvents, heldEvent, intentEvent, keyEvents, quotaEvent } from './rare-events'

type Load<R> = { load(id: string): Promise<R | null> }
export type MarkedRecords = {
  executions: Pick<Executions, 'loadMany'>
  sightings: Load<Sighting>
  intents: Load<DepositIntent>
  intentHistory: Pick<IntentHistory, 'replaced' | 'versionsOf'>
  heldChanges: Pick<HeldChanges, 'requestedOf'>
  pausePeriods: PausePeriods
  quotaWarnings: Pick<QuotaWarnings, 'load'>
  apiKeys: Load<ApiKey>
  webhookEndpoints: Load<WebhookEndpoint>
}

/**
 * Largest number of replaced versions that are read for one intent. Each was stored within the seconds since the last
 * round.
 */
const versionsMax = 100

/** Makes the events of a record that was just stored, for the collections that change many times a second. */
export const draftsOfStored = {
  sightings: (record: object) => draftsOfSighting(record as Sighting),
  executions: (record: object) => draftsOfExecution(record as Execution),
} satisfies Partial<Record<MarkedCollection, (record: object) => EventDraft[]>>

type Drafts = (ids: readonly string[], since: number) => Promise<(readonly EventDraft[])[]>

/** Makes the events of each record of a list, whether or not they are in the log. */
const each =
  <R>(load: (id: string) => Promise<R | null>, draftsOf: (record: R) => EventDraft[]): Drafts =>
  async (ids) =>
    (await Promise.all(ids.map(load))).map((record) => (record ? draftsOf(record) : []))

async function intentDrafts({ intents, intentHistory }: MarkedRecords, id: string): Promise<EventDraft[]> {
  const current = await intents.load(id)
  if (!current) return []
  const replaced = await intentHistory.replaced(current.id, current.version, versionsMax)
  const versions = [current, ...replaced].toReversed()
  return versions.flatMap((intent, n) => {
    const previous = versions[n - 1] ?? null
    return previous && isSealedAgain(previous, intent) ? [] : [intentEvent({ intent, previous })]
  })
}

async function heldDrafts({ heldChanges, intentHistory }: MarkedRecords, id: string): Promise<EventDraft[]> {
  const changes = await heldChanges.requestedOf(id as Address)
  const versions = await intentHistory.versionsOf(changes.map(({ id, of: version }) => ({ id, version })))
  const byVersion = new Map(versions.map((one) => [one.intent.version, one]))
  const oldestFirst = changes.toSorted((a, b) => a.askedAt - b.askedAt)
  return oldestFirst.flatMap((change) => {
    const current = byVersion.get(change.of)
    return current ? [heldEvent(change, current)] : []
  })
}

/**
 * Returns, for each collection, the events of its records in the order in which they happened. A pause has the events
 * of all chains, including its planned end.
 */
export const draftsOf = (ports: MarkedRecords): Record<MarkedCollection, Drafts> => ({
  async executions(ids) {
    const records = await ports.executions.loadMany([...ids])
    const byId = new Map(records.map((record) => [record.id, record]))
    return ids.map((id) => (byId.has(id) ? draftsOfExecution(byId.get(id)!) : []))
  },
  sightings: each((id) => ports.sightings.load(id), draftsOfSighting),
  intents: (ids) => Promise.all(ids.map((id) => intentDrafts(ports, id))),
  heldChanges: (ids) => Promise.all(ids.map((id) => heldDrafts(ports, id))),
  async pauses(ids, since) {
    const periods = await ports.pausePeriods.since([pauseScopes.all, ...chainIds.map(pauseScopes.chain)], since)
    const drafts = chainEvents(periods).toSorted((a, b) => a.at - b.at)
    return ids.map(() => drafts)
  },
  async quotaWarnings(ids) {
    const warnings = new Map((await ports.quotaWarnings.load(ids)).map((one) => [one.id, one]))
    return ids.map((id) => (warnings.has(id) ? [quotaEvent(warnings.get(id)!)] : []))
  },
  apiKeys: each((id) => ports.apiKeys.load(id), keyEvents),
  webhookEndpoints: each((id) => ports.webhookEndpoints.load(id), endpointEvents),
})
