import { Elysia } from 'elysia'
import { hidden } from '../openapi/operation-docs'
import type { ExchangeState } from './caller'

const exposed = [
  'x-request-id',
  'x-error-code',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'etag',
  'link',
  'idempotent-replayed',
].join(', ')
const accepted = 'content-type, x-api-key, x-request-id, idempotency-key, if-none-match, last-event-id'
const methods = 'GET, POST, PUT, PATCH, DELETE'
const cachedSeconds = '600'

type Exchange = { request: Request; set: ExchangeState }

/**
 * Lets pages of the configured origins call the later routes of the same instance. Without configured origins it does
 * nothing. It never allows cookies, because these routes take an API key.
 */
export function crossOrigin(origins: readonly string[], prefix: string) {
  if (origins.length === 0) return new Elysia()

  function allow({ request, set }: Exchange): boolean {
    set.headers['vary'] = 'origin'
    const origin = request.headers.get('origin')
    if (origin === null || !origins.includes(origin)) return false
    set.headers['access-control-allow-origin'] = origin
    return true
  }

  // A request with a body can be refused in `onParse`, any other request after it, so both hooks set the headers.
  const say = ({ request, set }: Exchange): void => {
    if (allow({ request, set })) set.headers['access-control-expose-headers'] = exposed
  }

  return new Elysia()
    .onParse({ as: 'scoped' }, ({ request, set }) => say({ request, set }))
    .onTransform({ as: 'scoped' }, ({ request, set }) => say({ request, set }))
    .options(
      `${prefix}/*`,
      ({ request, set }) => {
        if (allow({ request, set }))
          Object.assign(set.headers, {
            'access-control-allow-methods': methods,
            'access-control-allow-headers': accepted,
            'access-control-max-age': cachedSeconds,
          })
        set.status = 204
      },
      hidden,
    )
}
