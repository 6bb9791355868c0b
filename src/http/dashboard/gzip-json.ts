import { constants, gzipSync } from 'node:zlib'

type Answering = {
  request: Request
  responseValue: unknown
  set: { headers: Record<string, string | number | undefined>; status?: number | string | undefined }
}

/** Compressing a shorter text costs more than it saves. */
const bytesMin = 1_400
const json = 'application/json; charset=utf-8'
const isJson = /^application\/(?:[\w.-]+\+)?json(?:;|$)/

/** Compresses long JSON responses: the lifecycle alone is 31 KB of text, and the first page waits for it. */
export function gzipJson({ request, responseValue, set }: Answering): Response | undefined {
  const type = String(set.headers['content-type'] ?? json)
  const text = textOf(responseValue, type)
  if (text === null || text.length < bytesMin) return
  if (!request.headers.get('accept-encoding')?.includes('gzip')) return
  set.headers['content-type'] = type
  set.headers['content-encoding'] = 'gzip'
  set.headers['vary'] = 'accept-encoding'
  return new Response(gzipSync(text, { level: constants.Z_BEST_SPEED + 3 }))
}

/** Returns the response as JSON text; null if it is not JSON or already a `Response`. */
function textOf(value: unknown, type: string): string | null {
  if (typeof value === 'string') return isJson.test(type) ? value : null
  const prototype = typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : null
  return prototype === Object.prototype || prototype === Array.prototype ? JSON.stringify(value) : null
}
