import type { Ask } from '../../adapters/evm/rpc/json-rpc'

/** A request, and the result or error. Secrets are replaced. */
export type RecordedResponse = { of: string; asked: unknown; answer: unknown }

const lengthMax = 200_000
const secretNames = /^(signing_?key|auth_?token|api_?key|authorization|password)$/i

/** Records responses of external systems, to read later and to use as test fixtures. */
export function recordedResponses() {
  const all: RecordedResponse[] = []

  const keep = (of: string, request: unknown, answer: unknown): void => {
    const text = JSON.stringify(answer, withoutSecrets) ?? 'null'
    const stored = text.length > lengthMax ? { cut: text.slice(0, lengthMax) } : (JSON.parse(text) as unknown)
    all.push({ of, asked: JSON.parse(JSON.stringify(request, withoutSecrets)) as unknown, answer: stored })
  }

  return {
    all: all as readonly RecordedResponse[],
    keep,
    /** Wraps a node and records its responses. */
    ofNode:
      (of: string, ask: Ask): Ask =>
      async (method, params) => {
        try {
          const answer = await ask(method, params)
          keep(of, { method, params }, { result: answer })
          return answer as never
        } catch (error) {
          const { code, message, data } = error as { code?: unknown; message?: string; data?: unknown }
          // Only the node's own error is recorded: the message of a failed connection might contain its URL.
          if (typeof code === 'number') keep(of, { method, params }, { error: { code, message, data } })
          throw error
        }
      },
    /** Wraps `fetch` and records JSON responses by the requested path. */
    ofServer:
      (of: string) =>
      async (url: string, init: RequestInit): Promise<Response> => {
        const response = await fetch(url, init)
        const { pathname, search } = new URL(url)
        const body = await response
          .clone()
          .json()
          .catch(() => null)
        const sent = typeof init.body === 'string' ? { body: JSON.parse(init.body) as unknown } : {}
        keep(of, { path: `${pathname}${search}`, ...sent }, { status: response.status, body })
        return response
      },
  }
}

export type RecordedResponses = ReturnType<typeof recordedResponses>

const withoutSecrets = (name: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  return secretNames.test(name) && typeof value === 'string' ? '(removed)' : value
}
