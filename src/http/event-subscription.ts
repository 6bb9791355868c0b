import { type FeedPorts, happenedBetween } from './event-feed'
import { eventTypes } from './event-types'
import type { Happened } from './views/event'

type Ports = FeedPorts & { now: () => number; noteTrouble: (error: unknown) => void }
type Hear = (happened: Happened) => void

const beatMs = 300
/** Writes are told by the time they carry, which is a little before they can be read. */
const overlapMs = 3_000
const wideOverlapMs = 20_000
const wideEveryMs = 5_000
const everyType: ReadonlySet<string> = new Set(eventTypes)

/** One look at the records serves all streams of an organization: it hears what is new, once each. */
export function subscriptions(ports: Ports) {
  const listeners = new Map<string | null, Set<Hear>>()

  async function follow(tenant: string | null, hearers: Set<Hear>): Promise<void> {
    const told = new Map<string, number>()
    const since = ports.now()
    let wideAt = since
    while (hearers.size > 0) {
      const at = ports.now()
      const isWide = at - wideAt >= wideEveryMs
      if (isWide) wideAt = at
      const from = Math.max(at - (isWide ? wideOverlapMs : overlapMs), since)
      const happened = await happenedBetween(ports, { tenant, types: everyType }, from, at + 1).catch((error) => {
        ports.noteTrouble(error)
        return []
      })
      for (const one of happened ?? [])
        if (!told.has(one.id)) {
          told.set(one.id, at)
          for (const hear of hearers) hear(one)
        }
      for (const [id, when] of told) if (when < at - 2 * wideOverlapMs) told.delete(id)
      await Bun.sleep(beatMs)
    }
  }

  /** @returns how to stop hearing. Whatever happens from now on is heard. */
  return (tenant: string | null, hear: Hear): (() => void) => {
    const hearers = listeners.get(tenant) ?? new Set()
    hearers.add(hear)
    if (!listeners.has(tenant)) {
      listeners.set(tenant, hearers)
      void follow(tenant, hearers).finally(() => listeners.delete(tenant))
    }
    return () => hearers.delete(hear)
  }
}
export type Subscribe = ReturnType<typeof subscriptions>
