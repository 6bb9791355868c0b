import { jsonOf } from '../../domain/json'
import type { Role } from '../../domain/tenant/api-key'
import { seededKeyLabels } from '../demo/seed'
import { readDevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'
import { reachService } from './reach'

/** Sends a request. `path` is below `/api/operator/`, or below `/api` if it begins with `/`. */
export type Ask = <Answer>(method: string, path: string, body?: object) => Promise<Answer>

type Env = Record<string, string | undefined>

const requiredKey: Record<Role, string> = {
  OPERATOR: 'this needs an OPERATOR key, and a key of the platform organization for anything beyond one organization',
  CLIENT: 'this needs a CLIENT key',
}

export type Access = { url: string; key: string; role: Role }

/**
 * The operators' endpoints at SWITCHYARD_API_URL, or of the demo on this machine. Requests carry SWITCHYARD_API_KEY, an
 * OPERATOR key. In the demo it may be absent: requests are then sent as the named organization, or as the platform.
 */
export const operatorApi = (organization = 'platform', env: Env = process.env): Ask =>
  operatorRequests(accessOf(env, 'OPERATOR', organization))

/** URL and key for operators' requests. */
export const operatorAccess = (env: Env = process.env): Access => accessOf(env, 'OPERATOR', 'platform')

/** The integrators' endpoints, with a CLIENT key: SWITCHYARD_API_KEY, or the sandbox's key in the demo. */
export const clientApi = (env: Env = process.env): Ask => operatorRequests(clientAccess(env))

/** URL and key for integrators' requests. */
export const clientAccess = (env: Env = process.env): Access => accessOf(env, 'CLIENT', 'sandbox')

export const operatorRequests =
  (access: Access): Ask =>
  async (method, path, body) =>
    (await answered(access, method, path, body)).answer

/** Fetches a page of one of the integrators' lists. `next` is the cursor of the next page; null on the last. */
export async function clientPage<Row>(
  path: string,
  env: Env = process.env,
): Promise<{ rows: Row[]; next: string | null }> {
  const { answer, headers } = await answered(clientAccess(env), 'GET', path)
  const [, link] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  return { rows: answer, next: link === undefined ? null : new URL(link, 'http://api').searchParams.get('cursor') }
}

async function answered({ url, key, role }: Access, method: string, path: string, body?: object) {
  const response = await reachService(url, `/api${path.startsWith('/') ? path : `/operator/${path}`}`, {
    method,
    headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  const answer: any = text === '' ? null : jsonOf(text)
  if (response.ok && answer === undefined)
    throw new Failure(`${url} did not answer with JSON: is it the address of the service?`)
  if (response.ok) return { answer, headers: response.headers }
  const code = response.headers.get('x-error-code')
  if (code === 'INSUFFICIENT_PERMISSIONS') throw new Failure(`${answer?.message}: ${requiredKey[role]} (403 ${code})`)
  throw new Failure(
    `${answer?.message ?? 'The request was refused without a reason'} (${response.status}${code ? ` ${code}` : ''})`,
    code,
  )
}

function accessOf({ SWITCHYARD_API_URL: url, SWITCHYARD_API_KEY: key }: Env, role: Role, organization: string): Access {
  if (url && !/^https?:\/\/./i.test(url))
    throw new Failure('SWITCHYARD_API_URL must be the address of a service, such as https://switchyard.example.')
  if (url && key) return { url: url.replace(/\/$/, ''), key, role }
  if (url)
    throw new Failure(
      `SWITCHYARD_API_URL is set, so set SWITCHYARD_API_KEY to a key of that service with role ${role} as well.`,
    )
  const { apiUrl, keys } = readDevnetFile()
  if (key) return { url: apiUrl, key, role }
  const label = seededKeyLabels(role)[organization]
  if (label) return { url: apiUrl, key: keys[label], role }
  const stored = Object.keys(seededKeyLabels(role)).join(', ')
  throw new Failure(
    `No ${role} key of ${organization} is stored here, only keys of ${stored}: create one with "npx switchyard keys create ` +
      `--organization ${organization} --role ${role}" and set SWITCHYARD_API_KEY to it.`,
  )
}

export const reasonQuery = (reason: string): string => `reason=${encodeURIComponent(reason)}`
