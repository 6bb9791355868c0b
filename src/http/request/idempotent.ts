import type { IdempotentRequests } from '../../ports/limits'
import type { Caller } from './caller'
import { Refusal } from './failure'

type Exchange = {
  request: Request
  path: string
  set: { headers: Record<string, string | number | undefined>; status?: number | string | undefined }
}
type Mutation = { caller: Caller; body: object }
/** A null view is a response without a body. */
export type Answer = { status: 200 | 201 | 202; view: object } | { status: 204; view: null }

const form = /^[\x21-\x7e]{1,255}$/
const jsonType = 'application/json; charset=utf-8'

/**
 * Runs a mutation and responds to it. With an `Idempotency-Key` it runs once, and later requests get the first
 * response. The key is scoped to the organization, because a retry can come with a rotated API key (extensions 8.1).
 */
export async function idempotent(
  requests: IdempotentRequests,
  now: () => number,
  { request, path, set }: Exchange,
  { caller, body }: Mutation,
  run: () => Promise<Answer>,
): Promise<string> {
  set.headers['cache-control'] = 'private, no-cache'
  set.headers['content-type'] = jsonType
  const key = request.headers.get('idempotency-key')
  if (key === null) {
    const { status, view } = await run()
    set.status = status
    return view === null ? '' : JSON.stringify(view)
  }
  if (!form.test(key)) throw new Refusal('INVALID_IDEMPOTENCY_KEY')
  const id = `${caller.organization.id}:${Bun.SHA256.hash(key, 'hex')}`
  const fingerprint = Bun.SHA256.hash(`${request.method} ${path} ${canonical(body)}`, 'hex')
  const attempt = await requests.begin(id, fingerprint, now())
  switch (attempt.kind) {
    case 'OTHER':
      throw new Refusal('IDEMPOTENCY_KEY_REUSED')
    case 'RUNNING':
      throw new Refusal('IDEMPOTENCY_KEY_IN_FLIGHT', { headers: { 'retry-after': '1' } })
    case 'KEPT':
      set.headers['idempotent-replayed'] = 'true'
      set.status = attempt.answer.status
      return attempt.answer.body
    case 'BEGUN':
  }
  try {
    const { status, view } = await run()
    const answer = { status, body: view === null ? '' : JSON.stringify(view) }
    await requests.keep(id, attempt.turn, answer)
    set.status = status
    return answer.body
  } catch (error) {
    await requests.release(id, attempt.turn).catch(() => {}) // the key then frees itself when it expires
    throw error
  }
}

/** Returns a text of the body that does not depend on the order of its fields. */
const canonical = (body: object): string =>
  JSON.stringify(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)))
