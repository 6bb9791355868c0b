import { accountAddressOf, implementationAddressOf } from '../domain/chain/account'
import { chainOf } from '../domain/chain/chain'
import { type Address, type Hash, sameAddress, zeroAddress } from '../domain/chain/hex'
import type { Signable } from '../domain/execution/execution'
import { isPayment, routeIdOf } from '../domain/execution/route'
import { amountOf, roundingOf } from '../domain/money/amount'
import { splitDeposit } from '../domain/money/fees'
import { isNative } from '../domain/money/token'
import { isOperatorRefund } from '../domain/seals'
import { type Executors, executorFor, type Terms } from '../protocols/executor/signed-order'
import { type RouteRule, undecodable, unlisted } from './function-rule'

type OrderPolicy = Executors & {
  registry: Address
  collector: Address
  rules: readonly RouteRule[]
}

/** Why an order is not signed, in a sentence for the operator's log. Integrators see only the code. */
export class SigningRefusal extends Error {
  override name = 'Refusal'
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new SigningRefusal(otherwise)
}

/** The contract that executes orders of a kind. */
export function executorUnder(executors: Executors, kind: Terms['kind']): Address {
  const executor = executorFor(kind, executors)
  must(executor !== null, 'There is no RecoveryExecutor')
  return executor
}

type Split = { amountIn: bigint; protocolFee: bigint; gasFee: bigint; amount: bigint }

/**
 * Smallest `minGas` of an order: more than the executor and the pull of the money use themselves
 * (`contracts/test/Gas.t.sol`), and less than any real route uses.
 */
const leastGas = { REFUND: 110_000n, DIRECT: 110_000n, SWAP: 170_000n, BRIDGE: 170_000n } as const
/**
 * The gas that a transaction pays before its first instruction: for itself, and at most for each byte of its calldata.
 */
const [gasOfTransaction, gasOfByte] = [21_000n, 16n]
/** The bytes of an order's call other than its own data. */
const bytesOfOrder = 1_000n

/**
 * Returns the gas that must be left when an order starts; with less, the executor reverts. Otherwise a stolen relayer
 * key could set a low gas limit to make a bridge or an exchange take the branch for missing gas. Five sixths of the
 * order's gas limit is more than the estimate and leaves the rest for a change of state.
 *
 * @param gasLimit Null for a draft, whose gas is estimated with it.
 */
export function minGasOf(
  { kind, data, chainId }: Pick<Terms, 'kind' | 'data' | 'chainId'>,
  gasLimit: bigint | null,
): bigint {
  // Arbitrum also charges the gas limit for posting the calldata, at a price that changes.
  if (gasLimit === null || chainOf(chainId).isDataInGas) return leastGas[kind]
  const before = gasOfTransaction + gasOfByte * (bytesOfOrder + BigInt(data.length / 2))
  const measured = (gasLimit * 5n) / 6n - before
  return measured > leastGas[kind] ? measured : leastGas[kind]
}

type HowToSign = {
  accountSalt: Hash
  deadline: number
  /** Null for a draft. */
  gasLimit: bigint | null
  splitBy: (execution: Signable) => Split
}

/**
 * The terms of an execution's order, from its snapshot of the intent and its fees. The route is not trusted: the effect
 * of its calldata is read and compared.
 *
 * @throws {SigningRefusal} naming the first violated rule.
 */
export function termsOf(
  execution: Signable,
  { accountSalt, deadline, gasLimit, splitBy }: HowToSign,
  policy: OrderPolicy,
): Terms {
  const { deposit, facts } = execution
  const { intent, route } = facts
  must(intent !== undefined, 'There is no intent')
  must(route !== undefined, 'There is no route')
  const { registry } = policy
  const derived = accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt })
  must(sameAddress(derived, deposit.account), 'The account does not belong to its salt')
  const routeId = routeIdOf({ ...execution, executionId: execution.id, intent })
  must((facts.routeId ?? routeId) === routeId, 'The routeId does not belong to this execution')
  must(Number.isSafeInteger(deadline) && deadline > 0, 'The deadline is not a timestamp')

  const { targetChainId: toChainId, targetTokenAddress: tokenOut, targetAddress: recipient } = intent
  const forbidden = [
    zeroAddress,
    deposit.account,
    deposit.token,
    tokenOut,
    policy.executor,
    ...(policy.recoveryExecutor ? [policy.recoveryExecutor] : []),
    policy.registry,
    policy.collector,
  ]
  must(
    !forbidden.some((address) => sameAddress(address, recipient)),
    'The recipient is an address that must not receive money',
  )

  const split = splitBy(execution)
  must(amountOf(route.amountIn) === split.amount, 'The route is for another amount')
  if (route.kind === 'REFUND') assureGivenBack(execution, split)
  const minOut = amountOf(route.amountOutMin)
  must(minOut > 0n && minOut <= amountOf(route.amountOutExpected), 'The minimum output is not valid')

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
    minGas: String(minGasOf({ kind: route.kind, data: call.data, chainId: deposit.chainId }, gasLimit)),
    deadline,
  }
}

/** A refund by the RecoveryExecutor pays the whole amount to the refund address. The contract takes no fee either. */
function assureGivenBack(execution: Signable, { amountIn, amount }: Split): void {
  must(isOperatorRefund(execution), 'It is not a refund that an operator requested')
  must(amount === amountIn, 'A refund pays the whole amount')
}

/** The amounts after the priced fees. The fees must equal the result of the fee rules for the verified balance. */
export function pricedSplit({ facts, deposit }: Signable): Split {
  const { protocolFeeBps, sponsoredGas } = facts.intent!
  const { fees, route } = facts
  must(fees !== undefined, 'The fees were not priced')
  must(facts.balance !== undefined, 'The balance was not verified')
  const totalReceivedRaw = amountOf(facts.balance.totalReceivedRaw)
  const saidRaw = amountOf(deposit.amountRaw)
  must(totalReceivedRaw >= saidRaw - roundingOf(saidRaw), 'The balance does not cover the deposit')
  const gasFeeRaw = amountOf(fees.gasFeeRaw)
  const isSponsored = sponsoredGas || route?.kind === 'REFUND'
  must((fees.gasFeeSkipReason === 'SPONSORED') === isSponsored, 'The fees and the intent disagree about sponsored gas')
  must(fees.gasFeeSkipReason === 'NONE' || gasFeeRaw === 0n, 'Gas is charged although it should be skipped')
  const split = splitDeposit({ totalReceivedRaw, protocolFeeBps, gasFeeRaw })
  const { protocolFeeEffective, amountForSwapRaw } = split
  const isByTheRules =
    amountOf(fees.totalReceivedRaw) === totalReceivedRaw &&
    amountOf(fees.protocolFeeRaw) === split.protocolFeeRaw &&
    amountOf(fees.protocolFeeEffective) === protocolFeeEffective &&
    amountOf(fees.protocolFeeForgiven) === split.protocolFeeForgiven &&
    fees.amountForSwapRaw === String(amountForSwapRaw)
  must(isByTheRules, 'The fees do not follow the fee rules')
  must(amountForSwapRaw > 0n, 'Nothing is left to route')
  return { amountIn: totalReceivedRaw, protocolFee: protocolFeeEffective, gasFee: gasFeeRaw, amount: amountForSwapRaw }
}

/**
 * The amounts of a draft, before the fees of this attempt are priced. The balance that the route leaves over counts as
 * fees, because the fees of an earlier attempt no longer apply.
 */
export function assumedSplit({ facts, deposit }: Signable): Split {
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
  route: NonNullable<Signable['facts']['route']>,
  deposit: Signable['deposit'],
  demand: Parameters<RouteRule['objection']>[1],
  policy: OrderPolicy,
): Call & { dust: bigint } {
  const isHere = demand.toChainId === deposit.chainId
  must(isHere === (route.kind !== 'BRIDGE'), 'The route is of another kind than the intent requires')
  if (isPayment(route.kind)) {
    must(route.call === null, 'A direct payment has no call')
    must(sameAddress(demand.tokenOut, demand.token), 'A direct payment is in the same token')
    must(demand.minOut === demand.amount, 'A direct payment pays the whole amount')
    return noCall
  }
  must(route.call !== null, 'The route has no call')
  const { target, spender, data, nativeFee } = route.call
  const rule = policy.rules.find(
    ({ kind, target: listed, selector }) =>
      kind === route.kind && sameAddress(listed, target) && data.slice(0, 10).toLowerCase() === selector,
  )
  must(rule !== undefined, `The call ${unlisted}`)
  must(sameAddress(spender, isNative(demand.token) ? zeroAddress : rule.target), 'The spender is not the target')
  must(amountOf(nativeFee) <= chainOf(deposit.chainId).nativeFeeMaxWei, 'The native fee is too high')
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
    return undecodable
  }
}
