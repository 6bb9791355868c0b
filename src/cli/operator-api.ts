import { readDevnetFile } from './devnet-file'
import { Failure } from './failure'

export type Ask = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

/**
 * The operators' endpoints: of SWITCHYARD_API_URL with SWITCHYARD_API_KEY, an OPERATOR key; else of the demo that runs
 * here, as its platform's operator.
 */
export function operatorApi(env: Record<string, string | undefined> = process.env): Ask {
  const { url, key } = accessOf(env)
  return async (method, path, body) => {
    const response = await fetch(`${url}/api/operator/${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((cause) => {
      throw new Failure(`${url} cannot be reached: ${(cause as Error).message}`)
    })
    const text = await response.text()
    const answer = text === '' ? null : JSON.parse(text)
    if (response.ok) return answer
    const code = response.headers.get('x-error-code')
    throw new Failure(`${answer?.message ?? 'Refused without a reason'} (${response.status}${code ? ` ${code}` : ''})`)
  }
}

function accessOf({ SWITCHYARD_API_URL: url, SWITCHYARD_API_KEY: key }: Record<string, string | undefined>) {
  if (url && key) return { url: url.replace(/\/$/, ''), key }
  if (url || key) throw new Failure('Set both SWITCHYARD_API_URL and SWITCHYARD_API_KEY, or neither.')
  const { apiUrl, keys } = readDevnetFile()
  return { url: apiUrl, key: keys.platformOperator }
}

export const inPath = (part: string): string => encodeURIComponent(part)
export const reasonIn = (reason: string): string => `reason=${encodeURIComponent(reason)}`
