import { toFunctionSelector } from 'viem/utils'
import { type Address, type Hex, sameAddress, zeroAddress } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import { stargateTokenOf, wrappedNativeAddressOf } from '../protocols/lifi/diamond'
import {
  depositoryAbi,
  type RelayParties,
  type RelayRefund,
  type RelayTerms,
  readRelayWitness,
  relayDeposit,
  relayDepository,
  relaySolver,
} from '../protocols/relay/relay-order'
import { type Demand, limits, orderless, otherOrder, type RouteRule } from './function-rule'

/** The bytes of the arguments before the witness. */
const argumentBytes = { depositErc20: 128, depositNative: 64 } as const

/**
 * The allowed deposits with Relay. The depository receives only an id, the hash of an order, and the terms of that
 * order follow the arguments. The order is rebuilt from the demand, so any difference gives another id.
 */
export const relayRules = (solver: Address = relaySolver, target: Address = relayDepository): RouteRule[] =>
  depositoryAbi.map((fragment) => ({
    kind: 'BRIDGE' as const,
    target,
    selector: toFunctionSelector(fragment),
    guard: 'RelayDepositGuard' as const,
    objection: (data: Hex, demand: Demand) => objectionTo(data, demand, fragment.name, solver),
  }))

function objectionTo(data: Hex, demand: Demand, name: keyof typeof argumentBytes, solver: Address): string | null {
  if (demand.nativeFee !== 0n) return 'needs no native fee'
  if (isNative(demand.token) !== (name === 'depositNative')) return 'sends another token'
  const witness: Hex = `0x${data.slice(10 + argumentBytes[name] * 2)}`
  const terms = readRelayWitness(witness)
  if (!terms) return orderless
  const odd = oddityOf(terms, demand)
  if (odd) return odd
  const parties: RelayParties = { ...demand, solver }
  // The account, token, amount, chains, recipient or refunds differ from the demand.
  return relayDeposit(parties, terms) === data ? null : otherOrder
}

function oddityOf({ refunds, deadline, expectedAmount, minimumAmount }: RelayTerms, demand: Demand): string | null {
  if (refunds.length > limits.relayRefundsMax) return 'sends too many refunds'
  if (minimumAmount < demand.minOut) return 'delivers too little'
  if (expectedAmount < minimumAmount) return 'expects less than its minimum'
  // The order must still be open at the time of the call, but not for unreasonably long.
  const isOpen = (until: number) => until > demand.time && until <= demand.time + limits.relayWindowMax
  if (![deadline, ...refunds.map((refund) => refund.deadline)].every(isOpen)) return 'is open for too long or too short'
  if (!refunds.every(isOfAllowedToken(demand))) return 'refunds another token'
  return refunds.some(({ isDestination }) => !isDestination) ? null : 'sends refunds to another account'
}

/**
 * On the source chain a refund must be in the token itself; on the destination, in the output token or a token that
 * Relay holds there.
 */
const isOfAllowedToken =
  ({ token, toChainId, tokenOut }: Demand) =>
  ({ isDestination, currency }: RelayRefund): boolean => {
    const usual = [zeroAddress, tokenOut, stargateTokenOf(1, toChainId), stargateTokenOf(2, toChainId)]
    const allowed = isDestination ? [...usual, wrappedNativeAddressOf(toChainId)] : [token]
    return allowed.some((address) => address !== null && sameAddress(address, currency))
  }
