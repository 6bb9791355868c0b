import type { IncomingMessage } from 'node:http'
import { AttemptFailed, addressFor, type GuardOptions, nameResolver, requestTo, within } from './guarded'

const timeoutMsDefault = 10_000
/** No document of a provider is larger, in bytes. */
const bytesMax = 512 * 1_024

/** The request: `GET` without a body, or a posted form. */
type Init = { method?: string; headers?: HeadersInit; body?: unknown }

/**
 * A `fetch` that reaches only addresses of the public Internet, as event delivery does. It follows no redirect, and
 * gives up on a long or slow response.
 *
 * @throws {AttemptFailed}
 */
export function guardedFetch({ toLoopback, resolve = nameResolver(), timeoutMs = timeoutMsDefault, ca }: GuardOptions) {
  return async (text: string, { method = 'GET', headers, body }: Init = {}): Promise<Response> => {
    const signal = AbortSignal.timeout(timeoutMs)
    const url = new URL(text)
    const sent = { method, headers: Object.fromEntries(new Headers(headers)), body: body == null ? '' : String(body) }
    const address = await within(signal, addressFor(url, { toLoopback, resolve }))
    return within(signal, answered(requestTo(url, address, sent, { signal, ca }), sent.body, signal))
  }
}

const answered = (request: ReturnType<typeof requestTo>, body: string, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    request.on('response', (response) =>
      wholeOf(response)
        .then((text) => resolve(responseOf(response, text)), reject)
        .finally(() => request.destroy()),
    )
    request.on('upgrade', (_response, socket) => {
      socket.destroy()
      request.destroy()
      reject(new AttemptFailed('CONNECTION_FAILED'))
    })
    signal.addEventListener('abort', () => request.destroy(), { once: true })
    request.on('error', () => reject(new AttemptFailed('CONNECTION_FAILED')))
    request.end(body)
  })

async function wholeOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    const read = Buffer.from(chunk as Uint8Array)
    bytes += read.byteLength
    if (bytes > bytesMax) throw new AttemptFailed('CONNECTION_FAILED')
    chunks.push(read)
  }
  return Buffer.concat(chunks).toString()
}

function responseOf({ statusCode = 0, headers }: IncomingMessage, text: string): Response {
  if (statusCode < 200 || statusCode > 599) throw new AttemptFailed('CONNECTION_FAILED')
  const isEmpty = [204, 205, 304].includes(statusCode)
  const type = headers['content-type']
  return new Response(isEmpty ? null : text, { status: statusCode, headers: type ? { 'content-type': type } : {} })
}
