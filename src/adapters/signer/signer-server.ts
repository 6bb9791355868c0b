import { BoundedMap } from '../../domain/bounded-map'
import type { Hex } from '../../domain/chain/hex'
import type { LogHead } from '../../domain/signer-log'
import type { Signing } from '../../ports/signer'
import { signerAccess } from './signer-access'
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
import { certificatesOf, type TlsFiles } from './signer-tls'

/** What came of a request. DENIED: whoever asked did not prove that they may. */
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
  /** `host:port`, where the port may be 0, or `unix:/path`. */
  listen: string
  accessKeys: readonly Hex[]
  /** With these, whoever shows no certificate of their authorities gets no connection. */
  tls?: TlsFiles | null
  signing: Signing
  status: () => SignerStatus
  /** How far the log has come, by which workers notice one that was shortened. */
  logHead?: () => LogHead
  now: () => number
  onOutcome?: (outcome: SignerOutcome) => void
  onDenied?: (why: string) => void
  /** Told where a question of somebody who has the access key is not one. */
  onMalformed?: (paths: readonly string[]) => void
  /** Called with an error that nobody expected. */
  onBug?: (error: unknown) => void
}

/** A request that is older or newer than this is refused, and until then its nonce is remembered. */
const clocksApartMs = 60_000
const noncesMax = 200_000
const bodyBytesMax = 512 * 1024

/**
 * Answers workers, and nobody else: a request has to be proved by the access key, is good once and for a minute, and
 * says everything that the signature depends on.
 */
export function signerServer({ listen, accessKeys, tls, signing, status, logHead, now, ...told }: Settings) {
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
    told.onMalformed?.(wrongPathsOf(verb, question))
    return ['MALFORMED', null]
  }

  async function answered(verb: Verb, body: string): Promise<{ status: number; outcome: SignerOutcome; text: string }> {
    try {
      const [outcome, answer] = await answerOf(verb, parsedOrNull(body))
      return { status: answer ? 200 : 400, outcome, text: JSON.stringify(answer ?? {}) }
    } catch (error) {
      told.onBug?.(error)
      return { status: 500, outcome: 'FAILED', text: '{}' }
    }
  }

  async function respond(request: Request): Promise<Response> {
    const verb = verbs.find((one) => new URL(request.url).pathname === `/v1/${one}`)
    if (!verb || request.method !== 'POST') return denied('No such question')
    const { time: timeName, nonce: nonceName, mac: macName } = headerNames
    const [time, nonce] = [request.headers.get(timeName) ?? '', request.headers.get(nonceName) ?? '']
    const mac = request.headers.get(macName) ?? ''
    // Of whoever has proved nothing the body is not even read while the headers show that he cannot.
    if (!/^\d{1,15}$/.test(time) || Math.abs(now() - Number(time)) > clocksApartMs)
      return denied('The clock of whoever asks differs by more than a minute')
    if (!/^[0-9a-f]{32}$/.test(nonce) || !/^[0-9a-f]{64}$/.test(mac))
      return denied('The request is not sealed with an access key')
    if (!isOfBoundedLength(request)) return denied('The length of the request is too large, or not said')
    const body = await request.text()
    const key = access.keyOfRequest({ verb, time, nonce, body }, mac)
    if (key < 0) return denied('The request is not sealed with an access key')
    if (isUsed(nonce)) return denied('The request was made before')
    const { status: code, outcome, text } = await answered(verb, body)
    told.onOutcome?.(outcome)
    const proof = access.ofAnswer({ nonce, status: code, body: text }, key)
    return new Response(text, { status: code, headers: { 'content-type': 'application/json', [macName]: proof } })
  }

  function denied(why: string): Response {
    told.onOutcome?.('DENIED')
    told.onDenied?.(why)
    return new Response(null, { status: 401 })
  }

  function onError(error: unknown): Response {
    told.onBug?.(error)
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
    /** Where workers find it. */
    url: listen.startsWith('unix:')
      ? listen
      : `${tls ? 'https' : 'http'}://${listen.replace(/:\d+$/, '')}:${server.port}`,
    /** Answers what was asked, and takes nothing new. */
    stop: () => server.stop(false),
  }
}

function isOfBoundedLength({ headers }: Request): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d{1,9}$/.test(length) && Number(length) <= bodyBytesMax
}

/** Whether a nonce was used before; it is used from then on. */
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

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
