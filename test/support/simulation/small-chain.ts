import type { Hash } from '../../../src/domain/chain/hex'
import type { Fee } from '../../../src/domain/chain/relayer'
import type { Order, Route } from '../../../src/domain/execution/route'
import type { RouteRequest } from '../../../src/ports/gate'
import type { OrderSigner, Relayers } from '../../../src/ports/signer'
import { addressOf, hashOf, token } from '../deposits'
import { simulatedRoute } from './bridge'
import { Chain, usualSeconds } from './chain'
import type { Dice } from './loop'
import { keys } from './parties'

type Signed = Parameters<OrderSigner['sign']>[0]

/** The order of an execution, as the signer makes it from the execution's facts. */
export function signedOrder({ deposit, facts }: Signed, deadline: number, id: Hash): Order {
  const { intent, route, fees, balance } = facts
  const { targetChainId: toChainId, targetTokenAddress: tokenOut, targetAddress: recipient } = intent!
  return {
    id,
    routeId: facts.routeId!,
    accountSalt: hashOf(Number(deposit.account)),
    account: deposit.account,
    chainId: 8453,
    kind: route!.kind,
    token,
    amountIn: balance!.totalReceivedRaw,
    minSpent: balance!.totalReceivedRaw,
    protocolFee: fees!.protocolFeeEffective,
    gasFee: fees!.gasFeeRaw,
    collector: addressOf(0xfe),
    intent: { toChainId, tokenOut, recipient, minOut: route!.amountOutMin },
    target: addressOf(0xb1),
    spender: addressOf(0xb1),
    nativeFee: route!.call?.nativeFee ?? '0',
    minGas: '0',
    deadline,
    data: route!.call?.data ?? '0x',
    signature: '0x',
    gasLimit: facts.gasLimit!,
  }
}

const calm: Dice = { roll: () => 0.999, between: (low) => low, below: () => 0, chance: () => false }
const hashBits = 0xff_ffff_ffffn
export const hashOfText = (text: string): Hash => hashOf(Number(BigInt(Bun.hash(text)) & hashBits))

/** Requests whose responses change with a block. */
export const chainReads: readonly string[] = [
  ...['head', 'confirmed', 'confirmedNumber', 'blockAt', 'balanceOf', 'routeUsedIn', 'routeUsed', 'minedNonces'],
  ...['receipt', 'transfersTo', 'arrived'],
]

const [key] = keys
const deliveryOf = (transfer: Hash): Hash => hashOf(Number(BigInt(transfer)) + 0x1000_0000_0000)

type Held = Pick<SmallChain, 'blocks' | 'refused' | 'mined'> &
  Readonly<{ pool: SmallChain['pool']; signed: SmallChain['signed']; settled: number }> & { digest?: string }

/**
 * A chain without chance, and a bridge that delivers as soon as the money's block is confirmed. The content of a
 * transaction decides its hash, so the order of events leaves no trace in it.
 */
export class SmallChain extends Chain {
  override readonly confirmations = 1

  /** What the chain holds, until that changes. */
  private held: Held | null = null

  constructor() {
    super(calm)
  }

  get state(): Held {
    const { blocks, pool, signed, settled, mined, refused } = this
    this.held ??= { blocks: [...blocks], pool, signed: [...signed], refused: [...refused], settled, mined }
    return this.held
  }
  /** Returns to an earlier state. Requests that wait for this chain stay valid. */
  set state(held: Held) {
    if (this.held === held) return
    const { blocks, pool, signed, settled, mined, refused } = held
    this.blocks.splice(0, this.blocks.length, ...blocks)
    this.signed.splice(0, this.signed.length, ...signed)
    this.refused.splice(0, this.refused.length, ...refused)
    Object.assign(this, { pool, settled, mined, held })
  }

  override mine(time: number, baseFee: bigint): void {
    this.held = null
    super.mine(time, baseFee)
  }

  override send(bytes: Hash): Promise<void> {
    this.held = null
    return super.send(bytes)
  }

  override sign(transaction: Parameters<Chain['sign']>[0]) {
    const { nonce, orders, fee } = transaction
    const hash = hashOfText([nonce, ...orders.map(({ id }) => id), fee.feeCap, fee.tip].join())
    if (!this.signed.some((one) => one.hash === hash)) {
      this.held = null
      this.signed.push({ ...transaction, hash })
    }
    return { hash, bytes: hash }
  }

  protected override isRefused(): boolean {
    return false
  }

  get digest(): string {
    this.state.digest ??= this.digested()
    return this.state.digest
  }

  private digested(): string {
    const filled = this.blocks.filter(({ transactions }) => transactions.length > 0)
    const mined = filled.map(({ number, transactions }) => [number, ...transactions.map(({ hash }) => hash)])
    return `${this.tip.number} ${mined} ${this.pool.map(({ hash }) => hash).toSorted()}`
  }

  /** What the bridge reports about a transaction. */
  async outcome(hash: Hash) {
    const use = this.departed((one) => one.hash === hash)
    return use ? { kind: 'DELIVERED', hash: deliveryOf(use.transfer) } : { kind: 'PENDING' }
  }

  /** The chain where the bridge delivers. */
  readonly destination = {
    chainId: 42161,
    confirmations: 1,
    untilConfirmedMs: async () => null,
    tokenMetadata: async () => ({ symbol: 'T', name: 'T', decimals: 6 }),
    arrived: async (hash: Hash, token: string, recipient: string) => {
      const use = this.departed(({ transfer }) => deliveryOf(transfer) === hash)
      if (use?.order.intent.tokenOut !== token || use.order.intent.recipient !== recipient) return null
      const amountRaw = BigInt(use.order.intent.minOut)
      const time = usualSeconds(this.blocks[use.block]!.time)
      return { amountRaw, block: use.block, time, parts: [{ place: `${hash}:0`, amountRaw }] }
    },
  }

  /** The relayers of a worker. `note`: signs again whenever the worker is there again. */
  relayersOf = (note: <Noted>(act: () => Noted) => Noted): Relayers => {
    const signed = (nonce: number, orders: readonly Order[], fee: Fee) =>
      note(() => this.sign({ key: key!.address, nonce, orders, fee }))
    return {
      forRoute: () => key!,
      onChain: () => [key!],
      transaction: async (_id, nonce, order, fee) => signed(nonce, [order as Order], fee),
      filler: async (_id, nonce, fee) => signed(nonce, [], fee),
      mayShare: () => true,
      mintObjection: () => null,
    }
  }

  private departed = (isIt: (use: { hash: Hash; transfer: Hash }) => boolean) =>
    this.standing.used.values().find((one) => isIt(one))
}

/** A provider that always has a route. */
export const provider = {
  name: 'simulated',
  quote: async ({ amountIn }: RouteRequest): Promise<Route> => simulatedRoute(amountIn, hashOf(Number(amountIn))),
  priceUsd: async () => 100_000_000n,
}
