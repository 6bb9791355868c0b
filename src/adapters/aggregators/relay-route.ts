import { getAddress, recoverMessageAddress } from 'viem/utils'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { RoutingError } from '../../domain/error'
import type { ProviderKey } from '../../domain/execution/provider'
import type { Offer } from '../../domain/execution/route'
import { isNative } from '../../domain/money/token'
import type { RouteRequest } from '../../ports/gate'
import type { RelayQuote } from '../../protocols/relay/relay-answers'
import {
  type RelayParties,
  type RelayTerms,
  relayChain,
  relayDeposit,
  relayDepository,
  relayOrderIdOf,
} from '../../protocols/relay/relay-order'

export const relayName = 'relay' satisfies ProviderKey
const bps = 10_000n

/**
 * Turns Relay's quote into a route. The order is rebuilt from our request. If the quoted id is the hash of that order
 * and the solver has signed it, the deposit pays for exactly what was requested.
 */
export async function relayRoute(quote: RelayQuote, request: RouteRequest, solver: Address): Promise<Offer> {
  const { details, protocol } = quote
  const { orderData, orderId, orderSignature } = protocol.v2
  const payment = orderData.output.payments[0]!
  const parties = partiesOf(request, solver)
  const terms = termsOf(quote, request)
  const data = relayDeposit(parties, terms)
  const call = callOf(quote)
  const isSound = payment.minimumAmount > 0n && payment.minimumAmount <= payment.expectedAmount
  // The requested order hashes to this id, so the quoted order is the same.
  const isBound =
    relayOrderIdOf(parties, terms) === orderId.toLowerCase() &&
    call.data.toLowerCase() === data.slice(0, call.data.length)
  if (!matchesRequest(quote, request) || !isSound || !isBound) throw malformed(quote)
  const signer = await recoverMessageAddress({ message: { raw: orderId }, signature: orderSignature }).catch(() => null)
  if (!signer || !same(signer, solver)) throw malformed(orderSignature)
  return {
    provider: relayName,
    kind: 'BRIDGE',
    amountIn: String(request.amountIn),
    amountOutExpected: String(payment.expectedAmount),
    amountOutMin: String(payment.minimumAmount),
    expectedSeconds: Math.ceil(details.timeEstimate ?? 30),
    hops: 1,
    // The largest possible loss is computed here, because Relay's documentation varies on the unit of the quote's own
    // figure.
    slippageBps: slippageOf(payment),
    call: {
      target: getAddress(relayDepository),
      spender: isNative(request.fromToken) ? zeroAddress : getAddress(relayDepository),
      data,
      nativeFee: '0',
    },
    reference: requestIdOf(quote),
  }
}

const partiesOf = (request: RouteRequest, solver: Address): RelayParties => ({
  solver,
  account: request.account,
  fromChainId: request.fromChainId,
  token: request.fromToken,
  amount: request.amountIn,
  toChainId: request.toChainId,
  tokenOut: request.toToken,
  recipient: request.recipient,
})

function termsOf({ protocol }: RelayQuote, { toChainId }: RouteRequest): RelayTerms {
  const { salt, inputs, output } = protocol.v2.orderData
  const { expectedAmount, minimumAmount } = output.payments[0]!
  return {
    salt,
    deadline: output.deadline,
    extraData: output.extraData,
    expectedAmount,
    minimumAmount,
    refunds: inputs[0]!.refunds.map(({ chainId, recipient: _, ...refund }) => ({
      ...refund,
      isDestination: chainId === relayChain(toChainId),
    })),
  }
}

const callOf = ({ steps }: RelayQuote) => steps.at(-1)!.items[0]!.data

/** Whether the quote repeats the request: its parties, chains, tokens and amounts, paid into the depository. */
function matchesRequest(quote: RelayQuote, request: RouteRequest): boolean {
  const { details, protocol } = quote
  const { orderData, paymentDetails } = protocol.v2
  const payment = orderData.output.payments[0]!
  const call = callOf(quote)
  return (
    same(details.sender, request.account) &&
    same(details.recipient, request.recipient) &&
    isOf(details.currencyIn.currency, request.fromChainId, request.fromToken) &&
    isOf(details.currencyOut.currency, request.toChainId, request.toToken) &&
    details.currencyIn.amount === request.amountIn &&
    details.currencyOut.minimumAmount === payment.minimumAmount &&
    details.currencyOut.amount === payment.expectedAmount &&
    same(call.from ?? request.account, request.account) &&
    (call.chainId ?? request.fromChainId) === request.fromChainId &&
    call.value === (isNative(request.fromToken) ? request.amountIn : 0n) &&
    same(call.to, relayDepository) &&
    same(paymentDetails.depository, relayDepository) &&
    paymentDetails.amount === request.amountIn
  )
}

/** Difference between the expected and the minimum amount, in basis points of the expected amount, rounded down. */
function slippageOf({ expectedAmount, minimumAmount }: { expectedAmount: bigint; minimumAmount: bigint }): number {
  return Number(((expectedAmount - minimumAmount) * bps) / expectedAmount)
}

function requestIdOf({ requestId, steps }: RelayQuote): Hash {
  const step = steps.at(-1)!
  const [, checked] = /requestId=(0x[0-9a-fA-F]{64})$/.exec(step.items[0]!.check?.endpoint ?? '') ?? []
  const id = requestId ?? step.requestId ?? (checked as Hash | undefined)
  if (!id) throw malformed(steps)
  return id.toLowerCase() as Hash
}

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
const isOf = (asset: { chainId: number; address: string }, chainId: number, address: string): boolean =>
  asset.chainId === chainId && same(asset.address, address)
const malformed = (cause: unknown) => new RoutingError('PROVIDER_MALFORMED', { cause })
