import { aged } from '../../domain/aged'
import { type ChainId, chainIds, chainKeyOf, isChainId } from '../../domain/chain/chain'
import { depositIdOfExecution } from '../../domain/deposit/deposit-stage'
import type { Sighting } from '../../domain/deposit/sighting'
import { confirmingDeadline, deadlineOf } from '../../domain/execution/deadline'
import type { Execution } from '../../domain/execution/execution'
import {
  boundMsOf,
  type Component,
  type Observation,
  type OverdueKind,
  overdueRow,
} from '../../domain/execution/overdue'
import type { ScanCursors } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Observations, Overdue, OverdueCount, OverdueNow } from '../../ports/observing'
import type { DepositQueries, ExecutionQueries } from '../../ports/queries'

export type OverduePorts = {
  executions: Pick<Executions, 'due'>
  executionQueries: Pick<ExecutionQueries, 'overdue' | 'countOverdue'>
  depositQueries: Pick<DepositQueries, 'list'>
  scanCursors: Pick<ScanCursors, 'load'>
  observations: Pick<Observations, 'all'>
  chains: Record<ChainId, { confirmations: number }>
  now: () => number
}

const listedMax = 200
const countedMax = 10_000
const freshMs = 2_000
/** After this time without a check, a component no longer exists, such as a relayer that was removed. */
const forgottenMs = 60 * 60_000

/** Lists what is overdue, from the database alone, so every process returns the same list. */
export function overdueNow(ports: OverduePorts): OverdueNow {
  const { executions, executionQueries, depositQueries, scanCursors, observations, chains, now } = ports

  async function confirming(organizationId: string | null): Promise<Overdue[]> {
    const createdTo = now() - boundMsOf('CONFIRMING', null)
    const filter = { organizationId, stage: ['CONFIRMING'] as const, createdTo }
    const depositRecords = await depositQueries.list(filter, { limit: listedMax })
    return depositRecords.flatMap(({ sighting }) => {
      if (!sighting || sighting.stage === 'UNSUPPORTED') return []
      // A stored chain might be missing from this release.
      const confirmations = chains[sighting.chainId]?.confirmations ?? 0
      const deadline = confirmingDeadline(sighting.chainId, sighting.detectedAt, confirmations)
      return deadline.by < now() ? [ofSighting(sighting, deadline)] : []
    })
  }

  /**
   * Lists overdue components that concern no single organization, from the processes' observations and from the
   * database itself.
   */
  async function components(): Promise<Overdue[]> {
    const [seen, [oldest], ...cursors] = await Promise.all([
      observations.all(),
      executions.due(now(), -1, 1),
      ...chainIds.map((id) => scanCursors.load(chainKeyOf(id))),
    ])
    const overdues = seen.flatMap((observation) => ofObservation(observation, now()))
    if (oldest) overdues.push(ofComponent(componentOf('WAKES'), oldest.dueAt))
    for (const [n, cursor] of cursors.entries())
      if (cursor) overdues.push(ofComponent({ ...componentOf('SCANNER'), chainId: chainIds[n]! }, cursor.updatedAt))
    return overdues.filter(({ by }) => by < now())
  }

  async function list(organizationId: string | null): Promise<Overdue[]> {
    const [late, seen, others] = await Promise.all([
      executionQueries.overdue({ organizationId }, now(), listedMax),
      confirming(organizationId),
      organizationId === null ? components() : [],
    ])
    // The deadline is computed again, because the stored one may come from another version of the table.
    const routed = late.flatMap((record) => ofExecution(record, now()))
    return [...others, ...seen, ...routed].toSorted((a, b) => a.by - b.by || (a.id < b.id ? -1 : 1))
  }

  async function counts(): Promise<OverdueCount[]> {
    const [counted, seen, others] = await Promise.all([
      executionQueries.countOverdue(now(), countedMax),
      confirming(null),
      components(),
    ])
    const groups = Map.groupBy([...seen, ...others], ({ kind, chainId }) => `${kind} ${chainId}`)
    const rest = [...groups.values()].map((rows) => ({
      kind: rows[0]!.kind,
      chainId: rows[0]!.chainId,
      count: rows.length,
    }))
    return [...counted, ...rest]
  }

  // Many viewers of a page cost no more than one.
  const shared = { now, forMs: freshMs, from: 'START' } as const
  return {
    list: aged(list, shared).get,
    components: aged(components, shared).get,
    counts: aged(counts, shared).get,
  }
}

const componentOf = (kind: OverdueKind): Component => ({ kind, chainId: null, provider: null, subject: null })

function messageOf(component: Component): Pick<Overdue, 'message' | 'advice'> {
  const { message, advice } = overdueRow(component.kind)
  const { chainId } = component
  const names = {
    chain: chainId && (isChainId(chainId) ? chainKeyOf(chainId) : `chain ${chainId}`),
    provider: component.provider,
    subject: component.subject,
  }
  return { message: message.replace(/\{(\w+)\}/g, (_, name) => names[name as keyof typeof names] ?? 'it'), advice }
}

const noOwner = { depositId: null, executionId: null, organizationId: null }

function ofComponent(
  component: Component,
  since: number,
  by = since + boundMsOf(component.kind, component.chainId),
): Overdue {
  const { kind, chainId, provider, subject } = component
  const id = [kind, chainId, provider, subject].filter((part) => part !== null).join(':')
  return { id, ...component, ...noOwner, ...messageOf(component), since, by }
}

function ofObservation({ okAt, at, id: _, ...component }: Observation, now: number): Overdue[] {
  switch (overdueRow(component.kind).source) {
    case 'HEARTBEAT':
      // A chain that this release no longer has needs none.
      return component.chainId === null || isChainId(component.chainId) ? [ofComponent(component, okAt)] : []
    case 'EVENT':
      return now - at < boundMsOf(component.kind, component.chainId) ? [ofComponent(component, at, at)] : []
    default:
      return now - at < forgottenMs && okAt < at ? [ofComponent(component, okAt)] : []
  }
}

function ofExecution(record: Execution, now: number): Overdue[] {
  const deadline = deadlineOf(record)
  if (!deadline || deadline.by >= now) return []
  const { id, organizationId, deposit, facts } = record
  const component = {
    kind: deadline.kind,
    chainId: deposit.chainId,
    provider: facts.route?.provider ?? null,
    subject: null,
  }
  const isShown = record.createdAt !== null
  return [
    {
      ...component,
      ...messageOf(component),
      id: `${deadline.kind}:${id}`,
      depositId: depositIdOfExecution(id),
      executionId: isShown ? id : null,
      organizationId,
      since: deadline.since,
      by: deadline.by,
    },
  ]
}

function ofSighting(
  sighting: Sighting,
  { kind, since, by }: { kind: OverdueKind; since: number; by: number },
): Overdue {
  const { id, chainId, organizationId } = sighting
  const component = { kind, chainId, provider: null, subject: null }
  return {
    ...component,
    ...messageOf(component),
    id: `${kind}:${id}`,
    depositId: id,
    executionId: null,
    organizationId,
    since,
    by,
  }
}
