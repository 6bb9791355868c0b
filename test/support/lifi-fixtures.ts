import type { Hex } from '../../src/domain/chain/hex'
import type { Route } from '../../src/domain/execution/route'
import type { RouteRequest } from '../../src/ports/gate'

type Reply = () => Response

/** Fixtures that every provider needs to pass the provider contract. */
export type AggregatorFixtures = {
  /** Null if the provider needs no key. */
  keyHeader: string | null
  reference: string | null
  /** Raw response to a request. */
  good: (request: RouteRequest) => object | Promise<object>
  /** Responses to further requests that a quote needs, by path. */
  aside?: Record<string, object>
  /** Calldata of a route, if the provider looks up an outcome by it. */
  call?: (request: RouteRequest) => Hex
  /** Parses a request that the provider received. `asks` lists the fields it must contain. */
  asked: (url: URL, body: unknown) => unknown
  asks: object
  /** Expected result of parsing the response. */
  route: (request: RouteRequest) => Omit<Route, 'quotedAt'>
  /** Responses that mean there is no route. */
  noRoute: Record<string, Reply>
  refusals: Record<string, [Reply, code: string]>
  /** Each change makes an offer that must be rejected. */
  tampered: Record<string, [path: string, value: unknown]>
  outcomes: Record<string, [Reply, object]>
  badOutcomes: Record<string, Reply>
  prices: Record<string, [Reply, bigint | null]>
  /** Absent if the provider has no prices. */
  badPrices?: Record<string, Reply>
  /** Null if the devnet's stand-in is tested elsewhere. */
  onDevnet: { swap: object | null; downAnswer: string | null } | null
}

/** Responses in the shapes that LI.FI documents and that its types publish. */
const diamond = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
const body = (status: number, value: unknown) => () => Response.json(value, { status })
const toolError = (code: string) => ({
  errorType: 'NO_QUOTE',
  code,
  action: {},
  tool: 'across',
  message: 'No quote',
})
const noQuote = (errors: unknown) =>
  body(404, { message: 'No available quotes for the requested transfer', code: 1002, errors })
const byPath = (...codes: string[]) => ({
  filteredOut: [{ overallPath: '8453:USDC-stargate-42161:USDC', reason: 'Price impact too high' }],
  failed: [{ overallPath: '8453:USDC-across-42161:USDC', subpaths: { '8453:USDC-across': codes.map(toolError) } }],
})

const token = (chainId: number, address: string) => ({
  address,
  chainId,
  symbol: 'USDC',
  decimals: 6,
  name: 'USD Coin',
  coinKey: 'USDC',
  logoURI: 'https://example.org/usdc.png',
  priceUSD: '0.999795',
})

export function quoteFor(request: RouteRequest) {
  const fromAmount = String(request.amountIn)
  const action = {
    fromChainId: request.fromChainId,
    toChainId: request.toChainId,
    fromAmount,
    slippage: 0.005,
    fromToken: token(request.fromChainId, request.fromToken.toLowerCase()),
    toToken: token(request.toChainId, request.toToken),
    fromAddress: request.account,
    toAddress: request.recipient,
  }
  const cost = { type: 'SEND', price: '8000000', estimate: '220000', limit: '275000', amount: '1760000000000' }
  return {
    id: '7a1f2c1e-0d4c-4f5e-9d7b-5d0a4be0e0a1:0',
    type: 'lifi',
    tool: 'across',
    integrator: 'switchyard',
    toolDetails: { key: 'across', name: 'Across', logoURI: 'https://example.org/across.svg' },
    action,
    estimate: {
      tool: 'across',
      fromAmount,
      toAmount: '24921004',
      toAmountMin: '24796399',
      approvalAddress: diamond,
      approvalReset: false,
      executionDuration: 9.4,
      fromAmountUSD: '24.99',
      toAmountUSD: '24.92',
      feeCosts: [{ name: 'LIFI Fixed Fee', percentage: '0.0025', amount: '62500', included: true }],
      gasCosts: [{ ...cost, amountUSD: '0.005', token: token(request.fromChainId, request.fromToken) }],
    },
    includedSteps: [
      { type: 'protocol', tool: 'feeCollection' },
      { type: 'cross', tool: 'across' },
    ],
    transactionRequest: {
      to: diamond.toLowerCase(),
      from: request.account,
      chainId: request.fromChainId,
      data: `0xABCDEF01${'00'.repeat(64)}`,
      value: '0x2386f26fc10000',
      gasPrice: '0x7a1200',
      gasLimit: '0x4a380',
    },
  }
}

const received = (chainId: number) => ({ txHash: `0x${'B'.repeat(64)}`, chainId, amount: '24990000' })
const status = (value: string, substatus?: string, receiving: unknown = received(42161)) =>
  body(200, { transactionId: `0x${'1'.repeat(64)}`, status: value, substatus, receiving, sending: received(8453) })
const hash = `0x${'b'.repeat(64)}`

export const lifiFixtures: AggregatorFixtures = {
  keyHeader: 'x-lifi-api-key',
  reference: 'across',
  good: quoteFor,
  asked: ({ searchParams }) => Object.fromEntries(searchParams),
  asks: {
    fromAmount: '25000000',
    toAddress: '0xbe00000000000000000000000000000000000079',
    slippage: '0.0050',
    allowDestinationCall: 'false',
    allowBridges: 'across,stargateV2',
  },
  route: () => ({
    provider: 'lifi',
    kind: 'BRIDGE',
    amountIn: '25000000',
    amountOutExpected: '24921004',
    amountOutMin: '24796399',
    expectedSeconds: 10,
    hops: 1,
    slippageBps: 50,
    reference: 'across',
    call: { target: diamond, spender: diamond, data: `0xabcdef01${'00'.repeat(64)}`, nativeFee: '10000000000000000' },
  }),
  noRoute: {
    'a path that has none': noQuote(byPath('NO_POSSIBLE_ROUTE')),
    'a list of tools that have none': noQuote([toolError('INSUFFICIENT_LIQUIDITY'), toolError('AMOUNT_TOO_LOW')]),
    'no entry about tools': noQuote(undefined),
    'no tool that was tried': noQuote({ filteredOut: [], failed: [] }),
    'an unknown token': body(404, { message: 'Token not found', code: 1003 }),
  },
  refusals: {
    'a tool that timed out': [noQuote(byPath('NO_POSSIBLE_ROUTE', 'TOOL_TIMEOUT')), 'PROVIDER_FAILED'],
    'a tool that failed, as a list': [noQuote([toolError('RPC_ERROR')]), 'PROVIDER_FAILED'],
    slippage: [body(409, { message: 'Slippage', code: 1007 }), 'PROVIDER_FAILED'],
    'a third party': [body(424, { message: 'Third party', code: 1008 }), 'PROVIDER_FAILED'],
    'a bad request': [body(400, { message: '/fromAmount', code: 1011 }), 'PROVIDER_REFUSED'],
    'tools whose reasons have another form': [
      noQuote({ filteredOut: [], failed: [{ overallPath: 'a', subpaths: { b: [{ reason: 'AMOUNT_TOO_LOW' }] } }] }),
      'PROVIDER_MALFORMED',
    ],
    'one tool whose reason is a number': [noQuote([toolError('AMOUNT_TOO_LOW'), { code: 7 }]), 'PROVIDER_MALFORMED'],
    'reasons that are text': [noQuote('AMOUNT_TOO_LOW'), 'PROVIDER_MALFORMED'],
    'a failed tool beside a reason of another form': [noQuote([toolError('RPC_ERROR'), 'none']), 'PROVIDER_FAILED'],
    'no such page': [() => new Response('Not found', { status: 404 }), 'PROVIDER_MALFORMED'],
    'a code that is not listed': [body(400, { message: 'simulation failed', code: 1099 }), 'PROVIDER_MALFORMED'],
    'a refusal by a server that is down': [body(503, { message: 'away', code: 1011 }), 'PROVIDER_FAILED'],
  },
  tampered: {
    'less than nothing': ['estimate.toAmountMin', '-1'],
    'a minimum of zero': ['estimate.toAmountMin', '0'],
    'a minimum above the amount': ['estimate.toAmountMin', '24921005'],
    'an amount with a fraction': ['estimate.toAmount', '24921004.5'],
    'an amount with an exponent': ['estimate.toAmount', '2e7'],
    'an amount that is a number': ['estimate.toAmount', 24921004],
    'an amount beyond 256 bits': ['estimate.toAmount', '9'.repeat(78)],
    'another amount in': ['action.fromAmount', '25000001'],
    'another recipient': ['action.toAddress', diamond],
    'another sender': ['action.fromAddress', diamond],
    'another token in': ['action.fromToken.address', diamond],
    'another token out': ['action.toToken.address', diamond],
    'another chain': ['action.toToken.chainId', 1],
    'a transaction for another chain': ['transactionRequest.chainId', 1],
    'no target': ['transactionRequest.to', '0x'],
    'no data': ['transactionRequest.data', '0x'],
    'half a byte of data': ['transactionRequest.data', '0xabcdef010'],
    'a negative value': ['transactionRequest.value', '-0x1'],
    'a duration below zero': ['estimate.executionDuration', -1],
    'no spender': ['estimate.approvalAddress', undefined],
    'no transaction': ['transactionRequest', undefined],
  },
  outcomes: {
    'not seen yet': [status('NOT_FOUND', undefined, undefined), { kind: 'PENDING' }],
    'an unknown hash': [body(404, { message: 'Not found', code: 1003 }), { kind: 'PENDING' }],
    waiting: [status('PENDING', 'WAIT_DESTINATION_TRANSACTION', { chainId: 42161 }), { kind: 'PENDING' }],
    'not that tool’s': [status('INVALID', undefined, undefined), { kind: 'PENDING' }],
    'waiting in a new way': [status('PENDING', 'INTENT_MATCHED'), { kind: 'PENDING' }],
    failed: [status('FAILED', 'SLIPPAGE_EXCEEDED'), { kind: 'PENDING' }],
    completed: [status('DONE', 'COMPLETED'), { kind: 'DELIVERED', hash }],
    'another token': [status('DONE', 'PARTIAL'), { kind: 'DELIVERED_OTHERWISE', hash }],
    refunded: [status('DONE', 'REFUNDED', received(8453)), { kind: 'RETURNED', hash }],
    'refunded, with another chain named': [status('DONE', 'REFUNDED', received(42161)), { kind: 'RETURNED', hash }],
    'refunded at an unknown place': [status('DONE', 'REFUNDED', null), { kind: 'RETURNED', hash: null }],
  },
  badOutcomes: {
    'an unknown status': status('INTENT_MATCHED'),
    'done in an unknown way': status('DONE', 'NEW_SUBSTATUS'),
    'done without a word on how': status('DONE'),
    'a page that is missing': () => new Response('Not found', { status: 404 }),
    'done without a hash': status('DONE', 'COMPLETED', { chainId: 42161 }),
    'done on another chain': status('DONE', 'COMPLETED', received(1)),
    'no status': body(200, { substatus: 'COMPLETED' }),
  },
  prices: {
    'a price': [body(200, token(8453, diamond)), 99_979_500n],
    'a whole price': [body(200, { priceUSD: '3000' }), 300_000_000_000n],
    'a fine price': [body(200, { priceUSD: '0.000000019999' }), 1n],
    'no price': [body(200, { priceUSD: '0' }), null],
    'a negative price': [body(200, { priceUSD: '-1' }), null],
    'a price with an exponent': [body(200, { priceUSD: '1e-7' }), null],
    'a price that is null': [body(200, { priceUSD: null }), null],
    'an unknown token': [body(404, { message: 'Token not found', code: 1003 }), null],
  },
  badPrices: {
    'a price that is a number': body(200, { priceUSD: 3000.5 }),
    'nothing at all': body(200, null),
    'a page that is missing': () => new Response('Not found', { status: 404 }),
  },
  onDevnet: { swap: { kind: 'SWAP', hops: 1 }, downAnswer: 'PROVIDER_FAILED' },
}
