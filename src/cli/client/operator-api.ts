import { seededKeyLabels } from '../demo/seed'
import { readDevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'

/** A path below `/api/operator/`; one that begins with `/`, below `/api`. */
export type Ask = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

type Env = Record<string, string | undefined>

const keyNeeded = 'this takes an OPERATOR key, and what concerns everybody takes one of a platform organization'

/**
 * The operators' endpoints of SWITCHYARD_API_URL, else of the demo that runs here, with SWITCHYARD_API_KEY, an OPERATOR
 * key; without one as the demo's platform or, where an organization is named, as that one.
 */
export function operatorApi(organization?: string, env: Env = process.env): Ask {
  const { url, key } = accessOf(env, organization)
  return async (method, path, body) => {
    const response = await fetch(`${url}/api${path.startsWith('/') ? path : `/operator/${path}`}`, {
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
    if (code === 'INSUFFICIENT_PERMISSIONS') throw new Failure(`${answer.message}: ${keyNeeded} (403 ${code})`)
    throw new Failure(`${answer?.message ?? 'Refused without a reason'} (${response.status}${code ? ` ${code}` : ''})`)
  }
}

function accessOf({ SWITCHYARD_API_URL: url, SWITCHYARD_API_KEY: key }: Env, organization = 'platform') {
  if (url && key) return { url: url.replace(/\/$/, ''), key }
  if (url) throw new Failure('SWITCHYARD_API_URL needs SWITCHYARD_API_KEY, an OPERATOR key there.')
  const { apiUrl, keys } = readDevnetFile()
  if (key) return { url: apiUrl, key }
  const label = seededKeyLabels('OPERATOR')[organization]
  if (label) return { url: apiUrl, key: keys[label] }
  const there = Object.keys(seededKeyLabels('OPERATOR')).join(', ')
  throw new Failure(
    `Of ${organization} no OPERATOR key is known here, only of ${there}: make one with "npx switchyard keys create ` +
      `--organization ${organization} --role OPERATOR" and set SWITCHYARD_API_KEY to it.`,
  )
}

export const pathPart = (part: string): string => encodeURIComponent(part)
export const reasonQuery = (reason: string): string => `reason=${encodeURIComponent(reason)}`
