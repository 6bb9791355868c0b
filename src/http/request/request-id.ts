import type { ExchangeState } from './caller'

const own = /^[A-Za-z0-9_-]{8,64}$/
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Every pair of digits as two bytes. Ids are written two digits at a time, because every request needs one. */
const pairs = Uint16Array.from({ length: 62 * 62 }, (_, n) =>
  Buffer.from(digits[Math.floor(n / 62)]! + digits[n % 62]!, 'latin1').readUInt16LE(),
)
const pairsPerId = 11
const idsAtOnce = 256
const random = new Uint16Array(pairsPerId * idsAtOnce)
let batch = ''
let next = idsAtOnce

function requestId(): string {
  if (next === idsAtOnce) {
    crypto.getRandomValues(random)
    for (let n = 0; n < random.length; n++) random[n] = pairs[random[n]! % pairs.length]!
    batch = Buffer.from(random.buffer).toString('latin1')
    next = 0
  }
  const start = next++ * pairsPerId * 2
  return `req_${batch.slice(start, start + pairsPerId * 2)}`
}

/** Returns the caller's id if it is well-formed, otherwise a new one (extensions 1.4). */
export function requestIdOf(request: Request): string {
  const sent = request.headers.get('x-request-id')
  return sent !== null && own.test(sent) ? sent : requestId()
}

/**
 * Sets the `x-request-id` of a response unless it is set, and stops browsers from guessing the content type.
 * @returns the id of the request.
 */
export function nameRequest(request: Request, { headers }: Pick<ExchangeState, 'headers'>): string {
  headers['x-request-id'] ??= requestIdOf(request)
  headers['x-content-type-options'] = 'nosniff'
  return String(headers['x-request-id'])
}
