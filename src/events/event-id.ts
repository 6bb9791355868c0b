const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const form = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

const seqMax = 32 ** 4 - 1

/**
 * Returns the id of an event, made only of stored facts: its time, its position in the history and its record. It is
 * the same for every way of reading the event and after any crash. It begins with its time (extensions 6.1).
 */
export function eventId(at: number, dataId: string, seq: number): string {
  const hash = Bun.SHA256.hash(`${dataId} ${seq}`, 'hex')
  // Five hexadecimal digits make four base-32 digits.
  const parts = [0, 5, 10].map((n) => base32(Number.parseInt(hash.slice(n, n + 5), 16), 4))
  return `evt_${base32(at, 10)}${base32(Math.min(seq, seqMax), 4)}${parts.join('')}`
}

/** Returns an id that sorts before every event of a time. */
export const eventIdBefore = (at: number): string => `evt_${base32(at, 10)}${base32(0, 16)}`

/** Returns the time of an event; null for text that is not an event id. */
export function timeOfEvent(id: string): number | null {
  if (!form.test(id)) return null
  let at = 0
  for (const digit of id.slice(4, 14)) at = at * 32 + digits.indexOf(digit)
  return at
}

/** @param value A whole number that is at most `Number.MAX_SAFE_INTEGER`. */
function base32(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32)) text = digits[rest % 32]! + text
  return text
}
