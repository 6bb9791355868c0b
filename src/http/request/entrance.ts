import { Elysia } from 'elysia'
import { Refusal, refusedOutside } from './failure'

/** A request of Bun's router: its path, segment by segment, as received. */
type Routed = Request & { params?: Record<string, string> }
export type Handle = (request: Request) => Response | Promise<Response>

/**
 * Refuses a request before it reaches a route. Only this code responds to the request, so metrics count it here.
 */
export type Refuse = (refusal: Refusal, request: Request) => Response
/** @param count Counts the refusal by its status. */
export const refusingAtEntrance =
  (count: (request: Request, status: number) => void): Refuse =>
  (refusal, request) => {
    count(request, refusal.statusCode)
    return refusedOutside(refusal, request)
  }

const hostForm = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i
const identity = /^\s*(identity)?\s*$/i
/** Paths of more segments than this, and paths with an empty segment, have no route. */
const segmentsMax = 16

/**
 * Refuses requests that a proxy, a signature or a log in front of us might have read differently. Bun resolves dot
 * segments and turns backslashes into slashes before any of our code runs. Of two `Host` headers it takes the first.
 * Register it last, which makes it the first to run.
 */
export const entrance = (refuse: Refuse) =>
  new Elysia({ name: 'entrance' }).wrap((handle, request) => {
    const refusal = objectionTo(request as Routed)
    return refusal === null ? handle : ((() => refuse(refusal, request as Request)) as unknown as typeof handle)
  })

function objectionTo({ method, url, headers, params }: Routed): Refusal | null {
  const host = headers.get('host')
  if (host !== null && !hostForm.test(host)) return ambiguous('There must be one Host header, with a host and a port')
  const segments = params && Object.values(params)
  if ((segments && !isPlain(segments, url)) || url.includes('#'))
    return ambiguous('The path must not have dot segments, backslashes or a fragment')
  if (method === 'GET' || identity.test(headers.get('content-encoding') ?? '')) return null
  return new Refusal('UNSUPPORTED_MEDIA_TYPE', {
    message: 'Content-Encoding must be identity, or absent',
    headers: { 'accept-encoding': 'identity' },
  })
}

const ambiguous = (message: string) => new Refusal('AMBIGUOUS_REQUEST', { message })

/** Whether segments, which Bun has decoded, match the URL. Only an escaped backslash is still in the URL. */
function isPlain(segments: readonly string[], url: string): boolean {
  if (segments.some((segment) => segment === '.' || segment === '..')) return false
  const text = segments.join('')
  if (!text.includes('\\')) return true
  return text.split('\\').length === pathOf(url).split(/%5c/i).length
}

/**
 * Returns catch-all routes of Bun's router: their parameters show the entrance every segment of the path. Without them,
 * a path that only resolves to a route would be served as that route.
 */
export function everyPath(handle: () => Handle, refuse: Refuse): Record<string, Handle> {
  const pass: Handle = (request) => handle()(request)
  const lost: Handle = (request) => refuse(new Refusal('ROUTE_NOT_FOUND'), request)
  const routes: Record<string, Handle> = { '/*': lost }
  let path = ''
  for (let count = 1; count <= segmentsMax; count++) {
    path += `/:segment${count}`
    routes[path] = pass
    // Only a slash at the end of the path may be left over.
    routes[`${path}/*`] = (request) => (endsAfter(count, pathOf(request.url)) ? pass : lost)(request)
  }
  return routes
}

const endsAfter = (segments: number, path: string): boolean =>
  path.endsWith('/') && path.split('/').length === segments + 2

const pathOf = (url: string): string => URL.parse(url)?.pathname ?? ''
