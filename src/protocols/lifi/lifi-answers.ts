import type { Address, Hash, Hex } from '../../domain/chain/hex'
import { parseAmount } from '../../domain/money/amount'
import { type } from '../../domain/schema'

const hexadecimal = /^0x[0-9a-fA-F]{1,64}$/

/**
 * Parses an amount in decimal or hexadecimal, as providers write it. Returns null for anything else: a JSON number may
 * have lost digits.
 */
function parseUnits(text: unknown): bigint | null {
  if (typeof text === 'string' && hexadecimal.test(text)) return BigInt(text)
  return parseAmount(text)
}

const Units = type('string').pipe((text, ctx) => parseUnits(text) ?? ctx.error('an amount'))

const AddressText = type(/^0x[0-9a-fA-F]{40}$/).as<Address>()

const HashText = type(/^0x[0-9a-fA-F]{64}$/).as<Hash>()

const Asset = type({ address: AddressText, chainId: 'number' })

/** The fields that we use of the response to GET /quote. */
export const LifiQuote = type({
  tool: '1 <= string <= 100',
  action: {
    fromToken: Asset,
    toToken: Asset,
    fromAmount: Units,
    fromAddress: AddressText,
    toAddress: AddressText,
    'slippage?': '0 <= number <= 1',
  },
  estimate: {
    fromAmount: Units,
    toAmount: Units,
    toAmountMin: Units,
    'approvalAddress?': AddressText,
    executionDuration: '0 <= number <= 10000000',
  },
  'includedSteps?': type({ type: 'string' }).array(),
  transactionRequest: {
    to: AddressText,
    data: type(/^0x([0-9a-fA-F]{2}){4,}$/).as<Hex>(),
    value: Units,
    'chainId?': 'number',
  },
})

export type LifiQuote = typeof LifiQuote.infer

/** The fields that we use of the response to GET /status. */
export const LifiStatus = type({
  status: 'string',
  'substatus?': 'string',
  'receiving?': 'object | null',
  'sending?': 'unknown',
  'transactionId?': 'unknown',
})

/** The transaction on either side in a status, if there is one. */
export const LifiSide = type({ txHash: HashText, 'chainId?': 'number' })

/** The field that we use of the response to GET /token. A token without a price may have none. */
export const LifiPrice = type({ 'priceUSD?': 'string | null' })

/** LI.FI's codes, https://docs.li.fi/api-reference/error-codes. An unlisted code has the meaning of its HTTP status. */
export const lifiCodes = { NO_QUOTE: 1002, NOT_FOUND: 1003, VALIDATION: 1011 }
