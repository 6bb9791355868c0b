import { Elysia } from 'elysia'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { addressHeader, type Identity } from '../../ports/identity'
import type { Network } from '../caller'
import { Refusal } from '../failure'
import { hidden } from '../operation'
import { readBody } from '../read-body'
import { checkOrigin } from './origin'

/** Everything else that better-auth can do is not here, whatever its plugins bring. */
const gets = ['get-session', 'list-sessions', 'verify-email']
const posts = [
  'sign-in/email',
  'sign-up/email',
  'sign-out',
  'request-password-reset',
  'reset-password',
  'change-password',
  'update-user',
  'send-verification-email',
  'revoke-session',
  'revoke-other-sessions',
  'two-factor/enable',
  'two-factor/disable',
  'two-factor/verify-totp',
  'two-factor/verify-backup-code',
]

/** Every one there is, by its method. */
export const authPaths = { GET: gets, POST: posts }

/** What can be guessed is counted by where it comes from and by whom it is about. */
const limits = {
  'sign-in/email': { byAddress: [60, 60], byEmail: [10, 300] },
  'sign-up/email': { byAddress: [60, 600], byEmail: [5, 600] },
  'request-password-reset': { byAddress: [30, 600], byEmail: [3, 600] },
  'send-verification-email': { byAddress: [30, 600], byEmail: [3, 600] },
  'reset-password': { byAddress: [30, 600], byEmail: null },
  'two-factor/verify-totp': { byAddress: [20, 300], byEmail: null },
  'two-factor/verify-backup-code': { byAddress: [20, 300], byEmail: null },
} as const satisfies Record<string, { byAddress: readonly [number, number]; byEmail: readonly [number, number] | null }>

const bodyBytesMax = 8 * 1024

type Asked = { request: Request; server: Network; params: { '*': string } }
type Limiters = { byAddress: RateLimiterMemory; byEmail: RateLimiterMemory | null }

/** Sign-in and what belongs to it, for the pages alone. */
export function authRoutes(identity: Identity, origin: string) {
  const limiter = ([points, duration]: readonly [number, number]) => new RateLimiterMemory({ points, duration })
  const limiters = new Map<string, Limiters>(
    Object.entries(limits).map(([path, { byAddress, byEmail }]) => [
      path,
      { byAddress: limiter(byAddress), byEmail: byEmail && limiter(byEmail) },
    ]),
  )

  async function count(path: string, address: string, body: unknown): Promise<() => Promise<unknown>> {
    const limiters_ = limiters.get(path)
    if (!limiters_) return async () => {}
    const { byAddress, byEmail } = limiters_
    const email = (body as { email?: unknown } | null)?.email
    const name = typeof email === 'string' ? email.toLowerCase().slice(0, 256) : null
    try {
      await byAddress.consume(networkOf(address))
      if (name !== null) await byEmail?.consume(name)
    } catch (spent) {
      const seconds = Math.max(Math.ceil(((spent as { msBeforeNext?: number }).msBeforeNext ?? 1_000) / 1_000), 1)
      const wait = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
      const message = `Too many attempts: try again in ${wait}`
      throw new Refusal('RATE_LIMITED', { message, headers: { 'retry-after': String(seconds) } })
    }
    return async () => name !== null && byEmail?.delete(name)
  }

  async function pass({ request, params, server }: Asked): Promise<Response> {
    const path = params['*']
    const isPost = request.method === 'POST'
    if (!(isPost ? posts : request.method === 'GET' ? gets : []).includes(path)) throw new Refusal('ROUTE_NOT_FOUND')
    checkOrigin(request, origin)
    const address = server?.requestIP(request)?.address ?? '127.0.0.1'
    const headers = new Headers(request.headers)
    headers.set(addressHeader, address)
    if (!isPost) return identity.answer(new Request(request.url, { headers }))
    const body = await readBody(request, bodyBytesMax)
    const forgive = await count(path, address, body)
    headers.delete('content-length')
    const sent = new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) })
    const answer = await identity.answer(sent)
    if (answer.ok && path === 'sign-in/email') await forgive()
    // A taken address is answered like a free one, but in other words: whoever signs up is told neither.
    if (answer.ok && path === 'sign-up/email') return Response.json({ isDone: true })
    answer.headers.set('cache-control', 'no-store')
    return answer
  }

  // By each method: a wildcard for all methods would lose against the pages' own for GET.
  const unread = { parse: 'none', ...hidden } as const
  return new Elysia().get('/app/auth/*', pass, unread).post('/app/auth/*', pass, unread)
}

/** An IPv6 host has 2^64 addresses: its network is what counts. */
const networkOf = (address: string): string =>
  address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address
