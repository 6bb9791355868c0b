import { Elysia } from 'elysia'
import { dateOf } from '../../domain/calendar'
import { type ChainKey, chainKeys, chains } from '../../domain/chain/chain'
import { computeUnitsOf } from '../../domain/limits/node-requests'
import { assurePlatform } from '../operator/access'
import { memberSession, operators, type SessionPorts } from './member-session'
import type { NodesBill } from './ports'

type Ports = SessionPorts & {
  nodesBill: NodesBill
}

const dayMs = 86_400_000
const daysShown = 14

type Methods = Readonly<Record<string, number>>

const requestsIn = (methods: Methods): number => Object.values(methods).reduce((sum, count) => sum + count, 0)
const computeUnitsIn = (methods: Methods): number =>
  Object.entries(methods).reduce((sum, [method, count]) => sum + count * computeUnitsOf(method), 0)

/** Returns the requests of all processes to the nodes of each chain, for each of the last days up to today. */
async function nodeRequestsView({ requests, budgets }: NodesBill, now: number) {
  const dates = Array.from({ length: daysShown }, (_, n) => dateOf(now - (daysShown - 1 - n) * dayMs))
  const days = await Promise.all(
    dates.map(async (date) => new Map((await requests.on(date)).map(({ chain, methods }) => [chain, methods]))),
  )
  const chainView = (chainKey: ChainKey) => {
    const each = days.map((day): Methods => day.get(chainKey) ?? {})
    return {
      chainId: chains[chainKey].id,
      chainKey,
      budget: budgets[chainKey],
      requests: each.map(requestsIn),
      computeUnits: each.map(computeUnitsIn),
      methods: Object.entries(each.at(-1)!)
        .map(([method, count]) => ({ method, requests: count, computeUnits: count * computeUnitsOf(method) }))
        .toSorted((one, other) => other.requests - one.requests || one.method.localeCompare(other.method)),
    }
  }
  return { days: dates, chains: chainKeys.map(chainView) }
}
export type NodeRequestsView = Awaited<ReturnType<typeof nodeRequestsView>>

/** Serves the requests to the chains' nodes, for the platform's operators, who pay for them. */
export const nodeRequestRoutes = (ports: Ports) =>
  new Elysia().use(memberSession(ports, operators)).get('/node-requests', async ({ session }) => {
    assurePlatform({ tenant: session.organization.isPlatform ? null : session.organization.id })
    return nodeRequestsView(ports.nodesBill, ports.now())
  })
