/** The most that is posted, in bytes. */
export const bodyBytesMax = 20_000

type Named = { id?: string; userId?: string; status?: unknown; stage?: unknown }
type Event = { data: object }

/**
 * An event as it is signed and posted: one line of JSON. Of one that would be too long, `data` keeps what names it and
 * how far it is, by which the rest can be fetched: no event is left out for its length.
 */
export function bodyOf(event: Event): string {
  const body = JSON.stringify(event)
  if (Buffer.byteLength(body) <= bodyBytesMax) return body
  const { id, userId, status, stage }: Named = event.data
  return JSON.stringify({ ...event, data: { id, userId, status, stage } })
}
