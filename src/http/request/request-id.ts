import type { Kept } from './caller'

const own = /^[A-Za-z0-9_-]{8,64}$/
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Two digits at a time: ids are made for every request. */
const pairs = Uint16Array.from({ length: 62 * 62 }, (_, n) =>
  Buffer.from(digits[Math.floor(n / 62)]! + digits[n % 62]!, 'latin1').readUInt16LE(),
)
const pairsPerId = 11
const idsAtOnce = 256
const random = new Uint16Array(pairsPerId * idsAtOnce)
let made = ''
let next = idsAtOnce

function requestId(): string {
  if (next === idsAtOnce) {
    crypto.getRandomValues(random)
    for (let n = 0; n < random.length; n++) random[n] = pairs[random[n]! % pairs.length]!
    made = Buffer.from(random.buffer).toString('latin1')
    next = 0
  }
  const start = next++ * pairsPerId * 2
  return `req_${made.slice(start, start + pairsPerId * 2)}`
}

/** The caller's own where it has the form, else a new one (extensions 1.4). */
export function requestIdOf(request: Request): string {
  const sent = request.headers.get('x-request-id')
  return sent !== null && own.test(sent) ? sent : requestId()
}

/**
 * Every answer carries `x-request-id`: whoever needs it first settles it, whoever answers sees to it. None is taken for
 * something else than it says it is.
 */
export function nameRequest(request: Request, { headers }: Pick<Kept, 'headers'>): string {
  headers['x-request-id'] ??= requestIdOf(request)
  headers['x-content-type-options'] = 'nosniff'
  return String(headers['x-request-id'])
}
