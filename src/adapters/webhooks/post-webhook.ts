import type { AttemptError, Outcome } from '../../domain/webhook/delivery'
import { retryAfterMsOf } from '../../domain/webhook/delivery'
import type { PostWebhook } from '../../ports/webhooks/webhooks'
import { addressFor, type GuardOptions, nameResolver, requestTo, Unanswered, within } from './guarded'

type Options = GuardOptions & { now?: () => number }

type Answer = { statusCode: number; retryAfter: string | null }

const timeoutMsDefault = 15_000

/**
 * Posts events to addresses of the public Internet. No redirect is followed, and nothing of an answer is read but its
 * status and `retry-after`.
 */
export function webhookPoster({
  toLoopback,
  resolve = nameResolver(),
  timeoutMs = timeoutMsDefault,
  ca,
  now = Date.now,
}: Options): PostWebhook {
  return async (text, sent) => {
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(timeoutMs)
    const outcome = (statusCode: number | null, error: AttemptError | null, retryAfterMs: number | null): Outcome => ({
      statusCode,
      durationMs: Math.round(performance.now() - startedAt),
      error,
      retryAfterMs,
    })
    try {
      const url = new URL(text)
      const address = await within(signal, addressFor(url, { toLoopback, resolve }))
      const { statusCode, retryAfter } = await within(signal, posted(url, address, sent, { signal, ca }))
      return outcome(statusCode, null, retryAfterMsOf(retryAfter, now()))
    } catch (error) {
      return outcome(null, reasonOf(error, signal), null)
    }
  }
}

type Sent = Parameters<PostWebhook>[1]

const posted = (
  url: URL,
  address: string,
  sent: Sent,
  limits: { signal: AbortSignal; ca: string | undefined },
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = requestTo(url, address, { method: 'POST', ...sent }, limits)
    request.on('response', (response) => {
      const retryAfter = response.headers['retry-after'] ?? null
      resolve({ statusCode: response.statusCode ?? 0, retryAfter })
      response.destroy()
      request.destroy()
    })
    // This is no answer to an event, and without a listener it would be none at all.
    request.on('upgrade', ({ statusCode = 101 }, socket) => {
      resolve({ statusCode, retryAfter: null })
      socket.destroy()
      request.destroy()
    })
    limits.signal.addEventListener('abort', () => request.destroy(), { once: true })
    request.on('error', reject)
    request.end(sent.body)
  })

function reasonOf(error: unknown, signal: AbortSignal): AttemptError {
  if (error instanceof Unanswered) return error.reason
  if (signal.aborted) return 'TIMEOUT'
  const code = String((error as { code?: unknown }).code ?? '')
  return /CERT|TLS|SSL|SELF_SIGNED|ISSUER/i.test(code) ? 'CERTIFICATE_REFUSED' : 'CONNECTION_FAILED'
}
