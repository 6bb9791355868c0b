/** Largest webhook body, in bytes. */
export const bodyBytesMax = 20_000

type Named = { id?: string; userId?: string; status?: unknown; stage?: unknown }
/**
 * Returns an event as it is signed and posted: one line of JSON. If it would be too long, `data` keeps only the ids and
 * the status, and the receiver fetches the rest. Length never drops an event.
 */
export function bodyOf(text: string): string {
  if (Buffer.byteLength(text) <= bodyBytesMax) return text
  const event: { data: Named } = JSON.parse(text)
  const { id, userId, status, stage } = event.data
  return JSON.stringify({ ...event, data: { id, userId, status, stage } })
}
