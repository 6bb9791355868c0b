import { encodeFunctionData, erc20Abi, getAddress, isAddress, toHex } from 'viem'
import { type ChainId, isChainId } from '../../domain/chain/chain'
import { type Address, type Hash, type Hex, zeroAddress } from '../../domain/chain/hex'
import {
  type RelayOrder,
  type RelayParties,
  relayChain,
  relayDeposit,
  relayDepository,
  relayOrder,
  relayOrderId,
} from '../../protocols/relay/relay-order'
import { accounts } from '../chains/accounts'
import { convert, usd } from '../chains/prices'
import { type PricedToken, tokenOf } from '../chains/tokens'

type RelayRequest = RelayParties & {
  sold: PricedToken
  bought: PricedToken
  slippageBps: number
  withProtocol: boolean
}
/** An offered order. The solver fills no others. */
export type OfferedOrder = { requestId: Hash; orderId: Hash; order: RelayOrder; parties: RelayParties }

/** The simulated solver's fee, slightly higher than that of the simulated bridge. */
const feeBps = 15n
const fillWithinSeconds = 86_400
const fillContract: Hash = '0x000000000000000000000000b92fe925dc43a0ecde6c8b1a2709c170ec4fff4f'

export const relayError = (status: number, errorCode: string, message: string): Response =>
  Response.json({ message, errorCode, requestId: toHex(crypto.getRandomValues(new Uint8Array(32))) }, { status })

/** Reads a request for a quote. @returns the request, or the error that Relay would return. */
export function readRelayRequest(body: Record<string, unknown>): RelayRequest | Response {
  const { user, originChainId, destinationChainId, originCurrency, destinationCurrency, amount } = body
  const { tradeType, slippageTolerance = '50' } = body
  const recipient = body['recipient'] ?? user
  for (const address of [user, recipient, originCurrency, destinationCurrency])
    if (typeof address !== 'string' || !isAddress(address, { strict: false }))
      return relayError(400, 'INVALID_ADDRESS', 'Invalid address')
  if (tradeType !== 'EXACT_INPUT') return relayError(400, 'UNSUPPORTED_EXECUTION_TYPE', 'Only EXACT_INPUT here')
  if (typeof slippageTolerance !== 'string' || !/^([0-9]{1,4}|10000)$/.test(slippageTolerance))
    return relayError(400, 'INVALID_SLIPPAGE_TOLERANCE', 'slippageTolerance must be basis points as text')
  if (typeof amount !== 'string' || !/^[0-9]{1,78}$/.test(amount) || BigInt(amount) === 0n)
    return relayError(400, 'AMOUNT_TOO_LOW', 'Amount is too low')
  const [from, to] = [Number(originChainId), Number(destinationChainId)]
  if (!isChainId(from) || !isChainId(to)) return relayError(400, 'UNSUPPORTED_CHAIN', 'Chain is not supported')
  const [sold, bought] = [tokenOf(from, originCurrency as string), tokenOf(to, destinationCurrency as string)]
  // The sandbox tokens, which force an outcome, exist at LI.FI only.
  if (!sold || !bought || sold.symbol.startsWith('SY-') || bought.symbol.startsWith('SY-'))
    return relayError(400, 'UNSUPPORTED_CURRENCY', 'Currency is not supported')
  if (from === to) return relayError(400, 'NO_INTERNAL_SWAP_ROUTES_FOUND', 'No swap on one chain here')
  return {
    solver: accounts.relaySolver.address,
    account: getAddress(user as string),
    fromChainId: from,
    sold,
    bought,
    token: sold.address,
    amount: BigInt(amount),
    toChainId: to,
    tokenOut: bought.address,
    recipient: getAddress(recipient as string),
    slippageBps: Number(slippageTolerance),
    withProtocol: body['includeProtocolData'] === true,
  }
}

/**
 * Makes a quote as Relay does: an approval, a deposit, and the order behind the id of the deposit.
 *
 * @returns null if the amount is too low.
 */
export async function relayQuote(
  request: RelayRequest,
  now: number,
): Promise<{ body: object; offered: OfferedOrder } | null> {
  const { sold, bought, amount, fromChainId } = request
  const expected = convert(amount - (amount * feeBps) / 10_000n, sold, bought)
  const minimum = (expected * (10_000n - BigInt(request.slippageBps))) / 10_000n
  if (minimum === 0n) return null
  const terms = orderTerms(request, expected, minimum, now + fillWithinSeconds)
  const order = relayOrder(request, terms)
  const orderId = relayOrderId(order)
  const requestId = random()
  const body = {
    steps: quoteSteps(request, terms, requestId),
    details: {
      operation: 'swap',
      sender: request.account,
      recipient: request.recipient,
      timeEstimate: 3,
      currencyIn: currencyAmount(sold, amount, amount),
      currencyOut: currencyAmount(bought, expected, minimum),
      totalImpact: { usd: '-0.04', percent: '-0.15' },
      slippageTolerance: { total: `${request.slippageBps}` },
      route: { origin: { router: 'relay' }, destination: { router: 'relay' } },
    },
    ...(request.withProtocol && {
      protocol: {
        v2: {
          orderId,
          hubType: 'onchain',
          orderData: order,
          orderSignature: await accounts.relaySolver.signMessage({ message: { raw: orderId } }),
          paymentDetails: {
            chainId: relayChain(fromChainId),
            depository: relayDepository,
            currency: sold.address,
            amount: `${amount}`,
          },
        },
      },
    }),
  }
  return { body, offered: { requestId, orderId, order, parties: request } }
}

function orderTerms({ sold, bought }: RelayRequest, expected: bigint, minimum: bigint, deadline: number) {
  const refund = (isDestination: boolean, currency: Address) => ({
    isDestination,
    currency,
    minimumAmount: 0n,
    deadline,
    extraData: fillContract,
  })
  return {
    salt: random(),
    expectedAmount: expected,
    minimumAmount: minimum,
    deadline,
    extraData: fillContract,
    refunds: [refund(false, sold.address), refund(true, bought.address)],
  }
}

/** The transactions of a quote: an approval, unless native coin is sold, and the deposit. */
function quoteSteps(request: RelayRequest, terms: ReturnType<typeof orderTerms>, requestId: Hash) {
  const { sold, amount } = request
  const isNative = sold.address === zeroAddress
  const data: Hex = `0x${relayDeposit(request, terms).slice(2, 10 + (isNative ? 64 : 128) * 2)}`
  const transaction = (to: Address, call: Hex, value: bigint) => ({
    from: request.account,
    to,
    data: call,
    value: `${value}`,
    chainId: request.fromChainId,
    gas: '90000',
    maxFeePerGas: '3000000000',
    maxPriorityFeePerGas: '1000000000',
  })
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [relayDepository, amount] })
  const step = (id: string, item: object) => ({
    id,
    action: 'Confirm transaction in your wallet',
    description: '',
    kind: 'transaction',
    requestId,
    items: [{ status: 'incomplete', ...item }],
  })
  const check = { endpoint: `/intents/status/v3?requestId=${requestId}`, method: 'GET' }
  return [
    ...(isNative ? [] : [step('approve', { data: transaction(sold.address, approval, 0n) })]),
    step('deposit', { data: transaction(relayDepository, data, isNative ? amount : 0n), check }),
  ]
}

const random = (): Hash => toHex(crypto.getRandomValues(new Uint8Array(32)))

const currencyAmount = (token: PricedToken, amount: bigint, minimum: bigint) => ({
  currency: {
    chainId: token.chainId as ChainId,
    address: token.address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    metadata: { logoURI: '', verified: true },
  },
  amount: `${amount}`,
  amountUsd: usd(amount, token),
  minimumAmount: `${minimum}`,
})
