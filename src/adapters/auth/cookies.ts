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

/**
 * Whether a cookie of ours is sent twice. Of two sessions each reader could believe another one, so whoever sends two
 * is not signed in.
 */
export function isAmbiguous(headers: Headers): boolean {
  const ours = cookiesOf(headers).flatMap(([name]) => (/^(?:__Secure-)?switchyard\./.test(name) ? [name] : []))
  return new Set(ours).size < ours.length
}

export const cookieOf = (headers: Headers, name: string): string | undefined =>
  cookiesOf(headers).find(([each]) => each === name)?.[1]

export function withoutCookies(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.delete('cookie')
  return new Request(request, { headers })
}
