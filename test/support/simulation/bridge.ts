import type { Address, Hash, Hex } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import type { Route } from '../../../src/domain/execution/route'
import type { ChainClient } from '../../../src/ports/chain-client'
import type { BridgeOutcome, RouteRequest } from '../../../src/ports/gate'
import type { Aggregator } from '../../../src/providers/aggregator'
import type { Demand, RouteRule } from '../../../src/signer/function-rule'
import { addressOf, hashOf } from '../deposits'
import { type Chain, type Use, usualSeconds } from './chain'
import type { Dice } from './loop'

/** Who gets the money of a wrong call. */
const thief = addressOf(0x7e)

/** Outcome of a bridged amount, derived from its transaction: one in ten is refunded, one in thirty is lost. */
const fateOf = (hash: Hash): 'LOST' | 'SHORT' | 'RETURNED' | 'DELIVERED' => {
  const fate = Number(BigInt(hash) % 30n)
  if (fate === 0) return 'LOST'
  if (fate === 2) return 'SHORT'
  return fate % 10 === 1 ? 'RETURNED' : 'DELIVERED'
}
/** Deposits from this amount on need two nodes. */
export const largeRaw = 500_000n
const destinationHash = (hash: Hash): Hash => hashOf(Number(BigInt(hash) % 0x1000_0000n) + 0x10_0000_0000)

/** The bridge's contract. */
const bridgeAddress = addressOf(0xb1)
/** A call with a native fee uses another function, with other costs. */
const selectors = { free: '0x51a70001', paid: '0xfee00001' } as const
const wordOf = (value: bigint): string => value.toString(16).padStart(64, '0')
type Called = Pick<Demand, 'amount' | 'toChainId' | 'tokenOut' | 'recipient'>

/** A call of the bridge. Its number is unique. */
const callOf = (selector: Hex, number: number, { amount, toChainId, tokenOut, recipient }: Called): Hex =>
  `${selector}${[BigInt(number), amount, BigInt(toChainId), BigInt(tokenOut), BigInt(recipient)].map(wordOf).join('')}`

/** How a call of the bridge differs from a demand, or null. */
function callObjection(data: Hex, demand: Called): string | null {
  const words = data.slice(10).match(/.{64}/g) ?? []
  const [, amount, toChainId, tokenOut, recipient] = words.map((word) => BigInt(`0x${word}`))
  if (words.length !== 5) return 'has another length'
  if (amount !== demand.amount) return 'bridges another amount'
  if (toChainId !== BigInt(demand.toChainId)) return 'bridges to another chain'
  if (tokenOut !== BigInt(demand.tokenOut)) return 'pays another token'
  return recipient === BigInt(demand.recipient) ? null : 'pays another recipient'
}

/** The calls of the bridge that may be signed. */
export const bridgeRules: readonly RouteRule[] = Object.values(selectors).map((selector) => ({
  kind: 'BRIDGE',
  target: bridgeAddress,
  selector,
  guard: 'LifiAcrossGuard',
  objection: callObjection,
}))

/** Why the signer could not read an offer, as the gate requires it. */
export const offerObjection = (
  { call }: { call: Route['call'] },
  { amountIn: amount, toChainId, toToken: tokenOut, recipient }: RouteRequest,
): string | null => call && callObjection(call.data, { amount, toChainId, tokenOut, recipient })

/** A route that keeps the amount, by a call with this data. */
export const simulatedRoute = (amountIn: bigint, data: Hex, nativeFee = 0n): Route => ({
  provider: 'simulated',
  kind: 'BRIDGE',
  amountIn: String(amountIn),
  amountOutExpected: String(amountIn),
  amountOutMin: String((amountIn * 99n) / 100n),
  expectedSeconds: 60,
  hops: 1,
  slippageBps: 50,
  call: { target: bridgeAddress, spender: bridgeAddress, data, nativeFee: String(nativeFee) },
  reference: null,
  quotedAt: 0,
})

/** A provider that fails at random, its bridge, and the destination chain. */
export class Bridge {
  private readonly returned = new Set<Hash>()
  private quotes = 0
  /** Whether the provider is unreachable. */
  isAway = false
  /** Whether the provider fails at random and names other deliveries than the right ones. */
  isMixedUp = true

  constructor(
    private readonly chain: Chain,
    private readonly dice: Dice,
    /** Records refunded money as a new deposit. */
    private readonly bringBack: (account: Address, amount: bigint, hash: Hash) => void,
    /** Whether the provider never serves an account's deposits. */
    private readonly isAbandoned: (account: Address) => boolean,
    /** Whether the provider has no route for an account now. */
    private readonly isRefused: (account: Address) => boolean,
    /** Whether each chain has a second node. */
    private readonly hasSecond: boolean,
    /** Native fee of an account's routes, in wei. */
    private readonly nativeFeeOf: (account: Address) => bigint,
  ) {}

  readonly provider: Aggregator = {
    name: 'simulated',
    quote: async ({ account, amountIn, toChainId, toToken, recipient }: RouteRequest): Promise<Route | null> => {
      if (this.isAway) throw new RoutingError('PROVIDER_FAILED')
      if (this.isAbandoned(account)) throw new RoutingError('PROVIDER_TIMEOUT')
      const fate = this.dice.roll()
      // Chance failures stop with the mix-up: transactions and nodes use up retries, too.
      if (fate < 0.15 && this.isMixedUp) throw new RoutingError('PROVIDER_TIMEOUT')
      if (fate < 0.18 || this.isRefused(account)) return null
      const nativeFee = this.nativeFeeOf(account)
      // A provider that is mixed up makes a call for another recipient or another amount now and then.
      const isWrong = this.isMixedUp && this.dice.chance(0.04)
      const [amount, paid] =
        isWrong && fate < 0.6 ? [amountIn - 1n, recipient] : [amountIn, isWrong ? thief : recipient]
      const called = { amount, toChainId, tokenOut: toToken, recipient: paid }
      const data = callOf(nativeFee === 0n ? selectors.free : selectors.paid, this.quotes++, called)
      return simulatedRoute(amountIn, data, nativeFee)
    },
    outcome: async ({ hash, call, isAlone }): Promise<BridgeOutcome> => {
      if (this.isAway) throw new RoutingError('PROVIDER_FAILED')
      const use =
        call && !isAlone ? this.routeUseOf(call) : this.chain.standing.used.values().find((one) => one.hash === hash)
      if (use && this.isLiedAbout(use)) return { kind: 'DELIVERED', hash: destinationHash(use.transfer) }
      if (!use || fateOf(use.transfer) === 'LOST') return { kind: 'PENDING' }
      const { transfer, order } = use
      if (fateOf(transfer) !== 'RETURNED') {
        const named = this.namedFor(use).transfer
        const kind = fateOf(named) === 'SHORT' ? 'DELIVERED_OTHERWISE' : 'DELIVERED'
        return { kind, hash: destinationHash(named) }
      }
      const bridged = BigInt(order.amountIn) - BigInt(order.protocolFee) - BigInt(order.gasFee)
      if (!this.returned.has(transfer)) this.bringBack(order.account, bridged, transfer)
      this.returned.add(transfer)
      return { kind: 'RETURNED', hash: null }
    },
    priceUsd: async () => 100_000_000n,
  }

  readonly destination: Partial<ChainClient> = {
    chainId: 42161,
    confirmations: 1,
    untilConfirmedMs: async () => null,
    tokenMetadata: async () => ({ symbol: 'T', name: 'T', decimals: 6 }),
    arrived: async (...asked) => this.arrived(true, ...asked),
  }

  /** A node that does not lie. */
  readonly secondDestination: Pick<ChainClient, 'arrived'> = {
    arrived: async (...asked) => this.arrived(false, ...asked),
  }

  private arrived(isLying: boolean, hash: Hash, token: Address, recipient: Address) {
    const use = this.deliveredBy(hash)
    if (!use || (this.isLiedAbout(use) && !isLying)) return null
    if (use.order.intent.tokenOut !== token || use.order.intent.recipient !== recipient) return null
    const minOut = BigInt(use.order.intent.minOut)
    const amountRaw = fateOf(use.transfer) === 'SHORT' ? minOut - 1n : minOut
    const time = usualSeconds(this.chain.blocks[use.block]!.time)
    return { amountRaw, block: use.block, time, parts: [{ place: `${hash}:0`, amountRaw }] }
  }

  private deliveredBy(hash: Hash): Use | undefined {
    return this.chain.standing.used.values().find((one) => destinationHash(one.transfer) === hash)
  }

  /** Whether a transaction of the destination chain delivered an order, even if a provider and one node deny it. */
  isReal(hash: Hash): boolean {
    const use = this.deliveredBy(hash)
    return use !== undefined && !this.isLiedAbout(use)
  }

  /** Whether the money of a call arrives at its destination. */
  delivers(call: Hex): boolean {
    const use = this.routeUseOf(call)
    if (use && use.order.target !== bridgeAddress) return true // Circle mints every burn
    const fate = use && fateOf(use.transfer)
    return use !== undefined && !this.isLiedAbout(use) && (fate === 'DELIVERED' || fate === 'SHORT')
  }

  /**
   * For one transfer in five, a provider that is mixed up reports another full delivery to the same recipient if one
   * exists.
   */
  private namedFor(use: Use): Use {
    const { recipient } = use.order.intent
    const isOther = (one: Use) =>
      one.transfer !== use.transfer && one.order.intent.recipient === recipient && fateOf(one.transfer) !== 'SHORT'
    const isWrong = this.isMixedUp && BigInt(use.transfer) % 5n === 0n
    return (isWrong && this.chain.standing.used.values().find(isOther)) || use
  }

  /** Whether the provider and the first node of the destination report a delivery that never happens. */
  private isLiedAbout({ transfer, order }: Use): boolean {
    const isChosen = this.hasSecond && BigInt(order.amountIn) >= largeRaw && BigInt(transfer) % 3n === 0n
    return isChosen && fateOf(transfer) !== 'RETURNED'
  }

  private routeUseOf(call: Hex): Use | undefined {
    return this.chain.standing.used.values().find(({ order }) => order.data === call)
  }
}
