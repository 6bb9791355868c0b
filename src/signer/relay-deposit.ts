import { toFunctionSelector } from 'viem/utils'
import { type Address, type Hex, sameAddress, zeroAddress } from '../domain/chain/hex'
import { isNative } from '../domain/money/token'
import { stargateTokenOf, wrappedNativeOf } from '../protocols/lifi/bridged-assets'
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
import type { Demand, RouteRule } from './function-rule'
import { limits } from './limits'

/** Bytes of the arguments, before the witness. */
const argumentBytes = { depositErc20: 128, depositNative: 64 } as const

/**
 * What may be deposited with Relay. Its depository is told an id and nothing else; the id is the hash of an order, and
 * the order stands behind the arguments. It is made anew from what is demanded, so that whatever it says otherwise is
 * another id.
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
  if (!terms) return 'says nothing of its order'
  const odd = oddityOf(terms, demand)
  if (odd) return odd
  const parties: RelayParties = { ...demand, solver }
  // Account, token, amount, chains, recipient, refunds: one of them is another one.
  return relayDeposit(parties, terms) === data ? null : 'is another order than the intent’s'
}

function oddityOf({ refunds, deadline, expectedAmount, minimumAmount }: RelayTerms, demand: Demand): string | null {
  if (refunds.length > limits.relayRefundsMax) return 'sends too many refunds'
  if (minimumAmount < demand.minOut) return 'delivers too little'
  if (expectedAmount < minimumAmount) return 'expects less than its minimum'
  // Still open when the call is made, and not for longer than anybody would wait.
  const isOpen = (until: number) => until > demand.time && until <= demand.time + limits.relayWindowMax
  if (![deadline, ...refunds.map((refund) => refund.deadline)].every(isOpen)) return 'is open for too long or too short'
  if (!refunds.every(isOfAKnownToken(demand))) return 'refunds another token'
  return refunds.some(({ isDestination }) => !isDestination) ? null : 'sends refunds to another account'
}

/** On the chain it came from the token itself; on the destination what was bought, or what Relay keeps there. */
const isOfAKnownToken =
  ({ token, toChainId, tokenOut }: Demand) =>
  ({ isDestination, currency }: RelayRefund): boolean => {
    const kept = [zeroAddress, tokenOut, stargateTokenOf(1, toChainId), stargateTokenOf(2, toChainId)]
    const known = isDestination ? [...kept, wrappedNativeOf(toChainId)] : [token]
    return known.some((address) => address !== null && sameAddress(address, currency))
  }
