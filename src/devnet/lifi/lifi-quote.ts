import { concat, getAddress, type Hex, isAddress, slice, toFunctionSelector, toHex, zeroAddress } from 'viem'
import { lifiCodes } from '../../protocols/lifi/lifi-answers'
import { bridgeAddress } from '../chains/contracts'
import { convert, usd } from '../chains/prices'
import { type PricedToken, tokenOf } from '../chains/tokens'
import { isAllowed, lifiBridges } from './lifi-bridges'
import { swapCall } from './lifi-calls'
import { lifiError, noRoute, rateLimit } from './lifi-error'
import { lifiChain, lifiToken } from './lifi-token'
import type { Costs, QuoteRequest } from './quote-request'

const required = ['fromChain', 'toChain', 'fromToken', 'toToken', 'fromAddress', 'fromAmount']
/** LI.FI's own fee: 0.1 % here. */
const feeBps = 10n
const gasLimit = 260_000n
/** The time for a fill in real responses of Across. */
const fillWithinSeconds = 9_300

/** A function that is in none of our tables. */
const newFunction = toFunctionSelector('function ofTheNextRelease()')

/** The request, or LI.FI's refusal of it. */
export function readQuoteRequest(query: URLSearchParams): QuoteRequest | Response {
  for (const name of required) if (!query.get(name)) return invalid(`/${name} Missing required property`)
  const fromAddress = query.get('fromAddress')!
  const toAddress = query.get('toAddress') ?? fromAddress
  const amount = query.get('fromAmount')!
  const slippage = Number(query.get('slippage') ?? '0.005')
  if (!isAddress(fromAddress) || !isAddress(toAddress)) return invalid('Invalid address')
  if (!/^[0-9]{1,78}$/.test(amount) || BigInt(amount) === 0n) return invalid('/fromAmount must be a positive integer')
  if (!(slippage >= 0 && slippage <= 1)) return invalid('/slippage must be between 0 and 1')
  const [fromChain, toChain] = [lifiChain(query.get('fromChain')), lifiChain(query.get('toChain'))]
  if (!fromChain || !toChain) return lifiError(404, lifiCodes.NOT_FOUND, 'Chain not found')
  const fromToken = tokenOf(fromChain, query.get('fromToken')!)
  const toToken = tokenOf(toChain, query.get('toToken')!)
  if (!fromToken || !toToken) return lifiError(404, lifiCodes.NOT_FOUND, 'Token not found')
  const isCrossing = fromChain !== toChain
  const bridges = lifiBridges.filter(
    (bridge) =>
      isCrossing &&
      isAllowed(bridge, query.get('allowBridges'), query.get('denyBridges')) &&
      bridge.carries(fromToken, toToken),
  )
  if (isCrossing && bridges.length === 0) {
    return noRoute(pathOf(fromToken, toToken), 'NO_POSSIBLE_ROUTE', 'No allowed bridge carries it')
  }
  const addresses = { fromAddress: getAddress(fromAddress), toAddress: getAddress(toAddress) }
  const integrator = query.get('integrator') ?? 'lifi-api'
  return { fromChain, toChain, fromToken, toToken, ...addresses, amount: BigInt(amount), slippage, integrator, bridges }
}

const invalid = (message: string): Response => lifiError(400, lifiCodes.VALIDATION, message)

const pathOf = (from: PricedToken, to: PricedToken): string =>
  `${from.chainId}:${from.symbol}-across-${to.chainId}:${to.symbol}`

/** `fault` is the false part of the quote, one of `quoteFaults`; null for an honest quote. */
type QuoteOptions = { gasPriceWei: bigint; now: number; fault: string | null }

/** Faults of quotes alone. */
export const quoteFaults = ['NO_ROUTE', 'LOW_OUTPUT', 'UNDERPAY', 'FEE_GRAB', 'NATIVE_FEE', 'UNREADABLE', 'REFUSED']

/** A quote as LI.FI gives it: one step, a bridge or a swap, with the transaction that does it. */
export function quote(request: QuoteRequest, { gasPriceWei, now, fault }: QuoteOptions): Response {
  const { fromToken, toToken, amount, slippage } = request
  if (fromToken.symbol === 'SY-NOROUTE' || fromToken.decimals > 36) {
    return noRoute(pathOf(fromToken, toToken), 'NO_POSSIBLE_ROUTE', 'No route for this token')
  }
  const honestFee = (amount * feeBps) / 10_000n
  const whole = convert(amount - honestFee, fromToken, toToken)
  // With FEE_GRAB all but one unit is LI.FI's fee. The multiplier still turns that unit into the promised minimum.
  const fee = fault === 'FEE_GRAB' && amount > 1n ? amount - 1n : honestFee
  const net = amount - fee
  const wanted = fault === 'LOW_OUTPUT' ? (whole * 8n) / 10n : fault === 'UNDERPAY' && whole > 2n ? 2n : whole
  if (wanted === 0n) return noRoute(pathOf(fromToken, toToken), 'AMOUNT_TOO_LOW', 'The amount is too low')
  const [bridge] = request.bridges
  const transactionId = toHex(crypto.getRandomValues(new Uint8Array(32)))
  const minimum = leastOf(wanted, slippage)
  const costs: Costs = { net, fee, output: wanted, minimum, now, deadline: now + fillWithinSeconds }
  const { output, data } = bridge
    ? bridge.offer(request, transactionId, costs)
    : { output: wanted, data: swapCall(request, transactionId, costs) }
  const nativeFee = (bridge?.nativeFeeWei ?? 0n) + (fault === 'NATIVE_FEE' ? 10n ** 18n : 0n)
  const called = fault === 'UNREADABLE' ? concat([newFunction, slice(data, 4)]) : data
  const offer = { request, transactionId, output, data: called, minimum, fee, nativeFee, gasPriceWei }
  return Response.json(bodyOf(offer), { headers: rateLimit })
}

/** The offer for a request, and the transaction's calldata. Amounts are atomic units of their own token. */
type Offer = {
  request: QuoteRequest
  transactionId: Hex
  output: bigint
  data: Hex
  minimum: bigint
  fee: bigint
  nativeFee: bigint
  gasPriceWei: bigint
}

function bodyOf(offer: Offer) {
  const { request, transactionId, data, fee, nativeFee, gasPriceWei } = offer
  const { fromChain, toChain, fromToken, toToken, amount, slippage, fromAddress, toAddress } = request
  const { key, name } = toolOf(request)
  const action = {
    fromChainId: fromChain,
    toChainId: toChain,
    fromToken: lifiToken(fromToken),
    toToken: lifiToken(toToken),
    fromAmount: `${amount}`,
    slippage,
    fromAddress,
    toAddress,
  }
  const used = { tool: key, toolDetails: { key, name, logoURI: '' }, action, estimate: estimateOf(offer) }
  const step = { id: crypto.randomUUID(), type: request.bridges.length > 0 ? 'cross' : 'swap', ...used }
  return {
    type: 'lifi',
    id: `${step.id}:0`,
    ...used,
    includedSteps: [...(fee > 0n ? [{ ...step, type: 'protocol', tool: 'feeCollection' }] : []), step],
    integrator: request.integrator,
    transactionId,
    transactionRequest: {
      to: bridgeAddress,
      from: fromAddress,
      chainId: fromChain,
      data,
      value: toHex((fromToken.address === zeroAddress ? amount : 0n) + nativeFee),
      gasPrice: toHex(gasPriceWei),
      gasLimit: toHex(gasLimit),
    },
  }
}

const toolOf = ({ bridges: [bridge] }: QuoteRequest): { key: string; name: string } =>
  bridge ?? { key: 'devswap', name: 'DevSwap' }

function estimateOf({ request, output, minimum, fee, nativeFee, gasPriceWei }: Offer) {
  const { fromChain, fromToken, toToken, amount, bridges } = request
  const native = tokenOf(fromChain, 'native')!
  return {
    tool: toolOf(request).key,
    approvalAddress: bridgeAddress,
    approvalReset: fromChain === 1 && fromToken.symbol === 'USDT',
    fromAmount: `${amount}`,
    toAmount: `${output}`,
    toAmountMin: `${minimum}`,
    fromAmountUSD: usd(amount, fromToken),
    toAmountUSD: usd(output, toToken),
    executionDuration: bridges.length > 0 ? 5 : 1,
    feeCosts: [
      {
        name: 'LIFI Fixed Fee',
        description: 'Fixed LIFI fee',
        percentage: '0.001',
        token: lifiToken(fromToken),
        amount: `${fee}`,
        amountUSD: usd(fee, fromToken),
        included: true,
      },
      ...(nativeFee > 0n ? [messagingFee(native, nativeFee)] : []),
    ],
    gasCosts: [
      {
        type: 'SEND',
        price: `${gasPriceWei}`,
        estimate: `${gasLimit}`,
        limit: `${gasLimit}`,
        amount: `${gasLimit * gasPriceWei}`,
        amountUSD: usd(gasLimit * gasPriceWei, native),
        token: lifiToken(native),
      },
    ],
  }
}

const leastOf = (amount: bigint, slippage: number): bigint => {
  const remaining = 1_000_000n - BigInt(Math.round(slippage * 1_000_000))
  return (amount * remaining + 999_999n) / 1_000_000n
}

const messagingFee = (native: PricedToken, amountWei: bigint) => ({
  name: 'Messaging fee',
  description: 'Fee for the message',
  percentage: '0',
  included: false,
  token: lifiToken(native),
  amount: `${amountWei}`,
  amountUSD: usd(amountWei, native),
})
