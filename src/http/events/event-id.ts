const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const form = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/
const seqMax = 32 ** 4 - 1

/**
 * The id of what happened, of nothing but what is stored: time, place in the life, thing. The same whichever way it is
 * told and after any crash, and in feed order as text (extensions 6.1).
 */
export function eventId(at: number, dataId: string, seq: number): string {
  const hash = BigInt(`0x${Bun.SHA256.hash(`${dataId} ${seq}`, 'hex').slice(0, 16)}`) >> 4n
  return `evt_${base32(BigInt(at), 10)}${base32(BigInt(Math.min(seq, seqMax)), 4)}${base32(hash, 12)}`
}

/** A place in the feed before all that stands at a time. */
export const placeBefore = (at: number): string => `evt_${base32(BigInt(at), 10)}${base32(0n, 16)}`

/** Its time, at which it stands in the feed; null for what is no event id. */
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
