import { streamOf } from './arrival-time'
import { Refusal } from './failure'

const jsonType = /^application\/json\s*(;|$)/i
/** A body this short cannot be nested deeply enough to do harm. */
const shortLength = 256
const depthMax = 32

/**
 * Reads a JSON body of at most `bytesMax` bytes. Deep nesting is refused before any recursive code sees it, because 64
 * KB of brackets kept the event loop busy for 11 seconds.
 */
export function readBody(request: Request, bytesMax: number): Promise<unknown> {
  const { headers } = request
  if (!jsonType.test(headers.get('content-type') ?? '')) throw new Refusal('UNSUPPORTED_MEDIA_TYPE')
  const declared = headers.get('content-length')
  if (declared === null) return readBytes(request, bytesMax).then((bytes) => parsed(new TextDecoder().decode(bytes)))
  if (Number(declared) > bytesMax) throw new Refusal('PAYLOAD_TOO_LARGE')
  return request.text().then(parsed)
}

function parsed(text: string): unknown {
  if (text.length > shortLength && isDeep(text)) throw new Refusal('MALFORMED_BODY')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new Refusal('MALFORMED_BODY', { cause })
  }
  // To a schema whose fields are all optional a list is an object that has none of them.
  if (Array.isArray(body)) throw new Refusal('VALIDATION_FAILED', { message: 'The body must be an object' })
  return body
}

/** Reads at most `bytesMax` bytes. Where no length was declared, it counts while it reads. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > bytesMax) throw new Refusal('PAYLOAD_TOO_LARGE')
  if (declared !== null) return request.bytes()
  const parts: Uint8Array[] = []
  let length = 0
  const stream = streamOf(request)
  if (stream)
    for await (const part of stream as unknown as AsyncIterable<Uint8Array>) {
      length += part.length
      if (length > bytesMax) throw new Refusal('PAYLOAD_TOO_LARGE')
      parts.push(part)
    }
  return Buffer.concat(parts)
}

function isDeep(text: string): boolean {
  let depth = 0
  let isString = false
  for (let n = 0; n < text.length; n++) {
    const char = text.charCodeAt(n)
    if (isString) {
      if (char === 0x5c) n++
      else if (char === 0x22) isString = false
    } else if (char === 0x22) isString = true
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > depthMax) return true
    } else if (char === 0x7d || char === 0x5d) depth--
  }
  return false
}
