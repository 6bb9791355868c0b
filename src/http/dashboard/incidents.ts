import { Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { betweenChains, chainKeyOf, isChainId } from '../../domain/chain/chain'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import type { WebhookEndpoint } from '../../domain/webhook/endpoint'
import type { ProviderHealth } from '../../ports/gate'
import type { Overdue } from '../../ports/observing'
import type { Pause } from '../../ports/operators'
import type { WebhookEndpoints } from '../../ports/webhooks'
import { concerns, isInForce, isOwn, organizationOf, pauseVersionOf, publicScopeOf } from '../operator/pause-scope'
import type { OperatorPorts } from '../operator/ports'
import { isoTime, isoTimeOrNull } from '../views/scalar'
import { everybody, memberSession, type SessionPorts, tenantOf } from './member-session'

type Ports = SessionPorts & {
  webhookEndpoints: WebhookEndpoints
  operator: Pick<OperatorPorts, 'pauses' | 'providers' | 'overdue'>
}

type IncidentSources = { pauses: Pause[]; providers: ProviderHealth[]; components: Overdue[] }

const freshMs = 1_000
const ofChains = ['HEAD', 'SCANNER'] as const

/** Serves the current incidents that concern the viewer. Every page shows them at its head. */
export function incidentRoutes(ports: Ports) {
  const { operator, now } = ports

  async function read(): Promise<IncidentSources> {
    const [pauses, providers, components] = await Promise.all([
      operator.pauses.changedSince(0),
      operator.providers(),
      operator.overdue.components(),
    ])
    return { pauses: pauses.filter((pause) => isInForce(pause, now())), providers, components }
  }

  // Reads at most once a second, however many pages are open.
  const cached = aged(read, { now, forMs: freshMs, from: 'START' })

  return new Elysia().use(memberSession(ports, everybody)).get('/incidents', async ({ session }) => ({
    ...incidentsFor(tenantOf(session), session.organization, await cached.get()),
    endpoints: (await ports.webhookEndpoints.ofOrganization(session.organization.id)).flatMap(disabledView),
  }))
}

/** An endpoint that the service disabled, until a member enables, changes or deletes it. */
function disabledView({ id, url, enabled, disabledReason, disablings }: WebhookEndpoint) {
  if (enabled || disabledReason === null || disabledReason === 'BY_REQUEST') return []
  return [{ id, host: new URL(url).host, reason: disabledReason, since: isoTimeOrNull(disablings?.at(-1)?.at ?? null) }]
}

/** @param tenant Null for the platform's operators. Only they see which provider fails, and partial failures. */
function incidentsFor(tenant: string | null, here: { id: string }, { pauses, providers, components }: IncidentSources) {
  const isPaused = ({ provider }: ProviderHealth) => pauses.some(({ id }) => id === pauseScopes.provider(provider))
  const failing = providers.filter(({ healthy, failsBetween }) => !healthy || failsBetween.length > 0)
  const affected = failing.filter((provider) => !isPaused(provider))
  const inUse = providers.filter((provider) => !isPaused(provider))
  const away = affected.filter(({ isAway }) => isAway)
  const reported = away.length > 0 || tenant !== null ? away : affected
  const since = Math.min(...reported.map((provider) => sinceOf(provider) ?? Number.POSITIVE_INFINITY))
  return {
    pauses: pauses
      .filter((pause) => concerns(pause, { tenant }) && (tenant === null || !pause.id.startsWith('provider:')))
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .map((pause) => pauseView(pause, tenant, here)),
    routing:
      reported.length === 0
        ? null
        : {
            state: stateOf(away.length, inUse.length),
            since: Number.isFinite(since) ? isoTime(since) : null,
          },
    providers:
      tenant === null
        ? failing.map((provider) => ({
            provider: provider.provider,
            since: isoTimeOrNull(sinceOf(provider)),
            failsBetween: provider.failsBetween.map(betweenChains),
            isRefused: provider.credentialsRefusedAt !== null,
            isPaused: isPaused(provider),
            isAway: provider.isAway,
          }))
        : [],
    chains: components.flatMap(({ kind, chainId, since, message }) =>
      chainId !== null && isChainId(chainId) && (ofChains as readonly string[]).includes(kind)
        ? [{ chainId, chainKey: chainKeyOf(chainId), kind, since: isoTime(since), message }]
        : [],
    ),
  }
}

/** Returns since when it has failed, as a whole or for some chains. */
const sinceOf = ({ failingSince, failsBetween }: ProviderHealth): number | null =>
  failingSince ?? failsBetween.map(({ since }) => since).toSorted((a, b) => a - b)[0] ?? null

/** DOWN: no provider responds. SLOW: some do not. PARTLY: all respond, but some fail for some tokens or chains. */
const stateOf = (away: number, inUse: number) =>
  away === 0 ? ('PARTLY' as const) : away === inUse ? ('DOWN' as const) : ('SLOW' as const)
export type IncidentsView = ReturnType<typeof incidentsFor> & { endpoints: ReturnType<typeof disabledView> }

const pauseView = (pause: Pause, tenant: string | null, here: { id: string }) => ({
  scope: publicScopeOf(pause),
  isOwn: isOwn(pause, here),
  version: pauseVersionOf(pause, { tenant }),
  reason: pause.reason,
  since: isoTime(pause.createdAt),
  until: isoTimeOrNull(pause.until),
  organizationId: tenant === null ? organizationOf(pause) : null,
})
