import { Elysia } from 'elysia'
import { chainKeyOf } from '../../domain/chain/chain'
import { pauseScopes } from '../../domain/tenant/pause-scope'
import type { ProviderHealth } from '../../ports/aggregator'
import type { Overdue } from '../../ports/overdue'
import type { Pause } from '../../ports/pauses'
import { concerns, organizationOf, shownScopeOf, standsAt } from '../operator/pause-scope'
import type { OperatorPorts } from '../operator/ports'
import { isoTime, isoTimeOrNull } from '../views/scalar'
import { everybody, memberSession, tenantOf } from './member-session'
import type { MemberPorts } from './ports'

type Ports = Pick<OperatorPorts, 'pauses' | 'providers' | 'overdue'>
type Known = { pauses: Pause[]; providers: ProviderHealth[]; things: Overdue[] }

const freshMs = 1_000
const ofChains = ['HEAD', 'SCANNER'] as const

/** What is the matter now, as far as it concerns whoever looks: at the head of every page. */
export function incidentRoutes(ports: MemberPorts & { operator: Ports }) {
  const { operator, now } = ports
  let last: { at: number; known: Promise<Known> } | null = null

  async function read(): Promise<Known> {
    const [pauses, providers, things] = await Promise.all([
      operator.pauses.changedSince(0),
      operator.providers(),
      operator.overdue.things(),
    ])
    return { pauses: pauses.filter((pause) => standsAt(pause, now())), providers, things }
  }

  /** Asked once a second however many pages are open. */
  const known = (): Promise<Known> => {
    if (last && last.at + freshMs > now()) return last.known
    const reading = read()
    last = { at: now(), known: reading }
    reading.catch(() => {
      last = null
    })
    return reading
  }

  return new Elysia()
    .use(memberSession(ports, everybody))
    .get('/incidents', async ({ seat }) => incidentsFor(tenantOf(seat), await known()))
}

/** @param tenant null: the platform's, who alone are told which provider it is, and of one that fails for some. */
function incidentsFor(tenant: string | null, { pauses, providers, things }: Known) {
  const isPaused = ({ provider }: ProviderHealth) => pauses.some(({ id }) => id === pauseScopes.provider(provider))
  const failing = providers.filter(({ healthy }) => !healthy)
  const felt = failing.filter((provider) => !isPaused(provider))
  const asked = providers.filter((provider) => !isPaused(provider))
  const away = felt.filter(({ isAway }) => isAway)
  const told = away.length > 0 || tenant !== null ? away : felt
  const since = Math.min(...told.map(({ failingSince }) => failingSince ?? Number.POSITIVE_INFINITY))
  return {
    pauses: pauses
      .filter((pause) => concerns(pause, { tenant }) && (tenant === null || !pause.id.startsWith('provider:')))
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .map((pause) => pauseView(pause, tenant)),
    routing:
      told.length === 0
        ? null
        : {
            state: stateOf(away.length, asked.length),
            since: Number.isFinite(since) ? isoTime(since) : null,
          },
    providers:
      tenant === null
        ? failing.map((provider) => ({
            provider: provider.provider,
            since: isoTimeOrNull(provider.failingSince),
            isRefused: provider.credentialsRefusedAt !== null,
            isPaused: isPaused(provider),
            isAway: provider.isAway,
          }))
        : [],
    chains: things.flatMap(({ kind, chainId, since, message }) =>
      chainId !== null && (ofChains as readonly string[]).includes(kind)
        ? [{ chainId, chainKey: chainKeyOf(chainId), kind, since: isoTime(since), message }]
        : [],
    ),
  }
}

/** DOWN: nobody is there to ask. PARTLY: who is not well is so for some pairs of tokens alone. */
const stateOf = (away: number, asked: number) =>
  away === 0 ? ('PARTLY' as const) : away === asked ? ('DOWN' as const) : ('SLOW' as const)
export type IncidentsView = ReturnType<typeof incidentsFor>

const pauseView = (pause: Pause, tenant: string | null) => ({
  scope: shownScopeOf(pause),
  reason: pause.reason,
  since: isoTime(pause.createdAt),
  until: isoTimeOrNull(pause.until),
  organizationId: tenant === null ? organizationOf(pause) : null,
})
