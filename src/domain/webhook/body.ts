/** Largest webhook body, in bytes. */
export const bodyBytesMax = 20_000

type Named = { id?: string; userId?: string; status?: unknown; stage?: unknown }
type Event = { data: object }

/**
 * Returns the event as it is signed and posted: one line of JSON. If the body would be too long, `data` keeps only the
 * ids and the status, and the receiver fetches the rest. Length never drops an event.
 */
export function bodyOf(event: Event): string {
  const body = JSON.stringify(event)
  if (Buffer.byteLength(body) <= bodyBytesMax) return body
  const { id, userId, status, stage }: Named = event.data
  return JSON.stringify({ ...event, data: { id, userId, status, stage } })
}
