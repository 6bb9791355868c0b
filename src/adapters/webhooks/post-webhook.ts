import type { AttemptCause, AttemptError, Outcome } from '../../domain/webhook/delivery'
import { responseTextMax, retryAfterMsOf } from '../../domain/webhook/delivery'
import type { PostWebhook } from '../../ports/webhooks'
import { connectionPool, type PoolTimes, type Target } from './connection-pool'
import { AttemptFailed, type GuardOptions, nameResolver, requestTo, within } from './guarded'

type Options = GuardOptions & { keeping?: PoolTimes; now: () => number }

type Answer = { statusCode: number; retryAfter: string | null; responseText: string; at: number }

const timeoutMsDefault = 15_000
/** A connection whose response goes on for longer, in milliseconds or bytes, is closed. */
const rest = { ms: 250, bytesMax: 16 * 1_024 } as const

/**
 * Posts events to addresses of the public Internet. It follows no redirect. It uses the status and `retry-after` of a
 * response, and returns the beginning of the body for people.
 */
export function webhookPoster({
  toLoopback,
  resolve = nameResolver(),
  timeoutMs = timeoutMsDefault,
  ca,
  keeping,
  now,
}: Options): PostWebhook {
  const connections = connectionPool({ toLoopback, resolve }, keeping)

  async function answerOf(text: string, sent: WebhookRequest, signal: AbortSignal): Promise<Answer> {
    const url = new URL(text)
    let target: Target | undefined
    try {
      target = await within(signal, connections.targetOf(url))
      return await within(signal, posted(url, target, sent, { signal, ca }))
    } catch (error) {
      connections.forget(url, target?.address)
      throw error
    }
  }

  return async (text, sent) => {
    const startedAt = performance.now()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    const outcome = (statusCode: number | null, reason: Reason | null, endedAt: number) => ({
      statusCode,
      durationMs: Math.round(endedAt - startedAt),
      error: null,
      ...reason,
    })
    try {
      const { statusCode, retryAfter, responseText, at } = await answerOf(text, sent, timeout.signal)
      const retryAfterMs = retryAfterMsOf(retryAfter, now())
      return { ...outcome(statusCode, null, at), responseText, retryAfterMs } satisfies Outcome
    } catch (error) {
      return { ...outcome(null, reasonOf(error, timeout.signal), performance.now()), retryAfterMs: null }
    } finally {
      clearTimeout(timer)
    }
  }
}

type WebhookRequest = Parameters<PostWebhook>[1]
type Limits = { signal: AbortSignal; ca: string | undefined }

/** The other side closed a kept connection before it could have answered. */
class Closed extends Error {
  override name = 'Closed'
}

/** Posts again over a new connection if the other side closed the kept one just before its reuse. */
const posted = async (url: URL, { address, agent }: Target, sent: WebhookRequest, limits: Limits): Promise<Answer> =>
  answered(requestTo(url, address, { method: 'POST', ...sent }, { ...limits, agent }), sent.body, limits.signal).catch(
    (error) => {
      if (!(error instanceof Closed) || limits.signal.aborted) throw error
      return answered(requestTo(url, address, { method: 'POST', ...sent }, limits), sent.body, limits.signal)
    },
  )

const answered = (request: ReturnType<typeof requestTo>, body: string, signal: AbortSignal): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request.on('response', (response) => {
      const at = performance.now()
      const { statusCode = 0, headers } = response
      const read: Uint8Array[] = []
      const end = (isWhole: boolean): void => {
        clearTimeout(timer)
        resolve({ statusCode, retryAfter: headers['retry-after'] ?? null, responseText: beginningOf(read), at })
        if (isWhole) return
        response.destroy()
        request.destroy()
      }
      // A connection can be reused only once its response is read. Until then it counts as an attempt in progress.
      const timer = setTimeout(() => end(false), rest.ms)
      let bytes = 0
      response.on('data', (part: Uint8Array) => {
        bytes += part.byteLength
        read.push(part)
        if (bytes > rest.bytesMax) end(false)
      })
      response.on('end', () => end(true)).on('error', () => end(false))
    })
    // An upgrade does not answer an event. Without a listener, the request would get no response at all.
    request.on('upgrade', ({ statusCode = 101 }, socket) => {
      resolve({ statusCode, retryAfter: null, responseText: '', at: performance.now() })
      socket.destroy()
      request.destroy()
    })
    signal.addEventListener('abort', () => request.destroy(), { once: true })
    request.on('error', (error: Error & { code?: unknown }) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      reject(request.reusedSocket && isClosed ? new Closed('The connection was closed', { cause: error }) : error)
    })
    request.end(body)
  })

/** Returns the beginning of a response as text, without control characters except line breaks and tabs. */
function beginningOf(parts: readonly Uint8Array[]): string {
  // A character has at most four bytes.
  const bytes = Buffer.concat(parts).subarray(0, 4 * responseTextMax)
  const text = new TextDecoder().decode(bytes).replaceAll(/[^\P{Cc}\n\t]/gu, '')
  return [...text].slice(0, responseTextMax).join('')
}

type Reason = { error: AttemptError; cause?: AttemptCause }

const certificate = (cause: AttemptCause): Reason => ({ error: 'CERTIFICATE_REFUSED', cause })
const connection = (cause: AttemptCause): Reason => ({ error: 'CONNECTION_FAILED', cause })

/** The reasons that the runtime names by a code. */
const reasons: Record<string, Reason> = {
  CERT_HAS_EXPIRED: certificate('EXPIRED'),
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate('SELF_SIGNED'),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate('OTHER_NAME'),
  SELF_SIGNED_CERT_IN_CHAIN: certificate('UNKNOWN_ISSUER'),
  UNABLE_TO_GET_ISSUER_CERT: certificate('UNKNOWN_ISSUER'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate('UNKNOWN_ISSUER'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate('UNKNOWN_ISSUER'),
  ECONNREFUSED: connection('REFUSED'),
  ECONNRESET: connection('CLOSED'),
  EPIPE: connection('CLOSED'),
  ERR_SOCKET_CLOSED: connection('CLOSED'),
  ERR_SSL_WRONG_VERSION_NUMBER: connection('NO_TLS'),
}

function reasonOf(error: unknown, signal: AbortSignal): Reason {
  if (error instanceof AttemptFailed) return { error: error.reason }
  if (signal.aborted) return { error: 'TIMEOUT' }
  const code = codeOf(error instanceof Closed ? error.cause : error)
  const isCertificate = /CERT|TLS|SSL|SELF_SIGNED|ISSUER/i.test(code)
  return reasons[code] ?? { error: isCertificate ? 'CERTIFICATE_REFUSED' : 'CONNECTION_FAILED' }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')
