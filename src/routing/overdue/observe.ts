import { type ChainId, chainIds } from '../../domain/chain/chain'
import {
  delegatedNow,
  inFlight,
  type Relayer,
  relayerNeed,
  unusedRelayer,
  usualOrder,
} from '../../domain/chain/relayer'
import {
  boundMsOf,
  type Component,
  type Observation,
  type OverdueKind,
  observationId,
} from '../../domain/execution/overdue'
import type { ChainClient } from '../../ports/chain-client'
import type { ProviderHealth } from '../../ports/gate'
import type { Observations } from '../../ports/observing'
import type { DepositQueries } from '../../ports/queries'
import type { Records } from '../../ports/records'
import type { RelayerAddress, Relayers } from '../../ports/signer'

type Chain = Pick<ChainClient, 'head' | 'fee' | 'nativeBalance' | 'minedNonces' | 'isDelegated'>
export type PollPorts = {
  chains: Record<ChainId, Chain>
  relayers: Pick<Relayers, 'onChain'>
  relayerRecords: Records<Relayer>
  depositQueries: Pick<DepositQueries, 'list'>
  providerHealth: () => Promise<ProviderHealth[]>
  observations: Observations
  now: () => number
  onTrouble: (what: string, error: unknown) => void
}

/**
 * Check interval of a healthy component; an unhealthy one is checked every 30 seconds. A process that watches a chain
 * records its head more often than this.
 */
const headEveryMs = 100_000
const gasEveryMs = 5 * 60_000
const webhookEveryMs = 5 * 60_000
const againMs = 30_000
const hourMs = 60 * 60_000
/** A provider that got no request for this long counts as neither healthy nor failing. */
const queriedMs = 10 * 60_000
const depositsMax = 100
/** A webhook that misses this many deposits in a row counts as silent. */
const silentLeast = 5

/** One round of checks, with the observations as stored when it began. */
type ObservingPorts = Pick<PollPorts, 'depositQueries' | 'providerHealth' | 'observations' | 'now' | 'onTrouble'> & {
  recorded: ReadonlyMap<string, Observation>
}

/**
 * Checks the components that report nothing while healthy, and records the result for every process. When idle, this
 * costs each chain's node two requests every five minutes, two more for each relayer, and the database one page of
 * deposits. The head of a chain is also fetched while no process watches the chain.
 */
export function observeComponents(ports: PollPorts): () => Promise<void> {
  const { relayers, depositQueries, providerHealth, observations, now, onTrouble } = ports
  const webhooks = webhookLooks()

  return async () => {
    const recorded = new Map((await observations.all()).map((observation) => [observation.id, observation]))
    const observing = { depositQueries, providerHealth, observations, now, onTrouble, recorded }
    await Promise.all([
      ...chainIds.map((id) => expectObservation(observing, componentOn('SWEEP', id))),
      ...chainIds.map((id) => poll(observing, componentOn('HEAD', id), headEveryMs, (at) => headOf(ports, id, at))),
      ...chainIds.flatMap((id) =>
        relayers.onChain(id).flatMap((relayer) => {
          const ofRelayer = (kind: OverdueKind) => ({ ...componentOn(kind, id), subject: relayer.address })
          const each = (at: number) => ({ id, relayer, at })
          return [
            poll(observing, ofRelayer('RELAYER_GAS'), gasEveryMs, (at) => gasOf(ports, each(at))),
            poll(observing, ofRelayer('RELAYER_DELEGATED'), gasEveryMs, (at) => delegationOf(ports, each(at))),
          ]
        }),
      ),
      providers(observing).catch((error) => onTrouble('checking the providers', error)),
      webhooks(observing).catch((error) => onTrouble('checking the webhooks', error)),
    ])
  }
}

/** Records a component that must report regularly, so it becomes overdue even if it never reports. */
async function expectObservation({ recorded, observations, now }: ObservingPorts, component: Component): Promise<void> {
  if (!recorded.has(observationId(component))) await observations.note(component, now(), null)
}

/** `okAt`: time when it was last seen healthy; null if it is unhealthy. */
type PollResult = { okAt: number | null; balanceRaw?: bigint }

/** @param see Gets the time of the check. The result must be based on that time. */
async function poll(
  observing: ObservingPorts,
  component: Component,
  everyMs: number,
  see: (at: number) => Promise<PollResult>,
): Promise<void> {
  const { recorded, observations, now, onTrouble } = observing
  const observation = recorded.get(observationId(component))
  if (observation && observation.at + (isWell(observation) ? everyMs : againMs) > now()) return
  try {
    const at = now()
    const { okAt, balanceRaw } = await see(at)
    await observations.note(component, at, okAt, balanceRaw)
  } catch (error) {
    onTrouble(`checking ${observationId(component)}`, error)
  }
}

async function headOf({ chains }: PollPorts, chainId: ChainId, at: number): Promise<PollResult> {
  const head = await chains[chainId].head(againMs).catch(() => null)
  return { okAt: head && Math.min(head.time * 1_000, at) }
}

type Fuelled = { id: ChainId; relayer: RelayerAddress; at: number }

async function gasOf(ports: PollPorts, { id: chainId, relayer: { id, address }, at }: Fuelled): Promise<PollResult> {
  const chain = ports.chains[chainId]
  const [balanceRaw, { feeCap }, record] = await Promise.all([
    chain.nativeBalance(address),
    chain.fee(),
    ports.relayerRecords.load(id),
  ])
  const mined = record && inFlight(record).length > 0 ? await chain.minedNonces(address) : 0
  return { okAt: balanceRaw >= relayerNeed(record, mined, feeCap, usualOrder) ? at : null, balanceRaw }
}

/** The delegation state of a key on the chain decides how many of its transactions are under way at a time. */
async function delegationOf({ chains, relayerRecords }: PollPorts, { id, relayer, at }: Fuelled): Promise<PollResult> {
  const isDelegated = await chains[id].isDelegated(relayer.address)
  const record = (await relayerRecords.load(relayer.id)) ?? unusedRelayer(relayer.id)
  if ((record.isDelegated ?? false) !== isDelegated) await relayerRecords.save(delegatedNow(record, isDelegated))
  return { okAt: isDelegated ? null : at }
}

/** Makes the check of the webhooks, which runs every few minutes. */
function webhookLooks() {
  let lookedAt = Number.NEGATIVE_INFINITY

  /**
   * A webhook that never reported anything counts as not configured. A webhook that reported before and no longer does
   * has fallen silent.
   */
  return async ({ recorded, observations, depositQueries, now }: ObservingPorts): Promise<void> => {
    const isBad = [...recorded.values()].some((observation) => observation.kind === 'WEBHOOK' && !isWell(observation))
    if (lookedAt + (isBad ? againMs : webhookEveryMs) > now()) return
    lookedAt = now()
    const filter = { organizationId: null, createdFrom: now() - hourMs }
    const recent = await depositQueries.list(filter, { limit: depositsMax })
    for (const chainId of chainIds) {
      const component = componentOn('WEBHOOK', chainId)
      const here = recent.flatMap(({ execution }) =>
        execution?.deposit.chainId === chainId && execution.deposit.txHash !== null ? [execution.deposit] : [],
      )
      const newest = here.slice(0, silentLeast)
      if (newest.some(({ detectedBy }) => detectedBy.includes('WEBHOOK')))
        await observations.note(component, now(), now())
      else if (newest.length === silentLeast && recorded.has(observationId(component)))
        await observations.note(component, now(), null)
    }
  }
}

const providers = async (observing: ObservingPorts) =>
  Promise.all(
    (await observing.providerHealth()).flatMap((health) => {
      const { credentialsRefusedAt, unreadable, failingSince, failsBetween } = health
      const failsSince = failingSince ?? failsBetween[0]?.since ?? observing.now()
      return [
        lasts(observing, 'PROVIDER_REFUSES', health, credentialsRefusedAt),
        lasts(observing, 'PROVIDER_UNREADABLE', health, unreadable === null ? null : failsSince),
        rests(observing, health),
      ]
    }),
  )

/** A refusal of our credentials or an unreadable response of a provider is shared, so every process records it. */
async function lasts(
  { recorded, observations, now }: ObservingPorts,
  kind: OverdueKind,
  { provider }: ProviderHealth,
  since: number | null,
): Promise<void> {
  const component: Component = { kind, chainId: null, provider, subject: null }
  const observation = recorded.get(observationId(component))
  if (since !== null) await observations.note(component, now(), Math.min(since, now() - 1))
  else if (observation && !isWell(observation)) await observations.note(component, now(), now())
}

/**
 * Records whether a provider is shut, as this process sees it. A process without a recent request to the provider
 * records nothing. If no process has checked a shut provider for long, it records the end instead.
 */
async function rests({ recorded, observations, now }: ObservingPorts, health: ProviderHealth): Promise<void> {
  const { provider, breaker, updatedAt, credentialsRefusedAt, unreadable } = health
  const component: Component = { kind: 'PROVIDER_RESTS', chainId: null, provider, subject: null }
  const observation = recorded.get(observationId(component))
  const isQueried = updatedAt !== null && updatedAt + queriedMs > now()
  const isForgotten = observation !== undefined && !isWell(observation) && observation.at + queriedMs <= now()
  const isResting = breaker !== 'CLOSED' && credentialsRefusedAt === null && unreadable === null
  // After a long time without a check, it is unknown when the provider was shut, so the time counts from now.
  const isSeen = observation !== undefined && observation.at + queriedMs > now()
  if (isQueried && isResting) await observations.note(component, now(), isSeen ? null : now())
  else if (isQueried || isForgotten) await observations.note(component, now(), now())
}

const isWell = ({ okAt, at, kind, chainId }: Observation): boolean => okAt + boundMsOf(kind, chainId) >= at
const componentOn = (kind: OverdueKind, chainId: ChainId): Component => ({
  kind,
  chainId,
  provider: null,
  subject: null,
})
