import { BoundedMap } from '../../domain/bounded-map'
import type { Hex } from '../../domain/chain/hex'
import { jsonOf } from '../../domain/json'
import type { LogHead } from '../../domain/signer-log'
import type { Signing } from '../../ports/signer'
import { certificatesOf, signerAccess, type TlsFiles } from './signer-access'
import {
  failureOf,
  headerNames,
  readIntentQuestion,
  readSigningRequest,
  type SignAnswer,
  type SignerStatus,
  type Verb,
  verbs,
  wrongPathsOf,
} from './signer-messages'

/** Outcome of a request. DENIED: the requester did not authenticate. */
export const signerOutcomes = [
  'SIGNED',
  'REFUSED',
  'WAITS',
  'VERIFIED',
  'STATUS',
  'MALFORMED',
  'DENIED',
  'FAILED',
] as const
export type SignerOutcome = (typeof signerOutcomes)[number]

type Settings = {
  /** `host:port`, with port 0 for any free port, or `unix:/path`. */
  listen: string
  accessKeys: readonly Hex[]
  /** With these, a client without a certificate of their authorities gets no connection. */
  tls?: TlsFiles | null
  signing: Signing
  status: () => SignerStatus
  /** Count and hash of the log's last entry. Workers use them to notice a shortened log. */
  logHead?: () => LogHead
  now: () => number
  onOutcome?: (outcome: SignerOutcome) => void
  onDenied?: (why: string) => void
  /** Called with the malformed paths of a request whose sender has the access key. */
  onMalformed?: (paths: readonly string[]) => void
  /** Called with an unexpected error. */
  onBug?: (error: unknown) => void
}

/**
 * A request that is older or newer than this, in milliseconds, is refused. Its nonce is remembered for twice as long.
 */
const clocksApartMs = 60_000
const noncesMax = 200_000
const bodyBytesMax = 512 * 1024

/**
 * Answers workers only. A request must be authenticated with the access key. It is valid once and for a minute, and
 * holds everything that the signature depends on.
 */
export function signerServer({ listen, accessKeys, tls, signing, status, logHead, now, ...hooks }: Settings) {
  const access = signerAccess(accessKeys)
  const isUsed = usedNonces(now)

  async function answerOf(verb: Verb, question: unknown): Promise<[SignerOutcome, object | null]> {
    if (verb === 'status') return ['STATUS', status()]
    if (verb === 'verify-intent') {
      const record = readIntentQuestion(question)
      if (!record) return malformed(verb, question)
      return ['VERIFIED', { objection: await signing.verifyIntent(record) }]
    }
    const request = readSigningRequest(question)
    if (!request) return malformed(verb, question)
    try {
      const { id, deadline, signature } = await signing.sign(request)
      const log = logHead?.()
      return ['SIGNED', { order: { id, deadline, signature }, ...(log && { log }) } satisfies SignAnswer]
    } catch (error) {
      const failure = failureOf(error)
      if (!failure) throw error
      return [failure.kind === 'CODE' ? 'REFUSED' : 'WAITS', { failure } satisfies SignAnswer]
    }
  }

  function malformed(verb: Exclude<Verb, 'status'>, question: unknown): [SignerOutcome, null] {
    hooks.onMalformed?.(wrongPathsOf(verb, question))
    return ['MALFORMED', null]
  }

  async function answered(verb: Verb, body: string): Promise<{ status: number; outcome: SignerOutcome; text: string }> {
    try {
      const [outcome, answer] = await answerOf(verb, jsonOf(body) ?? null)
      return { status: answer ? 200 : 400, outcome, text: JSON.stringify(answer ?? {}) }
    } catch (error) {
      hooks.onBug?.(error)
      return { status: 500, outcome: 'FAILED', text: '{}' }
    }
  }

  async function respond(request: Request): Promise<Response> {
    const verb = verbs.find((one) => new URL(request.url).pathname === `/v1/${one}`)
    if (!verb || request.method !== 'POST') return denied('Unknown request')
    const { time: timeName, nonce: nonceName, mac: macName } = headerNames
    const [time, nonce] = [request.headers.get(timeName) ?? '', request.headers.get(nonceName) ?? '']
    const mac = request.headers.get(macName) ?? ''
    // The body of an unauthenticated request is not read if its headers already show that it is invalid.
    if (!/^\d{1,15}$/.test(time) || Math.abs(now() - Number(time)) > clocksApartMs)
      return denied('The requester’s clock differs by more than a minute')
    if (!/^[0-9a-f]{32}$/.test(nonce) || !/^[0-9a-f]{64}$/.test(mac))
      return denied('The request is not sealed with an access key')
    if (!isOfBoundedLength(request)) return denied('The request is too long, or states no length')
    const body = await request.text()
    const key = access.keyOfRequest({ verb, time, nonce, body }, mac)
    if (key < 0) return denied('The request is not sealed with an access key')
    if (isUsed(nonce)) return denied('The request was already made')
    const { status: code, outcome, text } = await answered(verb, body)
    hooks.onOutcome?.(outcome)
    const proof = access.ofAnswer({ nonce, status: code, body: text }, key)
    return new Response(text, { status: code, headers: { 'content-type': 'application/json', [macName]: proof } })
  }

  function denied(why: string): Response {
    hooks.onOutcome?.('DENIED')
    hooks.onDenied?.(why)
    return new Response(null, { status: 401 })
  }

  function onError(error: unknown): Response {
    hooks.onBug?.(error)
    return new Response(null, { status: 500 })
  }
  const settings = { fetch: respond, error: onError, maxRequestBodySize: bodyBytesMax, development: false }
  const place = placeOf(listen)
  const server =
    'unix' in place
      ? Bun.serve({ unix: place.unix, ...settings }) // a socket has no hostname
      : Bun.serve({
          ...{ hostname: place.hostname, port: place.port, ...settings },
          ...(tls && { tls: { ...certificatesOf(tls), requestCert: true, rejectUnauthorized: true } }),
        })
  return {
    /** The URL for workers. */
    url: listen.startsWith('unix:')
      ? listen
      : `${tls ? 'https' : 'http'}://${listen.replace(/:\d+$/, '')}:${server.port}`,
    /** Finishes the requests in progress, and accepts no new ones. */
    stop: () => server.stop(false),
  }
}

function isOfBoundedLength({ headers }: Request): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d{1,9}$/.test(length) && Number(length) <= bodyBytesMax
}

/** Whether a nonce was used before. Marks it as used. */
function usedNonces(now: () => number): (nonce: string) => boolean {
  const used = new BoundedMap<string, number>(noncesMax)
  return (nonce) => {
    const at = used.get(nonce)
    if (at !== undefined && now() - at <= 2 * clocksApartMs) return true
    used.set(nonce, now())
    return false
  }
}

function placeOf(listen: string): { unix: string } | { hostname: string; port: number } {
  if (listen.startsWith('unix:')) return { unix: listen.slice('unix:'.length) }
  const [, hostname, port] = /^(.*):(\d+)$/.exec(listen)!
  return { hostname: hostname!.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}
