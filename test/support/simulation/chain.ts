import type { ChainId } from '../../../src/domain/chain/chain'
import type { Address, Hash, Hex } from '../../../src/domain/chain/hex'
import type { Fee } from '../../../src/domain/chain/relayer'
import { RoutingError } from '../../../src/domain/error'
import type { Execution } from '../../../src/domain/execution/execution'
import type { Order } from '../../../src/domain/execution/route'
import { isTerminal } from '../../../src/domain/execution/status'
import type {
  AccountBalances,
  Block,
  ChainClient,
  MinedTransaction,
  RouteUse,
  Transfer,
} from '../../../src/ports/chain-client'
import { hashOf, token } from '../deposits'
import type { Dice } from './loop'
import { tokenOf } from './parties'

export const confirmations = 6
export const blockMs = 2_000
const shortening = 3
/** Seconds of the chain are three times shorter, so orders expire more often. */
export const chainSeconds = (ms: number): number => Math.floor((ms * shortening) / 1_000)
/** Converts to seconds of the usual length, which date the transfers on the other chains. */
export const usualSeconds = (seconds: number): number => Math.floor(seconds / shortening)

type Transaction = { key: string; nonce: number; orders: readonly Order[]; fee: Fee; hash: Hash }
/** `failed`: routes of this transaction's orders that failed although other orders succeeded. */
type Receipt = { block: number; succeeded: boolean; time: number; failed?: readonly Hash[] }
export type Arrival = {
  hash: Hash
  account: Address
  amount: bigint
  from: Address
  refundOf: Hash | null
  /** The transfer has no log. Only the balance shows it, so the scanner does not record it. */
  isSilent?: true
}
/** `transfer` distinguishes the transfers of one transaction. */
export type Use = RouteUse & { order: Order; transfer: Hash }
export type SimulatedBlock = Block & {
  transactions: Transaction[]
  arrivals: Arrival[]
  balances: Map<Address, bigint>
  used: Map<Hash, Use>
  nonces: Map<string, number>
  receipts: Map<Hash, Receipt>
}

const genesis: SimulatedBlock = {
  number: 0,
  time: 0,
  hash: '0x0',
  transactions: [],
  arrivals: [],
  balances: new Map(),
  used: new Map(),
  nonces: new Map(),
  receipts: new Map(),
}

/** The last characters of a hash, which tell the hashes of one world apart. */
export const shortOf = (hash: string): string => `…${hash.slice(-4)}`

const transferIn = (hash: Hash, place: number): Hash => hashOf(Number(BigInt(hash)) + 0x100_0000 * place)

/** The transfers to accounts that have a log. */
const transfersIn = ({ arrivals, number: block, hash: blockHash }: SimulatedBlock): Transfer[] =>
  arrivals
    .filter(({ isSilent }) => !isSilent)
    .map(({ hash: txHash, account: to, amount: amountRaw, from }) => {
      return { txHash, logIndex: 0, block, blockHash, token: tokenOf(to), to, from, amountRaw }
    })

/** A chain with a pool, a base fee, reorganizations and lagging nodes. Its one rule: a route is used once. */
export class Chain implements Partial<ChainClient> {
  readonly chainId: ChainId = 8453
  readonly confirmations: number = confirmations
  readonly blocks: SimulatedBlock[] = [genesis]
  readonly refused: string[] = []
  /** Probability that a node returns a wrong count of a key's newest nonces. */
  lying = 0
  /**
   * Keys without coin for gas, and keys whose transactions no miner accepts. Each lasts until the given chain second.
   */
  readonly poorUntil = new Map<string, number>()
  readonly stuckUntil = new Map<string, number>()
  /** Transfers whose logs no node lists until the given chain second. */
  readonly unreadUntil = new Map<Hash, number>()
  /** Routes of orders whose confirmed block a reorganization removed. */
  readonly undone = new Set<Hash>()
  /** Those that had failed there. */
  private readonly undoneFailures = new Set<Hash>()
  /** Whether a confirmed block ever vanished. */
  hasForked = false
  private minedAtFork = 0
  /** Number of blocks made, including those that a reorganization removed. */
  mined = 0
  protected settled = 0
  /** The chains of a world have different hashes. */
  protected readonly firstHash: number = 0x7000_0000
  protected pool: Transaction[] = []
  private arriving: Arrival[] = []
  protected readonly signed: Transaction[] = []

  /** @param narrate Gets the chain's part of the story. */
  constructor(
    private readonly dice: Dice,
    private readonly narrate: (sentence: string) => void = () => {},
    /** Whether the executor finds the signer's signature of an order. */
    private readonly isAsSigned: (order: Order) => boolean = () => true,
  ) {}

  get tip(): SimulatedBlock {
    return this.blocks.at(-1)!
  }
  get standing(): SimulatedBlock {
    return this.blocks[this.settled]!
  }

  deposit(arrival: Arrival): void {
    this.arriving.push(arrival)
  }
  /** Every signature is unique: the bytes are the position in a list. */
  sign(transaction: Omit<Transaction, 'hash'>): { hash: Hash; bytes: Hex } {
    const hash = hashOf(this.firstHash + this.signed.length)
    this.signed.push({ ...transaction, hash })
    return { hash, bytes: hash }
  }

  /** The orders of a signed transaction. */
  ordersIn = (hash: Hash): readonly Order[] => this.signed.find((one) => one.hash === hash)?.orders ?? []

  hasPending = (hash: Hash): boolean => this.pool.some((waiting) => waiting.hash === hash)

  mine(time: number, baseFee: bigint): void {
    const { number, balances, used, nonces, receipts } = this.tip
    const isEmpty = this.arriving.length + this.pool.length === 0
    // An empty block shares the state of the block before it.
    const copy = <Key, Value>(state: Map<Key, Value>) => (isEmpty ? state : new Map(state))
    const block: SimulatedBlock = {
      number: number + 1,
      time,
      hash: hashOf(this.mined + 1), // another one after a reorganization
      transactions: [],
      arrivals: this.arriving.splice(0),
      balances: copy(balances),
      used: copy(used),
      nonces: copy(nonces),
      receipts: copy(receipts),
    }
    for (const { account, amount, hash } of block.arrivals) {
      block.balances.set(account, (block.balances.get(account) ?? 0n) + amount)
      block.receipts.set(hash, { block: block.number, succeeded: true, time })
    }
    for (const waiting of this.pool.toSorted((a, b) => a.nonce - b.nonce)) {
      if (waiting.nonce !== (block.nonces.get(waiting.key) ?? 0) || waiting.fee.feeCap < baseFee) continue
      if (time < (this.stuckUntil.get(waiting.key) ?? 0)) continue
      block.nonces.set(waiting.key, waiting.nonce + 1)
      block.transactions.push(waiting)
      const failed = waiting.orders
        .filter((order, n) => !this.execute(order, waiting.hash, transferIn(waiting.hash, n), block))
        .map(({ routeId }) => routeId)
      const succeeded = waiting.orders.length > 1 || failed.length === 0
      block.receipts.set(waiting.hash, { block: block.number, succeeded, time, failed })
      const ended = failed.length === 0 ? '' : `, and ${failed.length} of its ${waiting.orders.length} orders fail`
      this.narrate(`Block ${block.number} includes transaction ${shortOf(waiting.hash)}${ended}`)
    }
    this.pool = this.pool.filter((waiting) => waiting.nonce >= (block.nonces.get(waiting.key) ?? 0))
    if (this.dice.chance(0.02)) this.pool.splice(0, 1) // nodes forget
    this.blocks.push(block)
    this.mined += 1
    this.settled = Math.max(this.settled, block.number - this.confirmations)
  }

  /** Removes only blocks above the confirmed height, which the confirmation depth guarantees. */
  reorg(depth: number): void {
    const from = Math.max(this.settled + 1, this.blocks.length - depth)
    const dropped = this.blocks.splice(from)
    if (dropped.length > 0) this.narrate(`The chain drops its newest ${dropped.length} blocks`)
    for (const { transactions, arrivals } of dropped) {
      this.arriving.push(...arrivals)
      this.pool.push(...transactions.filter(() => this.dice.chance(0.7)))
    }
  }

  /** Whether a block with orders was confirmed a moment ago. */
  get hasNewOrders(): boolean {
    const { settled } = this
    return this.blocks.slice(Math.max(0, settled - 3), settled + 1).some(({ transactions }) => transactions.length > 0)
  }

  /** Whether one of the newest blocks has a transaction of a relayer. */
  hasOrdersIn = (newest: number): boolean =>
    this.blocks.slice(-newest).some(({ transactions }) => transactions.length > 0)

  /** Removes confirmed blocks, too. Each dropped deposit arrives again; a dropped order might not. */
  deepReorg(depth: number): void {
    const from = Math.max(1, this.blocks.length - depth)
    for (const { transactions, receipts } of this.blocks.slice(from, this.settled + 1)) {
      for (const { routeId } of transactions.flatMap(({ orders }) => orders)) this.undone.add(routeId)
      for (const routeId of transactions.flatMap(({ hash }) => receipts.get(hash)?.failed ?? []))
        this.undoneFailures.add(routeId)
    }
    this.settled = Math.min(this.settled, from - 1)
    this.hasForked = true
    this.minedAtFork = this.mined
    this.reorg(depth)
  }
  /** Whether confirmed blocks vanished two blocks ago at most: a worker may be about to store what they had. */
  get hasJustForked(): boolean {
    return this.hasForked && this.mined - this.minedAtFork < 2
  }
  /** Whether a reorganization removed the confirmed block of a record's order. */
  hasUndone = ({ routeId }: { routeId?: Hash }): boolean => routeId !== undefined && this.undone.has(routeId)
  /** Whether the order was not executed again. */
  isLost = (facts: { routeId?: Hash }): boolean => this.hasUndone(facts) && !this.standing.used.has(facts.routeId!)

  /**
   * Whether the order was executed only after a reorganization removed the confirmed block in which it had failed, so
   * its record had ended.
   */
  leftAfterEnd = ({ state, facts }: Pick<Execution, 'state' | 'facts'>): boolean =>
    isTerminal(state) &&
    !facts.spent &&
    this.undoneFailures.has(facts.routeId!) &&
    this.standing.used.has(facts.routeId!)

  /** One in fifteen fails. After a reorganization it can succeed at another height. */
  protected isRefused(transfer: Hash, block: number): boolean {
    return (BigInt(transfer) * 7n + BigInt(block)) % 15n === 0n
  }

  protected execute(order: Order, hash: Hash, transfer: Hash, block: SimulatedBlock): boolean {
    const { routeId, account, amountIn, deadline } = order
    const balance = block.balances.get(account) ?? 0n
    const spentRaw = BigInt(amountIn)
    if (block.time > deadline) return false // expired: costs gas, moves nothing
    if (this.isRefused(transfer, block.number)) return false // refused by the token or the bridge at this height
    if (!this.isAsSigned(order)) this.refused.push('an order that was not signed')
    else if (block.used.has(routeId)) this.refused.push('route used twice')
    else if (balance < spentRaw) this.refused.push('balance too low')
    else {
      block.balances.set(account, balance - spentRaw)
      block.used.set(routeId, { hash, block: block.number, spentRaw, order, transfer })
      return true
    }
    return false
  }

  /**
   * Whether a transaction with this order failed in a confirmed block, and all stored transactions with the order share
   * one nonce.
   */
  isSpentInVain(orderId: Hash, kept: ReadonlySet<string>): boolean {
    const carried = this.signed.flatMap(({ orders, hash, key, nonce }) => {
      const order = kept.has(hash) && orders.find(({ id }) => id === orderId)
      return order ? [{ place: `${key}:${nonce}`, receipt: this.standing.receipts.get(hash), order }] : []
    })
    const places = new Set(carried.map(({ place }) => place))
    return places.size === 1 && carried.some(({ receipt, order }) => receipt?.failed?.includes(order.routeId))
  }

  /** A lagging node answers one query in five. It lacks the newest blocks. */
  protected seenBy(most: number): SimulatedBlock {
    const lag = this.dice.chance(0.2) ? this.dice.below(most) : 0
    return this.blocks[Math.max(0, this.blocks.length - 1 - lag)]!
  }
  private at(number: number): SimulatedBlock {
    const isGone = this.hasForked && number > this.tip.number
    if (this.dice.chance(0.01) || isGone) throw new RoutingError('RPC_FAILED', { cause: 'header not found' })
    return this.blocks[number]!
  }

  head = async () => this.seenBy(4)
  confirmed = async () => this.blocks[Math.max(0, this.settled - (this.dice.chance(0.2) ? this.dice.below(8) : 0))]!
  confirmedNumber = async () => (await this.confirmed()).number
  blockAt = async (number: number) => this.blocks[number] ?? null
  balanceOf = async (_token: Address, account: Address, block: number) => this.at(block).balances.get(account) ?? 0n
  assureChain = async () => {}
  untilConfirmedMs = async () => null
  async routeUsedIn(_salt: Hash, routeId: Hash, block: number) {
    const use = this.at(block)?.used.get(routeId)
    return use?.block === block && block <= this.settled ? use : null
  }
  routeUsed = async (_salt: Hash, routeId: Hash, block: number) => this.at(block).used.get(routeId) ?? null
  async minedNonces(key: Address, block?: number): Promise<number> {
    if (block !== undefined) return this.at(block).nonces.get(key) ?? 0
    const mined = this.seenBy(4).nonces.get(key) ?? 0
    return this.dice.chance(this.lying) ? mined + this.dice.below(10) : mined
  }
  async receipt(hash: Hash, routeId?: Hash): Promise<Receipt | null> {
    const receipt = this.seenBy(12).receipts.get(hash)
    if (!receipt) return null
    const { block, succeeded, time, failed } = receipt
    return { block, succeeded: succeeded && !(routeId && failed?.includes(routeId)), time }
  }
  async transfersTo([to]: readonly Address[], block: number): Promise<Transfer[]> {
    const seen = this.seenBy(12).number < block ? genesis : this.at(block)
    return transfersIn(seen ?? genesis).filter((one) => one.to === to)
  }
  transfers = async (_tokens: readonly Address[], from: number, to: number) => {
    const all = this.blocks.slice(from, to + 1).flatMap(transfersIn)
    const isRead = ({ txHash }: Transfer) => this.tip.time >= (this.unreadUntil.get(txHash) ?? 0)
    return this.unreadUntil.size === 0 ? all : all.filter(isRead)
  }
  async holders(_token: Address, accounts: readonly Address[], block: number): Promise<AccountBalances> {
    const asked = new Set(accounts.map((account) => account.toLowerCase()))
    const held = [...this.at(block).balances].filter(([account, raw]) => raw > 0n && asked.has(account.toLowerCase()))
    return { holding: held.map(([account, balanceRaw]) => ({ account, balanceRaw })), unread: [] }
  }
  async transaction(hash: Hash): Promise<MinedTransaction | null> {
    const block = this.seenBy(4).receipts.get(hash)?.block
    const transfers = block === undefined ? [] : transfersIn(this.blocks[block]!).filter((one) => one.txHash === hash)
    if (block === undefined) return null
    return { block, blockHash: this.blocks[block]!.hash, succeeded: true, transfers, to: null }
  }
  revertReason = async () => null
  acceptance = async () => 'ACCEPTED' as const
  tokenMetadata = async () => ({ symbol: 'T', name: 'T', decimals: 6 })
  fee = async () => ({ feeCap: 10n, tip: 1n })
  nativeBalance = async (key: string) => (this.isPoor(key) ? 0n : 10n ** 20n)
  isPoor = (key: string): boolean => this.tip.time < (this.poorUntil.get(key) ?? 0)
  estimate = async () => ({ gasLimit: 300_000n, costWei: 3_000_000n })
  async send(bytes: Hex): Promise<void> {
    const sent = this.signed.find(({ hash }) => hash === bytes)!
    const rival = this.pool.find(({ key, nonce }) => key === sent.key && nonce === sent.nonce)
    if (sent.nonce < (this.tip.nonces.get(sent.key) ?? 0) || rival?.hash === bytes) return
    if (rival && sent.fee.feeCap * 10n < rival.fee.feeCap * 11n) return
    this.pool = [...this.pool.filter((waiting) => waiting !== rival), sent]
  }
  /** The amount that an account was sent, or paid out, on this chain. */
  async arrived(hash: Hash, of: Address, recipient: Address) {
    const paid = this.blocks
      .slice(0, this.settled + 1)
      .find(({ arrivals }) => arrivals.some((one) => one.hash === hash))
    const arrival = paid?.arrivals.find((one) => one.hash === hash && one.account === recipient)
    if (paid && arrival && of === token) return evidence(hash, arrival.amount, paid)
    const uses = [...this.standing.used.values()]
    const brought = uses.filter((one) => one.hash === hash && one.order.intent.recipient === recipient)
    const use = brought.find(({ order }) => order.kind !== 'BRIDGE') ?? brought[0]
    if (!use || of !== token) return null
    const { amountIn, protocolFee, gasFee } = use.order
    const amountRaw = BigInt(amountIn) - BigInt(protocolFee) - BigInt(gasFee)
    return evidence(hash, amountRaw, this.blocks[use.block]!)
  }
}

export const evidence = (hash: Hash, amountRaw: bigint, { number: block, time }: SimulatedBlock) => {
  const parts = [{ place: `${hash}:0`, amountRaw }]
  return { amountRaw, block, time: usualSeconds(time), parts }
}
