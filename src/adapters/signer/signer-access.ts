import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Hex } from '../../domain/chain/hex'

const namespace = 'switchyard/signer/v1'

/** Purpose of a key that is derived from SIGNER_ACCESS_KEY. A MAC for one purpose is not valid for another. */
type Purpose = 'request' | 'answer' | 'offers'

const derived = (key: Hex, purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key.slice(2), 'hex'), Buffer.alloc(0), `${namespace}/${purpose}`, 32))

/** Returns the keys that workers use to seal the offers that they received. The signer verifies the seals. */
export const offerKeysOf = (keys: readonly Hex[]): Hex[] =>
  keys.map((key) => `0x${derived(key, 'offers').toString('hex')}` as const)

/** A request as its MAC covers it. The nonce is used once. The time is in milliseconds since 1970. */
type SealedRequest = { verb: string; time: string; nonce: string; body: string }
/** A response as its MAC covers it, valid only for the request with that nonce. */
type SealedAnswer = { nonce: string; status: number; body: string }

/**
 * Authenticates requests to the signer, and its responses: HMAC-SHA-256 over the whole message, with keys derived from
 * the access keys. The transport is not trusted.
 *
 * @param keys 32 bytes each, in hexadecimal. The first key seals requests, and every key verifies.
 */
export function signerAccess(keys: readonly Hex[]) {
  if (keys.length === 0) throw new RangeError('At least one access key is required')
  const requestKeys = keys.map((key) => derived(key, 'request'))
  const answerKeys = keys.map((key) => derived(key, 'answer'))
  const sealedWith = (all: readonly Buffer[], parts: readonly unknown[], mac: unknown): number =>
    all.findIndex((key) => isEqual(macOf(key, parts), mac))

  return {
    ofRequest: (request: SealedRequest): string => macOf(requestKeys[0]!, requestParts(request)),
    /** @returns Index of the key that sealed the request. -1 if none of them did. */
    keyOfRequest: (request: SealedRequest, mac: unknown): number => sealedWith(requestKeys, requestParts(request), mac),
    /** @param key Index of the key that sealed the request. */
    ofAnswer: (answer: SealedAnswer, key: number): string => macOf(answerKeys[key]!, answerParts(answer)),
    isAnswer: (answer: SealedAnswer, mac: unknown): boolean => sealedWith(answerKeys, answerParts(answer), mac) >= 0,
  }
}

const requestParts = ({ verb, time, nonce, body }: SealedRequest) => ['request', verb, time, nonce, digestOf(body)]
const answerParts = ({ nonce, status, body }: SealedAnswer) => ['answer', nonce, status, digestOf(body)]

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const macOf = (key: Buffer, sealed: readonly unknown[]): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([namespace, ...sealed]))
    .digest('hex')

function isEqual(expected: string, given: unknown): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false
  return timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(given, 'hex'))
}

/** Paths of PEM files: the certificate and key of this process, and the authorities that the other side must use. */
export type TlsFiles = { certFile: string; keyFile: string; caFile: string }

/** Both sides show a certificate. The files are read each time, so a new certificate needs no restart. */
export const certificatesOf = ({ certFile, keyFile, caFile }: TlsFiles) => {
  const [cert, key, ca] = [certFile, keyFile, caFile].map((file) => readFileSync(file, 'utf8'))
  return { cert: cert!, key: key!, ca: ca! }
}
