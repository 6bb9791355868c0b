import { chainIds } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { errorCodes, RoutingError } from '../../domain/error'
import { routeKinds } from '../../domain/execution/route'
import { gasFeeSkipReasons } from '../../domain/money/fees'
import { type } from '../../domain/schema'
import type { LogHead } from '../../domain/signer-log'
import { TemporarilyUnavailable, WorthUnknown } from '../../domain/unavailable'
import type { OrderSignature, SigningRequest } from '../../ports/signer'

export const verbs = ['sign', 'verify-intent', 'status'] as const
export type Verb = (typeof verbs)[number]

/** Headers that authenticate requests and responses. */
export const headerNames = { time: 'x-signer-time', nonce: 'x-signer-nonce', mac: 'x-signer-mac' } as const

const text = type('string <= 1000')
const amount = type(/^(0|[1-9]\d{0,77})$/)
const address = type(/^0x[0-9a-fA-F]{40}$/)
const hash = type(/^0x[0-9a-f]{64}$/)
const bytes = type(/^0x([0-9a-fA-F]{2}){0,100000}$/)
const whole = type('0 <= number.integer <= 9007199254740991')
const chainId = type.enumerated(...chainIds)

/** Sealed fields are read whole: a field that a schema removed would break the seal. */
const intent = type({
  '+': 'ignore',
  version: whole,
  targetChainId: chainId,
  targetTokenAddress: address,
  targetAddress: address,
  protocolFeeBps: whole,
  sponsoredGas: 'boolean',
  'refundAddress?': address.or('null'),
  'seal?': text.or('null'),
  'sealedAs?': { '+': 'ignore' },
})

const deposit = type({ account: address, chainId, token: address, amountRaw: amount })

const route = type({
  provider: text,
  kind: type.enumerated(...(Object.keys(routeKinds) as (keyof typeof routeKinds)[])),
  amountIn: amount,
  amountOutExpected: amount,
  amountOutMin: amount,
  call: type({ target: address, spender: address, data: bytes, nativeFee: amount }).or('null'),
})

const candidate = type({
  provider: text,
  amountOutExpected: amount.or('null'),
  amountOutMin: amount.or('null'),
  quotedAt: 'number',
  'seal?': text,
})

const fees = type({
  totalReceivedRaw: amount,
  protocolFeeRaw: amount,
  protocolFeeEffective: amount,
  protocolFeeForgiven: amount,
  gasFeeRaw: amount,
  amountForSwapRaw: amount,
  gasFeeSkipReason: type.enumerated(...gasFeeSkipReasons),
})

const owner = { organizationId: text, userId: text, refundOf: text.or('null'), redriveOf: text.or('null') }

const signable = type({
  id: text,
  ...owner,
  deposit,
  facts: {
    'intent?': intent,
    'routeId?': hash,
    'balance?': { totalReceivedRaw: amount, block: whole },
    'worthApproval?': { amountOutMin: amount, totalReceivedRaw: amount, at: whole, 'seal?': text },
    'fees?': fees,
    'gasLimit?': amount,
    'route?': route,
    'candidates?': candidate.array(),
  },
})

const signingRequest = type({
  execution: signable,
  deadline: whole,
  accountSalt: hash,
  organization: type({ id: text, 'policy?': type({ '+': 'ignore' }).or('null'), 'policySeal?': text.or('null') }).or(
    'null',
  ),
})
const intentQuestion = type({ ...owner, deposit, facts: { 'intent?': intent } })

type IntentQuestion = Omit<SigningRequest['execution'], 'id'>

const readBy =
  <Value>(schema: (value: unknown) => unknown) =>
  (value: unknown): Value | null => {
    const read = schema(value)
    return read instanceof type.errors ? null : (read as Value)
  }

/** Returns the paths of malformed fields in a request, without their values. */
export function wrongPathsOf(verb: Exclude<Verb, 'status'>, question: unknown): string[] {
  const read = (verb === 'sign' ? signingRequest : intentQuestion)(question)
  return read instanceof type.errors ? read.map(({ propString }) => propString || 'the whole request').slice(0, 10) : []
}

/** Reads a worker's request strictly. Null if it has no valid form. */
export const readSigningRequest = readBy<SigningRequest>(signingRequest)
export const readIntentQuestion = readBy<IntentQuestion>(intentQuestion)

/** What a signer may wait for. None of these ends an execution. */
const signerWaits = ['NODE', 'PROVIDER', 'SIGNER', 'WORTH'] as const
type SignerWait = (typeof signerWaits)[number]
const retryMsMax = 10 * 60_000

/** Why there is no order. `why` is for the requester's log. */
const failure = type({ kind: "'CODE'", code: type.enumerated(...errorCodes), why: 'string' })
  .or({ kind: "'WORTH'", why: 'string' })
  .or({
    kind: "'WAIT'",
    waitingFor: type.enumerated(...signerWaits),
    who: text,
    askAgainInMs: `0 <= number <= ${retryMsMax}`,
    why: 'string',
  })
type Failure = typeof failure.infer

const signAnswer = type({
  order: { id: hash, deadline: whole, signature: type(/^0x[0-9a-f]{130}$/) },
  'log?': { count: whole, last: type(/^[0-9a-f]{64}$/) },
}).or({ failure })

export type SignAnswer = { order: OrderSignature; log?: LogHead } | { failure: Failure }
export type IntentAnswer = { objection: string | null }
/** The signer's own report. `at` is its clock, in milliseconds since 1970. */
export type SignerStatus = { address: Address; at: number; version: string; log?: LogHead }

/** Reads the signer's response strictly. Null if it has no valid form. */
export const readSignAnswer = readBy<SignAnswer>(signAnswer)

const refusals: readonly string[] = ['SIGNER_REFUSED', 'INTENT_NOT_SEALED']

const whyOf = ({ cause }: { cause?: unknown }): string => (cause instanceof Error ? cause.message : '')

/** Returns an error as a worker receives it. Null for a bug, whose details stay with the signer. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof WorthUnknown) return { kind: 'WORTH', why: whyOf(error) }
  if (error instanceof TemporarilyUnavailable) {
    const { who, waitingFor, retryInMs } = error
    return {
      ...{ kind: 'WAIT', who, why: whyOf(error) },
      waitingFor: isSignerWait(waitingFor) ? waitingFor : 'SIGNER',
      askAgainInMs: Math.min(retryInMs, retryMsMax),
    }
  }
  return error instanceof RoutingError ? { kind: 'CODE', code: error.code, why: whyOf(error) } : null
}

const isSignerWait = (reason: string): reason is SignerWait => (signerWaits as readonly string[]).includes(reason)

/**
 * Returns the same error for the worker to throw, or null if the signer may not decide it. A signer may refuse, and may
 * fail at something that is retried. Any other code would end the execution on the signer's word alone.
 */
export function errorOf(failure: Failure): Error | null {
  const cause = new Error(failure.why)
  if (failure.kind === 'WORTH') return new WorthUnknown(failure.why)
  if (failure.kind === 'WAIT')
    return new TemporarilyUnavailable(failure.who, failure.askAgainInMs, failure.waitingFor, { cause })
  const error = new RoutingError(failure.code, { cause })
  return refusals.includes(failure.code) || error.retryable ? error : null
}
