import { atOnce, atOnceOfTenant } from '../domain/webhook/delivery'
import { endpointsMax, isActive, type WebhookEndpoint } from '../domain/webhook/endpoint'
import { disabledNotices, type NoticePorts } from './disabled-notices'
import { type EndpointRun, endpointRun } from './endpoint-run'
import type { AttemptPermits, Capacity, RunPorts } from './run-ports'

/** A change of an endpoint is stored within this time after its timestamp. */
const changedLateMs = 60_000
/** A wider range is read periodically, because a change that was stored later still would never be noticed. */
const wide = { everyMs: 30_000, lateMs: 15 * 60_000 } as const
/** Number of endpoints acquired per tick, so processes that start together share them. */
const takenMax = 50

/** The permits that are not reserved for single endpoints and that the endpoints of an organization share. */
const sharedMax = atOnceOfTenant - endpointsMax * atOnce.failing

/** Unstored events are held in memory. */
const heldMax = 50_000

function capacityFor(max: number): Capacity {
  let held = 0
  return {
    take(): boolean {
      if (held >= max) return false
      held += 1
      return true
    },
    free(count: number): void {
      held -= count
    },
  }
}

type RunLoad = { count: number; isQuick: boolean }

/**
 * Counts the attempts that each organization has under way in this process. Each endpoint has `atOnce.failing`
 * concurrent attempts reserved. Slow endpoints compete for the shared rest; quick ones are not limited here.
 */
function tenantPermits(): AttemptPermits {
  const taken = new Map<string, Map<string, RunLoad>>()
  const sharedOf = (all: ReadonlyMap<string, RunLoad>): number =>
    [...all.values()].reduce((sum, { count, isQuick }) => sum + (isQuick ? 0 : Math.max(count - atOnce.failing, 0)), 0)
  return {
    take({ organizationId, id }, isQuick) {
      const all = taken.get(organizationId) ?? new Map<string, RunLoad>()
      const count = all.get(id)?.count ?? 0
      if (!isQuick && count >= atOnce.failing && sharedOf(all) >= sharedMax) return false
      taken.set(organizationId, all.set(id, { count: count + 1, isQuick }))
      return true
    },
    free({ organizationId, id }) {
      const all = taken.get(organizationId)
      const one = all?.get(id)
      if (one && one.count > 1) all?.set(id, { ...one, count: one.count - 1 })
      else all?.delete(id)
      if (all?.size === 0) taken.delete(organizationId)
    },
  }
}

type Row = { run: EndpointRun; leave: (() => void) | null }

/**
 * Posts the events of all endpoints independently: a slow or failing endpoint does not delay the others. Among all
 * processes, only the holder of an endpoint's lease posts to it.
 */
export function webhookSender(posting: RunPorts, notify: NoticePorts['notify']) {
  const { webhookEndpoints, webhookDeliveries, events, now, onTrouble } = posting
  const permits = tenantPermits()
  const capacity = capacityFor(heldMax)
  const notices = disabledNotices({ webhookEndpoints, notify, now, onTrouble })
  const running: RunPorts = {
    ...posting,
    onDisabled: (endpoint) => {
      posting.onDisabled(endpoint)
      notices.note(endpoint, true)
    },
  }
  const rows = new Map<string, Row>()
  let readTo = 0
  let wideAt = Number.NEGATIVE_INFINITY
  let ticking: Promise<void> | null = null
  let isEnding = false

  async function poll(): Promise<void> {
    const at = now()
    const isWide = at - wideAt >= wide.everyMs
    const since = readTo - (isWide ? wide.lateMs : changedLateMs)
    for (const endpoint of await webhookEndpoints.changedSince(since)) await note(endpoint)
    notices.again()
    readTo = at
    if (isWide) wideAt = at
    let taken = 0
    const mayTake = (): boolean => taken++ < takenMax
    await Promise.all([...rows.values()].map((row) => tend(row, mayTake)))
  }

  async function note(endpoint: WebhookEndpoint): Promise<void> {
    const row = rows.get(endpoint.id)
    notices.note(endpoint, false)
    if (!isActive(endpoint)) {
      if (row) await drop(endpoint, row)
    } else if (row) row.run.change(endpoint)
    else rows.set(endpoint.id, { run: endpointRun(running, permits, capacity, endpoint), leave: null })
  }

  async function tend(row: Row, mayTake: () => boolean): Promise<void> {
    const { run } = row
    if (await run.hold(mayTake)) row.leave ??= events.subscribe(run.organizationId, () => void run.turn())
    else {
      row.leave?.()
      row.leave = null
    }
    void run.turn()
  }

  async function drop(endpoint: WebhookEndpoint, { run, leave }: Row): Promise<void> {
    const { id, deletedAt } = endpoint
    rows.delete(id)
    leave?.()
    run.change(endpoint)
    // Deliveries that this process was storing at the deletion are complete only after the run has ended.
    const ending = run.end().then(() => (deletedAt === null ? undefined : webhookDeliveries.drop(id, deletedAt)))
    // An attempt under way can take a while, but the other endpoints must not wait for it.
    await Promise.race([ending.catch(onTrouble), Promise.resolve()])
  }

  return {
    /** Reads changes and handles due work. Call it periodically; runs never overlap. */
    tick(): Promise<void> {
      if (isEnding) return Promise.resolve()
      ticking ??= poll()
        .catch(onTrouble)
        .finally(() => {
          ticking = null
        })
      return ticking
    },
    /** Whether this process has no endpoint. */
    isEmpty: (): boolean => rows.size === 0,
    /** Waits until nothing is under way. */
    async settle(): Promise<void> {
      await Promise.all([...rows.values()].map(({ run }) => run.settle()))
      await notices.settle()
    },
    /** Ends the attempts under way and releases the endpoints to the other processes. */
    async end(): Promise<void> {
      isEnding = true
      await ticking
      await Promise.all(
        [...rows.values()].map(({ run, leave }) => {
          leave?.()
          return run.end().catch(onTrouble)
        }),
      )
      rows.clear()
      await notices.end()
    },
  }
}
