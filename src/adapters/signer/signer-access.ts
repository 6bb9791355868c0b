import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { Hex } from '../../domain/chain/hex'

const namespace = 'switchyard/signer/v1'

/** What a key derived from SIGNER_ACCESS_KEY is for, so that nothing made for one purpose is good for another. */
type Purpose = 'request' | 'answer' | 'offers'

const derived = (key: Hex, purpose: Purpose): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(key.slice(2), 'hex'), Buffer.alloc(0), `${namespace}/${purpose}`, 32))

/** The keys under which workers seal the offers that they heard; the signer verifies them. */
export const offerKeysOf = (keys: readonly Hex[]): Hex[] =>
  keys.map((key) => `0x${derived(key, 'offers').toString('hex')}` as const)

/** A request as its MAC covers it. The nonce is used once; the time is in milliseconds since 1970. */
type SealedRequest = { verb: string; time: string; nonce: string; body: string }
/** An answer as its MAC covers it: for the request with that nonce and no other. */
type SealedAnswer = { nonce: string; status: number; body: string }

/**
 * Proves to the signer who asks, and to whoever asks that the signer answered: HMAC-SHA-256 over everything that is
 * said, under keys that are derived from the access keys. The transport is trusted with nothing.
 *
 * @param keys 32 bytes each, in hexadecimal. The first one seals requests and all of them verify.
 */
export function signerAccess(keys: readonly Hex[]) {
  if (keys.length === 0) throw new RangeError('There is no access key')
  const requestKeys = keys.map((key) => derived(key, 'request'))
  const answerKeys = keys.map((key) => derived(key, 'answer'))
  const sealedWith = (all: readonly Buffer[], parts: readonly unknown[], mac: unknown): number =>
    all.findIndex((key) => isEqual(macOf(key, parts), mac))

  return {
    ofRequest: (request: SealedRequest): string => macOf(requestKeys[0]!, requestParts(request)),
    /** @returns which of the keys sealed the request; -1 when none of them did. */
    keyOfRequest: (request: SealedRequest, mac: unknown): number => sealedWith(requestKeys, requestParts(request), mac),
    /** @param key the one that sealed the request. */
    ofAnswer: (answer: SealedAnswer, key: number): string => macOf(answerKeys[key]!, answerParts(answer)),
    isAnswer: (answer: SealedAnswer, mac: unknown): boolean => sealedWith(answerKeys, answerParts(answer), mac) >= 0,
  }
}

const requestParts = ({ verb, time, nonce, body }: SealedRequest) => ['request', verb, time, nonce, digestOf(body)]
const answerParts = ({ nonce, status, body }: SealedAnswer) => ['answer', nonce, status, digestOf(body)]

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const macOf = (key: Buffer, parts: readonly unknown[]): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([namespace, ...parts]))
    .digest('hex')

function isEqual(expected: string, given: unknown): boolean {
  if (typeof given !== 'string' || !/^[0-9a-f]{64}$/.test(given)) return false
  return timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(given, 'hex'))
}
