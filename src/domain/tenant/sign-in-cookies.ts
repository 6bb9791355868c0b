import { decodedText } from '../plain-text'

/** Names of our cookies. */
type CookieNames = {
  /** Common prefix of all cookie names. */
  prefix: string
  session: string
  /** Identifies the person whose second step is awaited. */
  challenge: string
  device: string
  /** State of a sign-in while the person is at an identity provider. */
  away: string
}

/**
 * Returns the names of our cookies for an origin. A browser accepts a cookie named `__Host-…` only from this exact
 * host, over TLS, and never from a sibling domain.
 */
export function cookieNamesOf(origin: string): CookieNames {
  const prefix = `${origin.startsWith('https:') ? '__Host-' : ''}switchyard`
  return {
    prefix,
    session: `${prefix}.session_token`,
    challenge: `${prefix}.two_factor`,
    device: `${prefix}.device`,
    away: `${prefix}.away`,
  }
}

/** Returns where browsers send the cookies: `__Host-` requires every path of the host. `/api` ignores cookies. */
export const cookieScopeOf = (origin: string): { path: string; secure: boolean } =>
  origin.startsWith('https:') ? { path: '/', secure: true } : { path: '/app', secure: false }

/**
 * Returns the name and value of each cookie, parsed like better-auth: parts without a value are skipped, quotes
 * removed, and the rest decoded.
 */
const cookiesOf = (headers: Headers): [name: string, value: string][] =>
  (headers.get('cookie') ?? '').split(';').flatMap((part) => {
    const at = part.indexOf('=')
    if (at < 0) return []
    const value = part.slice(at + 1).trim()
    return [[part.slice(0, at).trim(), decodedText(value.startsWith('"') ? value.slice(1, -1) : value)]]
  })

const valuesOf = (headers: Headers, wanted: string): string[] =>
  cookiesOf(headers).flatMap(([name, value]) => (name === wanted ? [value] : []))

/**
 * Whether an identifying cookie was sent twice. Two readers could each trust a different session, so such a request
 * counts as signed out.
 */
export const isAmbiguous = (headers: Headers, { session, challenge }: CookieNames): boolean =>
  [session, challenge].some((name) => valuesOf(headers, name).length > 1)

export const cookieOf = (headers: Headers, name: string): string | undefined => valuesOf(headers, name)[0]

/** Returns the request with only this cookie, or without cookies. */
export function withCookie(request: Request, cookie: string | null): Request {
  const headers = new Headers(request.headers)
  headers.delete('cookie')
  if (cookie !== null) headers.set('cookie', cookie)
  return new Request(request.clone(), { headers })
}

/** Returns one request for each session that the request names. Signing out can then end all of them. */
export const onePerSession = (request: Request, { session }: CookieNames): Request[] =>
  [...new Set(valuesOf(request.headers, session))].map((value) =>
    withCookie(request, `${session}=${encodeURIComponent(value)}`),
  )
