import { accounts } from '../../src/devnet/chains/accounts'
import type { Hash } from '../../src/domain/chain/hex'
import type { RouteRequest } from '../../src/ports/gate'
import { relayDeposit, relayDepository, relayOrder, relayOrderId } from '../../src/protocols/relay/relay-order'
import type { AggregatorFixtures } from './lifi-fixtures'

/** Responses in the shapes that Relay documents and that its SDK's types publish. Only the solver's key is ours. */
const solver = accounts.relaySolver
const thief = '0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'
const requestId: Hash = `0x92b9${'e'.repeat(60)}`
const fillContract: Hash = '0x000000000000000000000000b92fe925dc43a0ecde6c8b1a2709c170ec4fff4f'
const terms = (request: RouteRequest) => {
  const refund = { minimumAmount: 0n, deadline: 4_000_000_000, extraData: fillContract }
  return {
    salt: `0x${'5'.repeat(64)}` as Hash,
    expectedAmount: 24_921_004n,
    minimumAmount: 24_796_399n,
    deadline: 4_000_000_000,
    extraData: fillContract,
    refunds: [
      { ...refund, isDestination: false, currency: request.fromToken },
      { ...refund, isDestination: true, currency: request.toToken },
    ],
  }
}
const partiesOf = (request: RouteRequest) => ({
  solver: solver.address,
  account: request.account,
  fromChainId: request.fromChainId,
  token: request.fromToken,
  amount: request.amountIn,
  toChainId: request.toChainId,
  tokenOut: request.toToken,
  recipient: request.recipient,
})
const shown = (chainId: number, address: string, amount: string, minimumAmount: string) => ({
  currency: { chainId, address, symbol: 'USDC', name: 'USD Coin', decimals: 6, metadata: { logoURI: '' } },
  amount,
  amountFormatted: '25.0',
  amountUsd: '24.99',
  minimumAmount,
})

async function quoteFor(request: RouteRequest) {
  const [parties, said] = [partiesOf(request), terms(request)]
  const order = relayOrder(parties, said)
  const orderId = relayOrderId(order)
  const amount = String(request.amountIn)
  const gas = { gas: '90000', maxFeePerGas: '3000000000', maxPriorityFeePerGas: '1000000000' }
  const from = { from: request.account, value: '0', chainId: request.fromChainId, ...gas }
  const check = { endpoint: `/intents/status/v3?requestId=${requestId}`, method: 'GET' }
  const step = (id: string, item: object) => ({
    id,
    action: 'Confirm transaction in your wallet',
    description: 'Depositing funds',
    kind: 'transaction',
    requestId,
    items: [{ status: 'incomplete', ...item }],
  })
  return {
    steps: [
      step('approve', { data: { ...from, to: request.fromToken, data: `0x095ea7b3${'00'.repeat(64)}` } }),
      step('deposit', {
        data: { ...from, to: relayDepository, data: relayDeposit(parties, said).slice(0, 266) },
        check,
      }),
    ],
    fees: { gas: { currency: {}, amount: '1760000000000' }, relayer: { currency: {}, amount: '78996' } },
    details: {
      operation: 'swap',
      sender: request.account,
      recipient: request.recipient,
      timeEstimate: 2.1,
      currencyIn: shown(request.fromChainId, request.fromToken.toLowerCase(), amount, amount),
      currencyOut: shown(request.toChainId, request.toToken, '24921004', '24796399'),
      totalImpact: { usd: '-0.07', percent: '-0.31' },
      swapImpact: { usd: '-0.05', percent: '-0.2' },
      slippageTolerance: { origin: { percent: '0' }, destination: { percent: '0.5' } },
      route: { origin: { router: 'relay' }, destination: { router: 'relay' } },
    },
    protocol: {
      v2: {
        orderId,
        hubType: 'onchain',
        orderData: order,
        orderSignature: await solver.signMessage({ message: { raw: orderId } }),
        paymentDetails: { chainId: 'base', depository: relayDepository, currency: request.fromToken, amount },
      },
    },
  }
}

const body = (status: number, value: unknown) => () => Response.json(value, { status })
const error = (status: number, errorCode: string) =>
  body(status, { message: 'It failed', errorCode, requestId, errorData: {} })
const hash: Hash = `0x${'b'.repeat(64)}`
const sent: Hash = `0x${'a'.repeat(64)}`
const status = (value: string, txHashes: string[] = [sent, `0x${'B'.repeat(64)}`]) =>
  body(200, {
    status: value,
    inTxHashes: [sent],
    txHashes,
    originChainId: 8453,
    destinationChainId: 42161,
    details: '',
    updatedAt: 1_790_000_000_000,
  })
const deposit = 'steps.1.items.0.data'
const order = 'protocol.v2.orderData'

export const relayFixtures: AggregatorFixtures = {
  keyHeader: 'x-api-key',
  reference: requestId,
  good: quoteFor,
  asked: (_url, sentBody) => sentBody,
  asks: {
    amount: '25000000',
    tradeType: 'EXACT_INPUT',
    slippageTolerance: '50',
    explicitDeposit: true,
    refundTo: '0x3820000000000000000000000000000000000021',
    usePermit: false,
    useExternalLiquidity: false,
    recipient: '0xbe00000000000000000000000000000000000079',
    includeProtocolData: true,
  },
  route: (request) => ({
    provider: 'relay',
    kind: 'BRIDGE',
    amountIn: '25000000',
    amountOutExpected: '24921004',
    amountOutMin: '24796399',
    expectedSeconds: 3,
    hops: 1,
    slippageBps: 49,
    reference: requestId,
    call: {
      target: '0x4cD00E387622C35bDDB9b4c962C136462338BC31',
      spender: '0x4cD00E387622C35bDDB9b4c962C136462338BC31',
      data: relayDeposit(partiesOf(request), terms(request)),
      nativeFee: '0',
    },
  }),
  noRoute: {
    'no swap routes': error(400, 'NO_SWAP_ROUTES_FOUND'),
    'no quotes': error(400, 'NO_QUOTES'),
    'a currency it does not know': error(400, 'UNSUPPORTED_CURRENCY'),
    'a chain it does not know': error(400, 'UNSUPPORTED_CHAIN'),
    'too little': error(400, 'AMOUNT_TOO_LOW'),
    'no liquidity': error(400, 'INSUFFICIENT_LIQUIDITY'),
    'a signature to be given': () =>
      Response.json({ steps: [{ id: 'authorize1', kind: 'signature', items: [{ data: {} }] }], details: {} }),
  },
  refusals: {
    'no prices at the moment': [error(503, 'PRICE_FETCH_FAILED'), 'PROVIDER_FAILED'],
    'a route that is restricted for now': [error(400, 'ROUTE_TEMPORARILY_RESTRICTED'), 'PROVIDER_FAILED'],
    'a chain that is switched off for now': [error(400, 'CHAIN_DISABLED'), 'PROVIDER_FAILED'],
    'an unknown error': [error(500, 'UNKNOWN_ERROR'), 'PROVIDER_FAILED'],
    'a bad request': [error(400, 'INVALID_ADDRESS'), 'PROVIDER_REFUSED'],
    'no such page': [() => new Response('Not found', { status: 404 }), 'PROVIDER_MALFORMED'],
    'a code that is not listed': [error(400, 'SIMULATION_FAILED'), 'PROVIDER_MALFORMED'],
    'a refusal without a code': [
      () => Response.json({ message: 'simulation failed' }, { status: 400 }),
      'PROVIDER_MALFORMED',
    ],
    'a refusal by a server that is down': [error(503, 'INVALID_ADDRESS'), 'PROVIDER_FAILED'],
    'a step that is not listed': [
      () => Response.json({ steps: [{ id: 'bond', kind: 'transaction', items: [{ data: {} }] }], details: {} }),
      'PROVIDER_MALFORMED',
    ],
    'a kind of step that is not listed': [
      () => Response.json({ steps: [{ id: 'deposit', kind: 'intent', items: [{ data: {} }] }], details: {} }),
      'PROVIDER_MALFORMED',
    ],
    'no steps': [() => Response.json({ steps: [], details: {} }), 'PROVIDER_MALFORMED'],
  },
  tampered: {
    'less than nothing': ['details.currencyOut.minimumAmount', '-1'],
    'a minimum of zero': [`${order}.output.payments.0.minimumAmount`, '0'],
    'a minimum above the amount': [`${order}.output.payments.0.minimumAmount`, '24921005'],
    'an amount with a fraction': ['details.currencyOut.amount', '24921004.5'],
    'an amount with an exponent': ['details.currencyOut.amount', '2e7'],
    'an amount that is a number': ['details.currencyOut.amount', 24921004],
    'an amount beyond 256 bits': ['details.currencyOut.amount', '9'.repeat(78)],
    'another amount in': ['details.currencyIn.amount', '25000001'],
    'another recipient': ['details.recipient', thief],
    'another sender': ['details.sender', thief],
    'another token in': ['details.currencyIn.currency.address', thief],
    'another token out': ['details.currencyOut.currency.address', thief],
    'another chain': ['details.currencyOut.currency.chainId', 1],
    'a transaction for another chain': [`${deposit}.chainId`, 1],
    'another target': [`${deposit}.to`, thief],
    'another id in the deposit': [`${deposit}.data`, `0x${'0'.repeat(264)}`],
    'half a byte of data': [`${deposit}.data`, '0xabcdef010'],
    'a negative value': [`${deposit}.value`, '-1'],
    'a value the account cannot pay': [`${deposit}.value`, '10000000000000000'],
    'a duration below zero': ['details.timeEstimate', -1],
    'another depository': ['protocol.v2.paymentDetails.depository', thief],
    'another payment': ['protocol.v2.paymentDetails.amount', '25000001'],
    'a second input': [`${order}.inputs`, []],
    'a call on the destination': [`${order}.output.calls`, ['0x00']],
    'a fee for a third party': [`${order}.fees`, [{ recipient: thief }]],
    'another salt': [`${order}.salt`, `0x${'6'.repeat(64)}`],
    'another deadline': [`${order}.output.deadline`, 4_000_000_001],
    'a refund for another deadline': [`${order}.inputs.0.refunds.0.deadline`, 1],
    'a signature by an unknown key': ['protocol.v2.orderSignature', `0x${'1'.repeat(130)}`],
    'no signature': ['protocol.v2.orderSignature', undefined],
    'no order': ['protocol', undefined],
  },
  outcomes: {
    'an unknown request': [error(404, 'REQUEST_NOT_FOUND'), { kind: 'PENDING' }],
    'not seen yet': [status('waiting', []), { kind: 'PENDING' }],
    depositing: [status('depositing', []), { kind: 'PENDING' }],
    waiting: [status('pending', []), { kind: 'PENDING' }],
    submitted: [status('submitted'), { kind: 'PENDING' }],
    delayed: [status('delayed', []), { kind: 'PENDING' }],
    failed: [status('failure'), { kind: 'PENDING' }],
    completed: [status('success'), { kind: 'DELIVERED', hash }],
    refunded: [status('refund'), { kind: 'RETURNED', hash }],
    'refunded at an unknown place': [status('refund', [sent]), { kind: 'RETURNED', hash: null }],
  },
  badOutcomes: {
    'an unknown status': status('teleported'),
    'a page that is missing': body(404, { statusCode: 404, message: 'Route not found' }),
    'done without a hash': status('success', []),
    'done by the sent hash': status('success', [sent]),
    'done by a malformed hash': status('success', ['0x12']),
    'no status': body(200, { txHashes: [hash] }),
  },
  prices: {
    'a price': [body(200, { price: 0.999795 }), 99_979_500n],
    'a whole price': [body(200, { price: 3000 }), 300_000_000_000n],
    'a fine price': [body(200, { price: 0.000000019999 }), 1n],
    'no price': [body(200, { price: 0 }), null],
    'a negative price': [body(200, { price: -1 }), null],
    'a price beyond all prices': [body(200, { price: 1e300 }), null],
    'a price that is null': [body(200, { price: null }), null],
    'an unknown token': [error(400, 'UNSUPPORTED_CURRENCY'), null],
    'an unknown token, without a code': [body(400, { error: 'No price' }), null],
  },
  badPrices: {
    'a price that is text': body(200, { price: '3000.5' }),
    'nothing at all': body(200, null),
    'a refusal without a reason': () => new Response('Bad request', { status: 400 }),
  },
  /** Relay swaps nothing on one chain, and the devnet's tokens that force an outcome do not affect it. */
  onDevnet: { swap: null, downAnswer: null },
}
