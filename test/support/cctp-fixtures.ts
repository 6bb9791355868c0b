import type { Hex } from '../../src/domain/chain/hex'
import { defaultPolicy } from '../../src/domain/execution/route'
import type { RouteRequest } from '../../src/ports/gate'
import { depositForBurn, domainOf, messageTransmitter, tokenMessenger, wordOf } from '../../src/protocols/cctp/burn'
import { type BurnMessage, messageOf } from '../../src/protocols/cctp/message'
import { receiveMessage } from '../../src/protocols/cctp/mint'
import type { AggregatorFixtures } from './lifi-fixtures'

/** Responses in the shapes that Circle documents. The fees are Circle's published fees for Base in 2026. */
const fees = (fast: number, standard: number) => [
  { finalityThreshold: 1000, minimumFee: fast },
  { finalityThreshold: 2000, minimumFee: standard },
]
const nobody = `0x${'0'.repeat(64)}` as const
const nonce = `0x${'c'.repeat(64)}` as const
export const attestation = `0x${'5'.repeat(260)}` as const

export const burnOf = (request: RouteRequest) => ({
  amount: request.amountIn,
  destinationDomain: domainOf(request.toChainId),
  mintRecipient: wordOf(request.recipient),
  burnToken: request.fromToken,
  destinationCaller: nobody,
  maxFee: 3_900n,
  minFinalityThreshold: 1000,
})

/** The message of a burn as Circle attests it. */
export const messageFor = (request: RouteRequest, change: Partial<BurnMessage> = {}): BurnMessage => {
  const { amount, destinationDomain, mintRecipient, burnToken, destinationCaller, ...terms } = burnOf(request)
  return {
    version: 1,
    sourceDomain: domainOf(request.fromChainId),
    destinationDomain,
    nonce,
    sender: wordOf(tokenMessenger),
    recipient: wordOf(tokenMessenger),
    destinationCaller,
    ...terms,
    finalityThresholdExecuted: 1000,
    bodyVersion: 1,
    burnToken: wordOf(burnToken),
    mintRecipient,
    amount,
    messageSender: wordOf(request.account),
    feeExecuted: 3_250n,
    expirationBlock: 42_809_670n,
    hookData: '0x',
    ...change,
  }
}

/** Circle's response for a message that is attested, or that still waits for its block. */
export const attested = (message: BurnMessage, change: object = {}) => ({
  attestation,
  message: messageOf(message),
  eventNonce: message.nonce,
  cctpVersion: 2,
  status: 'complete',
  decodedMessage: { sourceDomain: `${message.sourceDomain}` },
  ...change,
})
const waiting = {
  attestation: 'PENDING',
  message: '0x',
  eventNonce: '',
  cctpVersion: 2,
  status: 'pending_confirmations',
}

const body = (status: number, value: unknown) => () => Response.json(value, { status })
const said = (...messages: object[]) => body(200, { messages })
/** The request that the contract tests make. */
const request: RouteRequest = {
  fromChainId: 8453,
  fromToken: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  amountIn: 25_000_000n,
  toChainId: 42161,
  toToken: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  policy: defaultPolicy,
  account: '0x3820000000000000000000000000000000000021',
  recipient: '0xbe00000000000000000000000000000000000079',
}
const ours = messageFor(request)
const mint = {
  kind: 'ATTESTED',
  mint: { target: messageTransmitter, data: receiveMessage(messageOf(ours), attestation), nonce },
}
const pending = { kind: 'PENDING' }
const thief: Hex = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
/** Messages of a transaction that the reader cannot parse, from any sender. */
const unreadable: object[] = [
  null as never,
  {},
  { status: 7 },
  { status: 'complete', message: 'none', attestation },
  attested(messageFor(request, { messageSender: wordOf(thief) }), { attestation: '0x5555' }),
  attested(messageFor(request, { messageSender: wordOf(thief) }), { message: `0x${'00'.repeat(20_000)}` }),
]
/** A fast transfer that takes as long as a standard transfer from Base to Arbitrum. */
const delayed = (reason: string) => ({ kind: 'PENDING', delay: { reason, expectedSeconds: 2_046 } })
const anothers: Record<string, Partial<BurnMessage>> = {
  'to a third party': { mintRecipient: wordOf(thief) },
  'by a third party': { messageSender: wordOf(thief) },
  'of another amount': { amount: 24_999_999n },
  'of another token': { burnToken: wordOf(thief) },
  'to another chain': { destinationDomain: 7 },
  'from another chain': { sourceDomain: 0 },
  'at another fee': { maxFee: 3_901n },
  'at another finality': { minFinalityThreshold: 2000, finalityThresholdExecuted: 2000 },
  'of another contract': { sender: wordOf(thief) },
  'for one caller': { destinationCaller: wordOf(thief) },
  'with a hook': { hookData: '0x01' },
  'that keeps more than we allowed': { feeExecuted: 3_901n },
  'without a nonce': { nonce: nobody },
}

export const cctpFixtures: AggregatorFixtures = {
  keyHeader: null,
  reference: null,
  good: () => fees(1.3, 0),
  aside: { '/v2/fastBurn/USDC/allowance': { allowance: 9_119_319.307502, lastUpdated: '2026-11-24T00:00:00Z' } },
  call: (wanted) => depositForBurn(burnOf(wanted)),
  asked: ({ pathname }, sent) => ({ pathname, sent }),
  asks: { pathname: '/v1/v2/burn/USDC/fees/6/3', sent: null },
  route: (wanted) => ({
    provider: 'cctp',
    kind: 'BRIDGE',
    amountIn: '25000000',
    amountOutExpected: '24996750',
    amountOutMin: '24996100',
    expectedSeconds: 26,
    hops: 1,
    slippageBps: 0,
    reference: null,
    call: { target: tokenMessenger, spender: tokenMessenger, data: depositForBurn(burnOf(wanted)), nativeFee: '0' },
  }),
  noRoute: {
    'no fees': body(200, []),
  },
  refusals: {
    'a bad request': [body(400, { code: 400, error: 'Invalid domain' }), 'PROVIDER_MALFORMED'],
    'fees of finalities that are not listed': [
      body(200, [{ finalityThreshold: 1500, minimumFee: 0 }]),
      'PROVIDER_MALFORMED',
    ],
    'no such page': [body(404, { code: 404, error: 'Not found' }), 'PROVIDER_MALFORMED'],
    'too many requests': [body(429, { code: 429 }), 'PROVIDER_RATE_LIMITED'],
  },
  tampered: {
    'a fee below zero': ['0.minimumFee', -1],
    'a fee above one percent': ['0.minimumFee', 101],
    'a fee that is text': ['0.minimumFee', '1.3'],
    'no fee': ['1.minimumFee', undefined],
    'a finality that is text': ['0.finalityThreshold', '1000'],
    'a finality of a fraction': ['0.finalityThreshold', 1000.5],
  },
  outcomes: {
    'an unknown transaction': [body(404, { code: 404, error: 'Message hash not found' }), pending],
    'no message': [said(), pending],
    'not confirmed yet': [said(waiting), pending],
    'not mentioned yet': [said({ status: 'pending_confirmations', message: null, attestation: null }), pending],
    'known and not confirmed': [said(attested(ours, { status: 'pending_confirmations' })), pending],
    'not confirmed yet, beside an unknown status': [said({ ...waiting, status: 'teleported' }, waiting), pending],
    'attested, beside an unknown status': [said({ ...waiting, status: 'teleported' }, attested(ours)), mint],
    attested: [said(attested(ours)), mint],
    'attested, between unreadable messages': [said(...unreadable, attested(ours), ...unreadable), mint],
    'not confirmed yet, with unreadable messages': [said(...unreadable, waiting), pending],
    'attested, with a reason that is no text': [said(attested(ours, { delayReason: { code: 7 } })), mint],
    'delayed by its fee': [said({ ...waiting, delayReason: 'insufficient_fee' }), delayed('FEE_TOO_LOW')],
    'delayed by its amount': [said({ ...waiting, delayReason: 'amount_above_max' }), delayed('AMOUNT_TOO_LARGE')],
    'delayed by the allowance, with unreadable messages': [
      said({ status: 7 }, { ...waiting, delayReason: 'insufficient_allowance_available' }),
      delayed('ALLOWANCE_USED_UP'),
    ],
    'delayed for an unknown reason': [said({ ...waiting, delayReason: 'constructor' }), delayed('OTHER')],
    'two waiting, one of them delayed': [said(waiting, { ...waiting, delayReason: 'insufficient_fee' }), pending],
    'no longer delayed': [said({ ...waiting, delayReason: null }), pending],
    'attested, among those of others': [
      said(
        waiting,
        ...Object.values(anothers).map((change) => attested(messageFor(request, change))),
        attested(ours, { message: '0x00000000' }),
        attested(ours),
      ),
      mint,
    ],
    ...Object.fromEntries(
      Object.entries(anothers).map(([what, change]) => [what, [said(attested(messageFor(request, change))), pending]]),
    ),
  },
  badOutcomes: {
    'an unknown status': said(attested(ours, { status: 'teleported' })),
    'a page that is missing': () => new Response('Not found', { status: 404 }),
    'no list of messages': body(200, { messages: null }),
    'attested without bytes': said(attested(ours, { message: 'none' })),
    'attested without an attestation': said(attested(ours, { attestation: 'PENDING' })),
    'half a signature': said(attested(ours, { attestation: attestation.slice(0, -2) })),
    'no status': said({ attestation, message: messageOf(ours) }),
    'nothing readable': said(...unreadable),
  },
  prices: { 'no price at all': [body(200, { price: 1 }), null] },
  onDevnet: null,
}
