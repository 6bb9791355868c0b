import { streamOf } from './arrival-time'
import { Refusal } from './failure'

const jsonType = /^application\/json\s*(;|$)/i
const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i
const depthMax = 32
/** `fatal` refuses bytes that are not UTF-8. Otherwise they would become a replacement character. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a JSON body of at most `bytesMax` bytes. */
export async function readBody(request: Request, bytesMax: number): Promise<unknown> {
  const contentType = request.headers.get('content-type') ?? ''
  if (!jsonType.test(contentType)) throw new Refusal('UNSUPPORTED_MEDIA_TYPE')
  if ((charset.exec(contentType)?.[1] ?? 'utf-8').toLowerCase() !== 'utf-8')
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', { message: 'The charset of a JSON body must be utf-8' })
  const body = readJson(await readBytes(request, bytesMax))
  // A schema with only optional fields would accept a list.
  if (Array.isArray(body)) throw new Refusal('VALIDATION_FAILED', { message: 'The body must be an object' })
  return body
}

/** Reads JSON that has only one reading: RFC 8259 as restricted by I-JSON (RFC 7493). */
export function readJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes)
    assureOneReading(text)
    return JSON.parse(text)
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('MALFORMED_BODY', { cause })
  }
}

/** Reads at most `bytesMax` bytes. If no length was declared, it counts while it reads. */
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

/**
 * Refuses deep nesting and duplicate names. Nesting is refused before any recursive code runs, because 64 KB of
 * brackets blocked the event loop for 11 seconds. Names are refused because some readers take an object's first value
 * of a name, and `JSON.parse` takes the last.
 */
function assureOneReading(text: string): void {
  /** The names of each open object; null for a list. */
  const open: (Set<string> | null)[] = []
  let isName = false
  for (let n = 0; n < text.length; n++) {
    const char = text.charCodeAt(n)
    if (char === 0x22) {
      const start = n
      for (n++; n < text.length && text.charCodeAt(n) !== 0x22; n++) if (text.charCodeAt(n) === 0x5c) n++
      const names = open.at(-1)
      if (!isName || !names) continue
      const written = text.slice(start + 1, n)
      const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written
      if (names.has(name))
        throw new Refusal('MALFORMED_BODY', { message: 'Malformed JSON body: an object has a duplicate name' })
      names.add(name)
      isName = false
    } else if (char === 0x7b || char === 0x5b) {
      if (open.length === depthMax) throw new Refusal('MALFORMED_BODY')
      isName = char === 0x7b
      open.push(isName ? new Set() : null)
    } else if (char === 0x7d || char === 0x5d) {
      open.pop()
      isName = false
    } else if (char === 0x2c) isName = open.at(-1) !== null
  }
}
