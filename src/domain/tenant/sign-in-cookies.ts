/** Which cookies are ours, and how they are read. */
type CookieNames = {
  /** What the name of each of them begins with. */
  prefix: string
  session: string
  /** Says whose second step is awaited. */
  challenge: string
  device: string
  /** Keeps what was begun while somebody is at an identity provider. */
  away: string
}

/**
 * The names of our cookies where browsers find the pages at an origin. A browser takes a cookie whose name begins with
 * `__Host-` from this very host alone, over TLS, and not from another name of the same domain.
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

/** Where browsers send them: `__Host-` goes to every path of a host. `/api` accepts none wherever it is sent. */
export const cookiePlaceOf = (origin: string): { path: string; secure: boolean } =>
  origin.startsWith('https:') ? { path: '/', secure: true } : { path: '/app', secure: false }

/**
 * Name and value of each cookie, read as better-auth reads them: a part without a value counts for nothing, quotes are
 * taken off, and the rest is decoded.
 */
const cookiesOf = (headers: Headers): [name: string, value: string][] =>
  (headers.get('cookie') ?? '').split(';').flatMap((part) => {
    const at = part.indexOf('=')
    if (at < 0) return []
    const value = part.slice(at + 1).trim()
    return [[part.slice(0, at).trim(), decoded(value.startsWith('"') ? value.slice(1, -1) : value)]]
  })

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const valuesOf = (headers: Headers, wanted: string): string[] =>
  cookiesOf(headers).flatMap(([name, value]) => (name === wanted ? [value] : []))

/**
 * Whether a cookie that says who somebody is was sent twice. Of two sessions each reader could believe another one, so
 * whoever sends two is not signed in.
 */
export const isAmbiguous = (headers: Headers, { session, challenge }: CookieNames): boolean =>
  [session, challenge].some((name) => valuesOf(headers, name).length > 1)

export const cookieOf = (headers: Headers, name: string): string | undefined => valuesOf(headers, name)[0]

/** The same request with this one cookie, or without any. */
export function withCookie(request: Request, cookie: string | null): Request {
  const headers = new Headers(request.headers)
  headers.delete('cookie')
  if (cookie !== null) headers.set('cookie', cookie)
  return new Request(request.clone(), { headers })
}

/** The same request once for each session that it names, so that each can be ended, whichever of them is meant. */
export const onePerSession = (request: Request, { session }: CookieNames): Request[] =>
  [...new Set(valuesOf(request.headers, session))].map((value) =>
    withCookie(request, `${session}=${encodeURIComponent(value)}`),
  )
