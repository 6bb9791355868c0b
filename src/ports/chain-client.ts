import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { Order } from '../domain/execution/order'

/** A block. `time` is its own, in seconds. */
export type Block = { number: number; hash: Hash; time: number }

/** An ERC-20 transfer as a log shows it. */
export type Transfer = {
  token: Address
  from: Address
  to: Address
  amountRaw: bigint
  txHash: Hash
  logIndex: number
  block: number
  blockHash: Hash
}

/** What one transaction moved, read again from the chain. Null where it is not mined. */
export type TransactionSeen = {
  block: number
  blockHash: Hash
  succeeded: boolean
  transfers: Transfer[]
  /** Native value of the transaction itself. */
  native: { from: Address; to: Address | null; valueWei: bigint }
}

/** What became of a transaction of ours; `time` is its block's, in seconds. */
export type Receipt = { block: number; succeeded: boolean; time: number }

export type RouteUse = { hash: Hash; block: number; spentRaw: bigint }

/**
 * What one transaction brought to an address; `time` is its block's, in seconds. `parts` are the single transfers, by
 * their place on the chain; native coin, which leaves no log, is one.
 */
export type Arrived = { amountRaw: bigint; block: number; time: number; parts: { place: string; amountRaw: bigint }[] }

/**
 * Who paid an account native coin in a block. `payers`: whose coin it was. `behind`: who had it sent, contracts between
 * included. Not `isCertain` where more was paid than this explains; `behind` is then whoever may have had it sent.
 */
export type Paid = { payers: Address[]; behind: Address[]; isCertain: boolean }

/** What two nodes say, each asked by itself; every read fails while no two say the same. */
export type SecondNode = Pick<ChainClient, 'balanceOf' | 'routeUsed' | 'arrived' | 'confirmed' | 'receipt'>

/** One chain. Every failure is a RoutingError with an RPC_ code; nothing is tried twice here. */
export interface ChainClient {
  readonly chainId: ChainId
  /** Depth at which a block counts as confirmed here. */
  readonly confirmations: number
  /** Where there are two nodes or more. */
  readonly second?: SecondNode | null
  head(): Promise<Block>
  /** The newest block that will stay, as far as this chain's depth can promise. It never goes back. */
  confirmed(): Promise<Block>
  blockAt(number: number): Promise<Block | null>
  balanceOf(token: Address, account: Address, block: number): Promise<bigint>
  /** The transaction that used a route, as that block shows it. Whose order it carried does not matter. */
  routeUsed(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null>
  isDeployed(account: Address): Promise<boolean>
  /** How many nonces of a key are mined at a block, the newest if none is named. */
  minedNonces(sender: Address, block?: number): Promise<number>
  /** What the next block asks. */
  fee(): Promise<Fee>
  nativeBalance(account: Address): Promise<bigint>
  /**
   * Gas that the order's transaction needs, with what a rollup takes on top, in wei at today's price.
   * @throws {RoutingError} SIMULATION_REVERTED when the chain would refuse it.
   */
  estimate(order: Order, sender: Address): Promise<{ gasLimit: bigint; costWei: bigint }>
  /** Null while it is not mined. */
  receipt(hash: Hash): Promise<Receipt | null>
  /** What one of our contracts refused a transaction with, by the error's name; null where it was something else. */
  revertReason(hash: Hash): Promise<string | null>
  /** Takes bytes it already has in silence, and those of a nonce already mined. */
  send(bytes: Hex): Promise<void>
  /** Transfers of the named tokens, both ends included. */
  transfers(tokens: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]>
  /** Transfers of any token to one of the recipients, both ends included. As many as fit one filter are named. */
  transfersTo(recipients: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]>
  transaction(hash: Hash): Promise<TransactionSeen | null>
  /** Whether the node has the transaction, mined or not. */
  isKnown(hash: Hash): Promise<boolean>
  /** Recipients of native value that transactions of these blocks name. What contracts send is not among them. */
  nativeRecipients(fromBlock: number, toBlock: number): Promise<Address[]>
  /**
   * @param amountRaw how much the account was paid in the block.
   * @param isLastTry a node that fails to trace the block is not insisted upon.
   */
  paidIn(account: Address, block: number, amountRaw: bigint, isLastTry: boolean): Promise<Paid>
  /** Those of the accounts that hold something of a token at a block. Those that could not be read are named apart. */
  holders(
    token: Address,
    accounts: readonly Address[],
    block: number,
  ): Promise<{ holding: Address[]; unread: Address[] }>
  /** What arrived at an address in one transaction: the evidence of a delivery. Null where it is not mined at depth. */
  arrived(hash: Hash, token: Address, recipient: Address): Promise<Arrived | null>
  tokenMetadata(token: Address): Promise<{ symbol: string; name: string; decimals: number } | null>
}

export type Chains = Record<ChainId, ChainClient>
