import { type Address, getAddress, isAddress, toHex, zeroAddress } from 'viem'
import type { ChainId } from '../domain/chain'
import { bridgeAddress } from './contracts'
import { bridgeCall, swapCall } from './lifi-calls'
import { lifiError, noRoute, rateLimit } from './lifi-error'
import { lifiChain, lifiToken } from './lifi-token'
import { convert, usd } from './prices'
import { type PricedToken, tokenOf } from './tokens'

const required = ['fromChain', 'toChain', 'fromToken', 'toToken', 'fromAddress', 'fromAmount']
/** What the pretended bridge keeps: 0.1 %. */
const feeBps = 10n
const gasLimit = 260_000n
const fillWithinSeconds = 3600

export type QuoteRequest = {
  fromChain: ChainId
  toChain: ChainId
  fromToken: PricedToken
  toToken: PricedToken
  fromAddress: Address
  toAddress: Address
  amount: bigint
  slippage: number
  integrator: string
}

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
  if (!fromChain || !toChain) return lifiError(404, 1003, 'Chain not found')
  const fromToken = tokenOf(fromChain, query.get('fromToken')!)
  const toToken = tokenOf(toChain, query.get('toToken')!)
  if (!fromToken || !toToken) return lifiError(404, 1003, 'Token not found')
  const denied = (query.get('denyBridges') ?? '').split(',')
  const path = pathOf(fromToken, toToken)
  if (fromChain !== toChain && denied.some((each) => each === 'devbridge' || each === 'all')) {
    return noRoute(path, 'NO_POSSIBLE_ROUTE', 'Every bridge is denied')
  }
  const addresses = { fromAddress: getAddress(fromAddress), toAddress: getAddress(toAddress) }
  const integrator = query.get('integrator') ?? 'lifi-api'
  return { fromChain, toChain, fromToken, toToken, ...addresses, amount: BigInt(amount), slippage, integrator }
}

const invalid = (message: string): Response => lifiError(400, 1011, message)

const pathOf = (from: PricedToken, to: PricedToken): string =>
  `${from.chainId}:${from.symbol}-devbridge-${to.chainId}:${to.symbol}`

export type QuoteOptions = { gasPriceWei: bigint; now: number; lowOutput: boolean }

/** A quote as LI.FI gives it: one step, a bridge or a swap, with the transaction that does it. */
export function quote(request: QuoteRequest, { gasPriceWei, now, lowOutput }: QuoteOptions): Response {
  const { fromChain, toChain, fromToken, toToken, amount, slippage } = request
  if (fromToken.symbol === 'SY-NOROUTE' || fromToken.decimals > 36) {
    return noRoute(pathOf(fromToken, toToken), 'NO_POSSIBLE_ROUTE', 'No route for this token')
  }
  const fee = (amount * feeBps) / 10_000n
  const whole = convert(amount - fee, fromToken, toToken)
  const output = lowOutput ? (whole * 8n) / 10n : whole
  if (output === 0n) return noRoute(pathOf(fromToken, toToken), 'AMOUNT_TOO_LOW', 'The amount is too low')
  const kept = 1_000_000n - BigInt(Math.round(slippage * 1_000_000))
  const minimum = (output * kept + 999_999n) / 1_000_000n

  const transactionId = toHex(crypto.getRandomValues(new Uint8Array(32)))
  const bridged = fromChain !== toChain
  const key = bridged ? 'devbridge' : 'devswap'
  const tool = { key, name: bridged ? 'DevBridge' : 'DevSwap', logoURI: '' }
  const native = tokenOf(fromChain, 'native')!
  const action = {
    fromChainId: fromChain,
    toChainId: toChain,
    fromToken: lifiToken(fromToken),
    toToken: lifiToken(toToken),
    fromAmount: `${amount}`,
    slippage,
    fromAddress: request.fromAddress,
    toAddress: request.toAddress,
  }
  const estimate = {
    tool: key,
    approvalAddress: bridgeAddress,
    approvalReset: fromChain === 1 && fromToken.symbol === 'USDT',
    fromAmount: `${amount}`,
    toAmount: `${output}`,
    toAmountMin: `${minimum}`,
    fromAmountUSD: usd(amount, fromToken),
    toAmountUSD: usd(output, toToken),
    executionDuration: bridged ? 5 : 1,
    feeCosts: [
      {
        name: 'Bridge fee',
        description: 'Kept by the devnet bridge',
        percentage: '0.001',
        token: lifiToken(fromToken),
        amount: `${fee}`,
        amountUSD: usd(fee, fromToken),
        included: true,
      },
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
  const step = {
    id: crypto.randomUUID(),
    type: bridged ? 'cross' : 'swap',
    tool: key,
    toolDetails: tool,
    action,
    estimate,
  }
  const data = bridged
    ? bridgeCall(request, transactionId, { output, minimum, deadline: BigInt(now + fillWithinSeconds) })
    : swapCall(request, transactionId, { output, minimum })
  const body = {
    type: 'lifi',
    id: `${step.id}:0`,
    tool: key,
    toolDetails: tool,
    action,
    estimate,
    includedSteps: [step],
    integrator: request.integrator,
    transactionId,
    transactionRequest: {
      to: bridgeAddress,
      from: request.fromAddress,
      chainId: fromChain,
      data,
      value: toHex(fromToken.address === zeroAddress ? amount : 0n),
      gasPrice: toHex(gasPriceWei),
      gasLimit: toHex(gasLimit),
    },
  }
  return Response.json(body, { headers: rateLimit })
}
