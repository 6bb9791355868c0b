import type { LateEvent, LateEvents } from '../../src/ports/webhooks/late-events'

export function lateEventsInMemory(): LateEvents & { all(): LateEvent[] } {
  const kept = new Map<string, LateEvent>()
  const all = () => [...kept.values()]
  return {
    all,
    async note(late) {
      for (const one of late) kept.set(`${one.eventId}:${one.at}`, one)
    },
    between: async ({ organizationId }, from, to) =>
      all()
        .filter(({ at }) => at >= from && at < to)
        .filter((one) => organizationId === null || [organizationId, null].includes(one.organizationId)),
  }
}
