import { jsonOf } from '../../../domain/json'
import { readText } from '../../http'

/**
 * Whether the content of a response proves that a node of this chain sent it. `NODE`: the node's next responses are
 * trusted too, because we had that content before. `ANSWER`: only this response is trusted.
 */
export type Proof = (answer: unknown) => 'NODE' | 'ANSWER' | null

/**
 * Calls one JSON-RPC method. The response is not validated yet. With a proof, the node's chain id is requested only if
 * the response proves nothing.
 */
export type Ask = {
  <Answer = unknown>(method: string, params: readonly unknown[], proof?: Proof): Promise<Answer>
  /** Runs related calls on one node. If one of them fails, the next node runs all of them. */
  ofOne?: <Answer>(act: (node: Ask) => Promise<Answer>) => Promise<Answer>
}

type Call = {
  method: string
  params: readonly unknown[]
  resolve: (answer: never) => void
  reject: (error: unknown) => void
}
/** A raw response. `status` is null if the HTTP status was a success. */
type Posted = { answer: unknown; status: number | null; retryAfterMs: number | null }
type Answer = { id?: unknown; result?: unknown; error?: { code?: unknown; message?: unknown; data?: unknown } | null }

/** A refusal in the node's own words, which may be logged but never shown. */
export class RpcRefusal extends Error {
  override name = 'RpcRefusal'

  constructor(
    readonly code: number,
    message: string,
    readonly data: unknown = undefined,
    readonly status: number | null = null,
    /** Pause that the node requested with Retry-After, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** The response was not JSON-RPC, or had an HTTP status that is not a success. */
export class RpcNoAnswer extends Error {
  override name = 'RpcNoAnswer'

  constructor(
    message: string,
    readonly status: number | null = null,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** Calls that may be slow or large, so they are not batched with others. */
const alone = new Set([
  'eth_getLogs',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_sendRawTransaction',
  'debug_traceTransaction',
  'debug_traceBlockByNumber',
  'trace_block',
])
/** A call with more data than this, in characters, reads many accounts together. */
const longCall = 10_000

/** A block is large only with its transactions, and a call is slow only if it reads much. */
function isAlone(method: string, params: readonly unknown[]): boolean {
  if (method === 'eth_getBlockByNumber') return params[1] !== false
  if (method === 'eth_call') return ((params[0] as { data?: string } | undefined)?.data?.length ?? 0) > longCall
  return alone.has(method)
}
const batchMax = 100
const bytesMax = 64_000_000
/** Longest pause that Retry-After can request, in milliseconds. During a longer one, the node's plan may change. */
const retryAfterMsMax = 60_000

/**
 * One node over HTTP. Calls made in one turn of the event loop share one request. viem's transport is not used here.
 * Its timeout ends with the headers, and it matches the responses of a batch by their order. A node that leaves one out
 * would then give a balance to the wrong account.
 */
export function jsonRpc(url: string, timeoutMs: number): Ask {
  const target = new URL(url)
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (target.username) {
    headers['authorization'] =
      `Basic ${btoa(`${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`)}`
    target.username = target.password = ''
  }
  let waiting: Call[] = []

  const post = (body: unknown) => postTo({ target, headers, timeoutMs }, body)

  async function sendOne(call: Call): Promise<void> {
    const posted = await post(bodyOf(call, 0))
    settle(call, posted.answer as Answer, 0, posted)
  }

  async function sendMany(calls: Call[]): Promise<void> {
    const posted = await post(calls.map(bodyOf))
    const { answer: answers } = posted
    if (isRefusal(answers)) throw refusalOf(answers.error, posted)
    if (!Array.isArray(answers)) throw new RpcNoAnswer('The node did not answer a batch with a list')
    const byId = new Map(answers.map((answer: Answer) => [answer?.id, answer]))
    for (const [id, call] of calls.entries()) settle(call, byId.get(id), id, posted)
  }

  async function send(calls: Call[]): Promise<void> {
    try {
      await (calls.length === 1 ? sendOne(calls[0]!) : sendMany(calls))
    } catch (error) {
      for (const { reject } of calls) reject(error) // calls that are already settled ignore it
    }
  }

  function flush(): void {
    const calls = waiting
    waiting = []
    for (let n = 0; n < calls.length; n += batchMax) void send(calls.slice(n, n + batchMax))
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      const call = { method, params, resolve: resolve as Call['resolve'], reject }
      if (isAlone(method, params)) void send([call])
      else if (waiting.push(call) === 1) setImmediate(flush)
    })
}

type Node = { target: URL; headers: Record<string, string>; timeoutMs: number }

async function postTo({ target, headers, timeoutMs }: Node, body: unknown): Promise<Posted> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(target, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    signal,
    redirect: 'error',
  })
  const text = await readText(response, bytesMax)
  const answer = jsonOf(text)
  const { status } = response
  const retryAfterMs = retryAfterOf(response)
  if (!response.ok && !isRefusal(answer))
    throw new RpcNoAnswer(`The node returned HTTP ${status}`, status, retryAfterMs)
  if (answer === undefined) throw new RpcNoAnswer('The node returned no JSON')
  return { answer, status: response.ok ? null : status, retryAfterMs }
}

const bodyOf = ({ method, params }: Call, id: number) => ({ jsonrpc: '2.0', id, method, params })

function settle({ resolve, reject }: Call, answer: Answer | undefined, id: number, posted: Posted): void {
  if (answer?.error) reject(refusalOf(answer.error, posted))
  else if (answer?.id !== id || answer.result === undefined) reject(new RpcNoAnswer('The node left out a response'))
  else resolve(answer.result as never)
}

const isRefusal = (answer: unknown): answer is { error: NonNullable<Answer['error']> } =>
  typeof (answer as Answer | null | undefined)?.error === 'object' && (answer as Answer).error !== null

const refusalOf = ({ code, message, data }: NonNullable<Answer['error']>, posted: Posted): RpcRefusal =>
  new RpcRefusal(typeof code === 'number' ? code : 0, String(message ?? ''), data, posted.status, posted.retryAfterMs)

/**
 * Returns Retry-After in milliseconds. The header is in seconds, or a date by the node's clock. Null if it is absent or
 * unreadable.
 */
function retryAfterOf({ headers }: Response): number | null {
  const said = headers.get('retry-after')
  if (said === null) return null
  const isSeconds = /^\d{1,9}(\.\d{1,9})?$/.test(said)
  const ms = isSeconds ? Number(said) * 1_000 : Date.parse(said) - Date.parse(headers.get('date') ?? '')
  return ms > 0 ? Math.min(ms, retryAfterMsMax) : null
}
