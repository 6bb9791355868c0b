import { Failure } from '../terminal/failure'

/** Long, because a busy machine responds slowly. */
const answerMsMax = 60_000

/** Sends a request that carries a key to the service. Redirects are refused, so the key goes nowhere else. */
export async function sendToService(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { signal: AbortSignal.timeout(answerMsMax), ...init, redirect: 'manual' })
  if (response.status < 300 || response.status > 399) return response
  throw new Failure(
    `${new URL(url).origin} redirects to another address (${response.status}), and the key is not sent there: ` +
      'set SWITCHYARD_API_URL to the address of the service itself, for example with https.',
  )
}

export const reachService = (url: string, path: string, init: RequestInit): Promise<Response> =>
  sendToService(`${url}${path}`, init).catch((cause) => {
    throw cause instanceof Failure ? cause : new Failure(`${url} cannot be reached: ${whyNoAnswer(cause)}.`)
  })

/**
 * Returns the reason for a missing response, without a full stop. The system's error code comes first, because the
 * runtime's message can be a question.
 */
export function whyNoAnswer(cause: unknown): string {
  const { code, message } = cause as { code?: unknown; message: string }
  return typeof code === 'string' ? code : message.replace(/\.$/, '')
}

/** Encodes an id for a path. Refuses parts that would change the path. */
export function pathPart(part: string): string {
  if (['', '.', '..'].includes(part)) throw new Failure(`"${part}" is not an id.`)
  return encodeURIComponent(part)
}
