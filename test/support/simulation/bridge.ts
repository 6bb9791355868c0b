import type { Address, Hash, Hex } from '../../../src/domain/chain/hex'
import { RoutingError } from '../../../src/domain/error'
import type { Route } from '../../../src/domain/execution/route'
import type { ChainClient } from '../../../src/ports/chain-client'
import type { BridgeOutcome, RouteRequest } from '../../../src/ports/gate'
import type { Aggregator } from '../../../src/providers/aggregator'
import { addressOf, hashOf } from '../deposits'
import { type Chain, type Use, usualSeconds } from './chain'
import type { Dice } from './loop'

/** Outcome of a bridged amount, derived from its transaction: one in ten is refunded, one in thirty is lost. */
const fateOf = (hash: Hash): 'LOST' | 'SHORT' | 'RETURNED' | 'DELIVERED' => {
  const fate = Number(BigInt(hash) % 30n)
  if (fate === 0) return 'LOST'
  if (fate === 2) return 'SHORT'
  return fate % 10 === 1 ? 'RETURNED' : 'DELIVERED'
}
const destinationHash = (hash: Hash): Hash => hashOf(Number(BigInt(hash) % 0x1000_0000n) + 0x10_0000_0000)

/** A provider that fails at random, its bridge, and the destination chain. */
export class Bridge {
  private readonly returned = new Set<Hash>()
  private quotes = 0
  /** Whether the provider is unreachable. */
  isAway = false

  constructor(
    private readonly chain: Chain,
    private readonly dice: Dice,
    /** Records refunded money as a new deposit. */
    private readonly bringBack: (account: Address, amount: bigint, hash: Hash) => void,
    /** Whether the provider never serves an account's deposits. */
    private readonly isForsaken: (account: Address) => boolean,
  ) {}

  readonly provider: Aggregator = {
    name: 'simulated',
    quote: async ({ account, amountIn }: RouteRequest): Promise<Route | null> => {
      if (this.isAway) throw new RoutingError('PROVIDER_FAILED')
      if (this.isForsaken(account)) throw new RoutingError('PROVIDER_TIMEOUT')
      const fate = this.dice.roll()
      if (fate < 0.15) throw new RoutingError('PROVIDER_TIMEOUT')
      if (fate < 0.18) return null
      return {
        provider: 'simulated',
        kind: 'BRIDGE',
        amountIn: String(amountIn),
        amountOutExpected: String(amountIn),
        amountOutMin: String((amountIn * 99n) / 100n),
        expectedSeconds: 60,
        hops: 1,
        slippageBps: 50,
        call: {
          target: addressOf(0xb1),
          spender: addressOf(0xb1),
          data: hashOf(0x3000_0000 + this.quotes++),
          nativeFee: '0',
        },
        reference: null,
        quotedAt: 0,
      }
    },
    outcome: async ({ hash, call, isAlone }): Promise<BridgeOutcome> => {
      if (this.isAway) throw new RoutingError('PROVIDER_FAILED')
      const use =
        call && !isAlone ? this.routeUseOf(call) : this.chain.standing.used.values().find((one) => one.hash === hash)
      if (!use || fateOf(use.transfer) === 'LOST') return { kind: 'PENDING' }
      const { transfer, order } = use
      if (fateOf(transfer) !== 'RETURNED') {
        const named = this.namedFor(use).transfer
        const kind = fateOf(named) === 'SHORT' ? 'DELIVERED_OTHERWISE' : 'DELIVERED'
        return { kind, hash: destinationHash(named) }
      }
      if (!this.returned.has(transfer)) this.bringBack(order.account, BigInt(order.amountIn) / 2n, transfer)
      this.returned.add(transfer)
      return { kind: 'RETURNED', hash: null }
    },
    priceUsd: async () => 100_000_000n,
  }

  readonly destination: Partial<ChainClient> = {
    chainId: 42161,
    arrived: async (hash, token, recipient) => {
      const use = [...this.chain.standing.used.values()].find((one) => destinationHash(one.transfer) === hash)
      if (!use || use.order.intent.tokenOut !== token || use.order.intent.recipient !== recipient) return null
      const minOut = BigInt(use.order.intent.minOut)
      const amountRaw = fateOf(use.transfer) === 'SHORT' ? minOut - 1n : minOut
      const time = usualSeconds(this.chain.blocks[use.block]!.time)
      return { amountRaw, block: use.block, time, parts: [{ place: `${hash}:0`, amountRaw }] }
    },
  }

  /** The destination transfer that the provider reports for a call, with its time. Null if it reports none. */
  deliveryOf(call: Hex): { hash: Hash; atMs: number } | null {
    const use = this.routeUseOf(call)
    const fate = use && fateOf(use.transfer)
    if (!use || (fate !== 'DELIVERED' && fate !== 'SHORT')) return null
    const { transfer, block } = this.namedFor(use)
    return { hash: destinationHash(transfer), atMs: usualSeconds(this.chain.blocks[block]!.time) * 1_000 }
  }

  /** For one transfer in five, the provider reports another delivery to the same recipient if one exists. */
  private namedFor(use: Use): Use {
    const { recipient } = use.order.intent
    const isOther = (one: Use) => one.transfer !== use.transfer && one.order.intent.recipient === recipient
    return (BigInt(use.transfer) % 5n === 0n && this.chain.standing.used.values().find(isOther)) || use
  }

  private routeUseOf(call: Hex): Use | undefined {
    return this.chain.standing.used.values().find(({ order }) => order.data === call)
  }
}
