import { toFunctionSelector } from 'viem/utils'
import type { Address, Hex } from '../domain/hex'
import {
  depositoryAbi,
  type RelayParties,
  type RelayTerms,
  readRelayWitness,
  relayDeposit,
  relayDepository,
  relaySolver,
} from '../domain/relay-order'
import { isNative } from '../domain/token'
import type { Demand, RouteRule } from './route-rules'

/** Bytes of the arguments, before the witness. */
const argumentBytes = { depositErc20: 128, depositNative: 64 } as const
/** As many as Relay is known to name: on the chain it comes from, and where it goes. */
const refundsMax = 4
/** Later than this and the money could lie there for longer than anybody would wait. */
const deadlineMax = 0xffffffff

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
  if (isNative(demand.token) !== (name === 'depositNative')) return 'sends another token'
  const witness: Hex = `0x${data.slice(10 + argumentBytes[name] * 2)}`
  const terms = readRelayWitness(witness)
  if (!terms) return 'says nothing of its order'
  const odd = oddityOf(terms)
  if (odd) return odd
  if (terms.minimumAmount < demand.minOut) return 'delivers too little'
  const parties: RelayParties = { ...demand, solver }
  // Account, token, amount, chains, recipient, refunds: one of them is another one.
  return relayDeposit(parties, terms) === data ? null : 'is another order than the intent’s'
}

function oddityOf({ refunds, deadline, expectedAmount, minimumAmount }: RelayTerms): string | null {
  if (refunds.length > refundsMax || !refunds.some(({ isDestination }) => !isDestination))
    return 'sends refunds to another account'
  if (deadline > deadlineMax || refunds.some((refund) => refund.deadline > deadlineMax)) return 'has no deadline'
  return expectedAmount < minimumAmount ? 'expects less than its minimum' : null
}
