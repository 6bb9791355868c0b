import { Elysia } from 'elysia'

const own = /^[A-Za-z0-9_-]{8,64}$/
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Two digits at a time: ids are made for every request. */
const pairs = Array.from({ length: 62 * 62 }, (_, n) => digits[Math.floor(n / 62)]! + digits[n % 62]!)
const pairsPerId = 11
const pool = new Uint16Array(pairsPerId * 512)
let next = pool.length

function requestId(): string {
  if (next === pool.length) {
    crypto.getRandomValues(pool)
    next = 0
  }
  let id = 'req_'
  for (const end = next + pairsPerId; next < end; next++) id += pairs[pool[next]! % pairs.length]
  return id
}

/** Every answer carries `x-request-id`: the caller's own where it has the form, else a new one. Source: beyond, 1.4. */
export const requestIds = new Elysia({ name: 'request ids' }).onRequest(({ request, set }) => {
  const sent = request.headers.get('x-request-id')
  set.headers['x-request-id'] = sent !== null && own.test(sent) ? sent : requestId()
})
