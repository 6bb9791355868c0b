const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const form = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const seqMax = 32 ** 4 - 1

/**
 * The id of an event, made only of what is stored: its time, its place in the history and its record. It is the same
 * however the event is read and after any crash, and sorts as text in feed order (extensions 6.1).
 */
export function eventId(at: number, dataId: string, seq: number): string {
  const hash = BigInt(`0x${Bun.SHA256.hash(`${dataId} ${seq}`, 'hex').slice(0, 16)}`) >> 4n
  return `evt_${base32(BigInt(at), 10)}${base32(BigInt(Math.min(seq, seqMax)), 4)}${base32(hash, 12)}`
}

/** An id that sorts before every event of a time. */
export const eventIdBefore = (at: number): string => `evt_${base32(BigInt(at), 10)}${base32(0n, 16)}`

/** The time at which an event stands in the feed; null for text that is not an event id. */
export function timeOfEvent(id: string): number | null {
  if (!form.test(id)) return null
  let at = 0
  for (const digit of id.slice(4, 14)) at = at * 32 + digits.indexOf(digit)
  return at
}

function base32(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest >>= 5n) text = digits[Number(rest & 31n)] + text
  return text
}
