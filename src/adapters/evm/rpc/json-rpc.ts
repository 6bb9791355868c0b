import { readText } from '../../http'

/**
 * Whether an answer shows by what it contains that a node of this chain gave it. `NODE`: what that node answers next is
 * believed as well, because what it showed was known before. `ANSWER`: this answer alone is.
 */
export type Proof = (answer: unknown) => 'NODE' | 'ANSWER' | null

/**
 * Calls one JSON-RPC method. The answer is not validated yet. With a proof, the node is asked for its chain id only
 * when its answer proves nothing.
 */
export type Ask = {
  <Answer = unknown>(method: string, params: readonly unknown[], proof?: Proof): Promise<Answer>
  /** Asks one node everything that belongs together. Where it fails in part, another one is asked everything. */
  ofOne?: <Answer>(act: (node: Ask) => Promise<Answer>) => Promise<Answer>
}

type Call = {
  method: string
  params: readonly unknown[]
  resolve: (answer: never) => void
  reject: (error: unknown) => void
}
/** A raw answer; `status` is null when the HTTP status was a success. */
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
    /** The pause that the node requested by Retry-After. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

/** The node's answer was not JSON-RPC, or had an HTTP status that is not a success. */
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

/** These calls may be slow or large, so they are not batched with others. */
const alone = new Set([
  'eth_getLogs',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_sendRawTransaction',
  'debug_traceTransaction',
  'debug_traceBlockByNumber',
  'trace_block',
])
/** A call with more data than this reads for many accounts at once. */
const longCall = 10_000

/** A block is large only with its transactions, and a call slow only with much to read. */
function isAlone(method: string, params: readonly unknown[]): boolean {
  if (method === 'eth_getBlockByNumber') return params[1] !== false
  if (method === 'eth_call') return ((params[0] as { data?: string } | undefined)?.data?.length ?? 0) > longCall
  return alone.has(method)
}
const batchMax = 100
const bytesMax = 64_000_000
/** A longer pause than this is cut short, because the node's plan may have changed meanwhile. */
const retryAfterMsMax = 60_000

/**
 * One node over HTTP. Calls of one turn of the event loop are batched into one request. viem's transport is not used
 * here: its timeout ends with the headers, and it matches the answers of a batch by their order, so a node that leaves
 * one out would give a balance to the wrong account.
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
    if (!Array.isArray(answers)) throw new RpcNoAnswer('The node answered a batch with something else')
    const byId = new Map(answers.map((answer: Answer) => [answer?.id, answer]))
    for (const [id, call] of calls.entries()) settle(call, byId.get(id), id, posted)
  }

  async function send(calls: Call[]): Promise<void> {
    try {
      await (calls.length === 1 ? sendOne(calls[0]!) : sendMany(calls))
    } catch (error) {
      for (const { reject } of calls) reject(error) // calls that are settled already ignore it
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
  const answer = parsed(text)
  const { status } = response
  const retryAfterMs = retryAfterOf(response)
  if (!response.ok && !isRefusal(answer)) throw new RpcNoAnswer(`The node answered ${status}`, status, retryAfterMs)
  if (answer === undefined) throw new RpcNoAnswer('The node did not answer with JSON')
  return { answer, status: response.ok ? null : status, retryAfterMs }
}

const bodyOf = ({ method, params }: Call, id: number) => ({ jsonrpc: '2.0', id, method, params })

function settle({ resolve, reject }: Call, answer: Answer | undefined, id: number, posted: Posted): void {
  if (answer?.error) reject(refusalOf(answer.error, posted))
  else if (answer?.id !== id || answer.result === undefined) reject(new RpcNoAnswer('The node left an answer out'))
  else resolve(answer.result as never)
}

const isRefusal = (answer: unknown): answer is { error: NonNullable<Answer['error']> } =>
  typeof (answer as Answer | null | undefined)?.error === 'object' && (answer as Answer).error !== null

const refusalOf = ({ code, message, data }: NonNullable<Answer['error']>, posted: Posted): RpcRefusal =>
  new RpcRefusal(typeof code === 'number' ? code : 0, String(message ?? ''), data, posted.status, posted.retryAfterMs)

/** Retry-After is in seconds or a date, by the clock of the node; null when it is absent or unreadable. */
function retryAfterOf({ headers }: Response): number | null {
  const said = headers.get('retry-after')
  if (said === null) return null
  const isSeconds = /^\d{1,9}(\.\d{1,9})?$/.test(said)
  const ms = isSeconds ? Number(said) * 1_000 : Date.parse(said) - Date.parse(headers.get('date') ?? '')
  return ms > 0 ? Math.min(ms, retryAfterMsMax) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
