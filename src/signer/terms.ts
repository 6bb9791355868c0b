import { accountAddressOf, implementationAddressOf } from '../domain/chain/account'
import { type ChainKey, chainKeyOf } from '../domain/chain/chain'
import { type Address, type Hash, sameAddress, zeroAddress } from '../domain/chain/hex'
import type { Execution } from '../domain/execution/execution'
import { type Route, routeIdOf } from '../domain/execution/route'
import { amountOf } from '../domain/money/amount'
import { splitDeposit } from '../domain/money/fees'
import { isNative } from '../domain/money/token'
import type { RouteRule } from './function-rule'
import type { Terms } from './typed-data'

export type Policy = {
  executor: Address
  registry: Address
  collector: Address
  rules: readonly RouteRule[]
  nativeFeeMaxWei: Record<ChainKey, bigint>
}

/** Why an order is not signed. A sentence for the operator's log: integrators read only the code. */
export class Refusal extends Error {
  override name = 'Refusal'
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Refusal(otherwise)
}

type Split = { amountIn: bigint; protocolFee: bigint; gasFee: bigint; amount: bigint }

/**
 * That the relayer must leave at the start, so that nobody is paid in the poor branch of what runs short of gas: more
 * than the executor and what pulls the money need by themselves (`contracts/test/Gas.t.sol`), less than any real route.
 */
const minGas = { DIRECT: 110_000, SWAP: 170_000, BRIDGE: 170_000 } as const

/**
 * The order that carries out an execution, from its snapshot of the intent and its fees. The route is believed nothing:
 * what its calldata does is read and compared.
 *
 * @throws {Refusal} naming the first rule that does not hold.
 */
export function termsOf(
  execution: Execution,
  { accountSalt, deadline, splitBy }: { accountSalt: Hash; deadline: number; splitBy: (execution: Execution) => Split },
  policy: Policy,
): Terms {
  const { deposit, facts } = execution
  const { intent, route } = facts
  must(intent !== undefined, 'There is no intent')
  must(route !== undefined, 'There is no route')
  const { registry } = policy
  const derived = accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt })
  must(sameAddress(derived, deposit.account), 'The account is not the one of its salt')
  const routeId = routeIdOf({ ...execution, executionId: execution.id, intent })
  must((facts.routeId ?? routeId) === routeId, 'The routeId is not the one of this execution')
  must(Number.isSafeInteger(deadline) && deadline > 0, 'The deadline is not a time')

  const { targetChainId: toChainId, targetTokenAddress: tokenOut, targetAddress: recipient } = intent
  const forbidden = [
    zeroAddress,
    deposit.account,
    deposit.token,
    tokenOut,
    policy.executor,
    policy.registry,
    policy.collector,
  ]
  must(!forbidden.some((address) => sameAddress(address, recipient)), 'The recipient is one that money must not go to')

  const split = splitBy(execution)
  must(amountOf(route.amountIn) === split.amount, 'The route is for another amount')
  const minOut = amountOf(route.amountOutMin)
  must(minOut > 0n && minOut <= amountOf(route.amountOutExpected), 'The minimum is not one')

  const spent = { account: deposit.account, fromChainId: deposit.chainId, token: deposit.token, amount: split.amount }
  const nativeFee = amountOf(route.call?.nativeFee ?? '0')
  const demand = { ...spent, toChainId, tokenOut, recipient, minOut, nativeFee, time: deadline }
  const { dust, ...call } = callOf(route, deposit, demand, policy)
  return {
    routeId,
    accountSalt,
    account: deposit.account,
    chainId: deposit.chainId,
    kind: route.kind,
    token: deposit.token,
    amountIn: String(split.amountIn),
    minSpent: String(split.amountIn - dust),
    protocolFee: String(split.protocolFee),
    gasFee: String(split.gasFee),
    collector: policy.collector,
    intent: { toChainId, tokenOut, recipient, minOut: String(minOut) },
    ...call,
    minGas: String(minGas[route.kind]),
    deadline,
  }
}

/** All that leaves is what the fees say, and the fees are what the rules make of the balance. */
export function pricedSplit({ facts, deposit }: Execution): Split {
  const { protocolFeeBps, sponsoredGas } = facts.intent!
  const { fees } = facts
  must(fees !== undefined, 'The fees were not priced')
  must(facts.balance !== undefined, 'The balance was not verified')
  const totalReceivedRaw = amountOf(facts.balance.totalReceivedRaw)
  must(totalReceivedRaw >= amountOf(deposit.amountRaw), 'The balance does not cover the deposit')
  const gasFeeRaw = amountOf(fees.gasFeeRaw)
  must((fees.gasFeeSkipReason === 'SPONSORED') === sponsoredGas, 'Gas is sponsored or it is not')
  must(fees.gasFeeSkipReason === 'NONE' || gasFeeRaw === 0n, 'Gas is charged that was to be skipped')
  const split = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw })
  const { protocolFeeEffective, amountForSwapRaw } = split
  const isByTheRules =
    amountOf(fees.totalReceivedRaw) === totalReceivedRaw &&
    amountOf(fees.protocolFeeRaw) === split.protocolFeeRaw &&
    amountOf(fees.protocolFeeEffective) === protocolFeeEffective &&
    amountOf(fees.protocolFeeForgiven) === split.protocolFeeForgiven &&
    fees.amountForSwapRaw === String(amountForSwapRaw)
  must(isByTheRules, 'The fees are not those of the rules')
  must(amountForSwapRaw > 0n, 'Nothing is left to route')
  return { amountIn: totalReceivedRaw, protocolFee: protocolFeeEffective, gasFee: gasFeeRaw, amount: amountForSwapRaw }
}

/** Before the fees are priced, when those of an earlier attempt say nothing: what the route leaves counts as fees. */
export function assumedSplit({ facts, deposit }: Execution): Split {
  const amount = amountOf(facts.route!.amountIn)
  const amountIn = amountOf(facts.balance?.totalReceivedRaw ?? deposit.amountRaw)
  must(amount > 0n && amount <= amountIn, 'The route is for another amount')
  const rest = amountIn - amount
  const { protocolFeeRaw } = splitDeposit({
    totalReceivedRaw: amountIn,
    protocolFeeBps: facts.intent!.protocolFeeBps,
    gasFeeRaw: 0n,
  })
  const gasFee = rest > protocolFeeRaw ? rest - protocolFeeRaw : 0n
  return { amountIn, protocolFee: rest - gasFee, gasFee, amount }
}

type Call = Pick<Terms, 'target' | 'spender' | 'nativeFee' | 'data'>
const noCall = { target: zeroAddress, spender: zeroAddress, nativeFee: '0', data: '0x', dust: 0n } as const

function callOf(
  route: Route,
  deposit: Execution['deposit'],
  demand: Parameters<RouteRule['objection']>[1],
  policy: Policy,
): Call & { dust: bigint } {
  const isHere = demand.toChainId === deposit.chainId
  must(isHere === (route.kind !== 'BRIDGE'), 'The route is of another kind than the intent')
  if (route.kind === 'DIRECT') {
    must(route.call === null, 'A direct payment calls nobody')
    must(sameAddress(demand.tokenOut, demand.token), 'A direct payment is of the same token')
    must(demand.minOut === demand.amount, 'A direct payment pays all')
    return noCall
  }
  must(route.call !== null, 'The route calls nobody')
  const { target, spender, data, nativeFee } = route.call
  const rule = policy.rules.find(
    ({ kind, target: listed, selector }) =>
      kind === route.kind && sameAddress(listed, target) && data.slice(0, 10).toLowerCase() === selector,
  )
  must(rule !== undefined, 'The call is not on the list')
  must(sameAddress(spender, isNative(demand.token) ? zeroAddress : rule.target), 'The spender is not the target')
  must(amountOf(nativeFee) <= policy.nativeFeeMaxWei[chainKeyOf(deposit.chainId)], 'The native fee is too high')
  const lower = data.toLowerCase() as typeof data
  const objection = objectionOf(rule, lower, demand)
  must(objection === null, `The call ${objection}`)
  const dust = isNative(demand.token) ? (rule.nativeDustWei ?? 0n) : 0n
  return { target: rule.target, spender, nativeFee, data: lower, dust }
}

function objectionOf(rule: RouteRule, data: Terms['data'], demand: Parameters<RouteRule['objection']>[1]) {
  try {
    return rule.objection(data, demand)
  } catch {
    return 'cannot be read'
  }
}
