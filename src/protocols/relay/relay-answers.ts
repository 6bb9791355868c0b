import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { parseAmount } from '../../domain/money/amount'
import { type } from '../../domain/schema'

const Units = type('string').pipe((text, ctx) => parseAmount(text) ?? ctx.error('an amount'))
const AddressText = type(/^0x[0-9a-fA-F]{40}$/).as<Address>()
const HashText = type(/^0x[0-9a-fA-F]{64}$/).as<Hash>()
const Bytes = type(/^0x([0-9a-fA-F]{2})*$/).as<Hex>()
const Seconds = type('0 < number.integer <= 4294967295')

const Refund = type({
  chainId: 'string <= 100',
  recipient: AddressText,
  currency: AddressText,
  minimumAmount: Units,
  deadline: Seconds,
  extraData: HashText,
})

const Order = type({
  version: "'v1'",
  solverChainId: 'string <= 100',
  solver: AddressText,
  salt: HashText,
  inputs: type({
    payment: { chainId: 'string <= 100', currency: AddressText, amount: Units, weight: "'1'" },
    refunds: Refund.array().atLeastLength(1).atMostLength(4),
  })
    .array()
    .exactlyLength(1),
  output: {
    chainId: 'string <= 100',
    payments: type({ recipient: AddressText, currency: AddressText, minimumAmount: Units, expectedAmount: Units })
      .array()
      .exactlyLength(1),
    calls: type('unknown[]').exactlyLength(0),
    deadline: Seconds,
    extraData: HashText,
  },
  fees: type('unknown[]').exactlyLength(0),
})

const Step = type({
  id: 'string <= 100',
  kind: 'string <= 100',
  'requestId?': HashText,
  items: type({
    data: { 'from?': AddressText, to: AddressText, data: Bytes, value: Units, 'chainId?': 'number.integer' },
    'check?': { endpoint: 'string <= 500' },
  })
    .array()
    .exactlyLength(1),
})

const Currency = type({ currency: { chainId: 'number.integer', address: AddressText }, amount: Units })

/** The fields that we use of the response to POST /quote/v2. Its numbers are decimal text. */
export const RelayQuote = type({
  'requestId?': HashText,
  steps: Step.array().atLeastLength(1).atMostLength(4),
  details: {
    sender: AddressText,
    recipient: AddressText,
    'timeEstimate?': '0 <= number <= 10000000',
    currencyIn: Currency,
    currencyOut: type({ '...': Currency, minimumAmount: Units }),
    'slippageTolerance?': type({ 'total?': 'unknown' }),
  },
  protocol: {
    v2: {
      orderId: HashText,
      orderData: Order,
      orderSignature: type(/^0x[0-9a-fA-F]{130}$/).as<Hex>(),
      paymentDetails: { chainId: 'string', depository: AddressText, currency: AddressText, amount: Units },
    },
  },
})
export type RelayQuote = typeof RelayQuote.infer

/** The response to GET /currencies/token/price. A token without a price may have none. */
export const RelayPrice = type({ 'price?': 'number | null' })

/** Only the steps, which show whether the quote is a deposit with a readable order or something else. */
export const RelaySteps = type({ steps: type({ id: 'string', kind: 'string' }).array() })

export const RelayStatus = type({
  status: 'string <= 100',
  'inTxHashes?': HashText.array().or('null'),
  'txHashes?': HashText.array().or('null'),
})
