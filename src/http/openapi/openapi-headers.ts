import type { Json } from './json'
import type { AnswerHeader } from './operation-docs'

type HeaderName = AnswerHeader | 'limit' | 'remaining' | 'reset' | 'code' | 'retry'

const headerTexts: Record<HeaderName, [name: string, description: string, example: string | number]> = {
  limit: ['ratelimit-limit', 'Burst of this request’s rate class', 100],
  remaining: ['ratelimit-remaining', 'Requests left in the burst', 99],
  reset: ['ratelimit-reset', 'Seconds until the burst is full again', 1],
  etag: ['etag', 'Send it back as `if-none-match`: an unchanged response is 304', 'W/"3f1c9b0a5d7e2f48"'],
  link: ['link', 'The next page; absent on the last one', '</api/executions?limit=20&cursor=W10>; rel="next"'],
  'idempotent-replayed': ['idempotent-replayed', '`true` if this is the stored first response', 'true'],
  code: ['x-error-code', 'Machine-readable reason; more values may be added', 'VALIDATION_FAILED'],
  retry: ['retry-after', 'Minimum wait, in seconds', 1],
}

/**
 * Returns references to the headers of a response. Headers of every response are described in the introduction only.
 */
export const headersOf = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((key) => [headerTexts[key][0], { $ref: `#/components/headers/${key}` }]))

/** Returns the headers themselves. Their names are short, because every response refers to them. */
export const headerComponents = (): Json =>
  Object.fromEntries(
    Object.entries(headerTexts).map(([key, [, description, example]]) => [
      key,
      { description, schema: { type: typeof example === 'number' ? 'integer' : 'string' }, example },
    ]),
  )
