import type { Observable } from 'rxjs'
import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { AttestedMint } from '../domain/execution/mint'
import type { Order } from '../domain/execution/route'

/** A block. `time` is its own, in seconds since 1970. */
export type Block = { number: number; hash: Hash; time: number }

/**
 * The numbers of the heads that a node pushes; null when it tells nothing any more. It never ends, and begins again by
 * itself. A head is a reason to look at the chain and nothing else: it is the word of one node about what nobody asked.
 */
export type NewHeads = Observable<number | null>

/** An ERC-20 transfer as its log shows it. */
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

/** What one mined transaction moved, as read from the chain. */
export type TransactionSeen = {
  block: number
  blockHash: Hash
  succeeded: boolean
  transfers: Transfer[]
  /** Whom the transaction itself calls or pays; null when it creates a contract. */
  to: Address | null
}

/**
 * What became of one of our transactions. `time` is its block's, in seconds since 1970. It is null where the block was
 * not read: the receipt of an order that succeeded tells when to look for its event, and nothing else.
 */
type Receipt = { block: number; succeeded: boolean; time: number } | { block: number; succeeded: true; time: null }

export type RouteUse = { hash: Hash; block: number; spentRaw: bigint }

/**
 * What one transaction brought to an address. `time` is its block's, in seconds since 1970. `parts` are the single
 * transfers with their places on the chain. Native coin leaves no log and counts as one part.
 */
export type Arrived = { amountRaw: bigint; block: number; time: number; parts: { place: string; amountRaw: bigint }[] }

/**
 * Who paid an account native coin in a block. `payers`: whose coin it was. `behind`: who caused it to be sent,
 * including the contracts in between. When more was paid than this explains, `isCertain` is false and `behind` is
 * everybody who may have caused it. `hashes` are the transactions that paid, as far as a node names them.
 */
export type Paid = { payers: Address[]; behind: Address[]; isCertain: boolean; hashes: Hash[] }

/**
 * What Circle's contracts say of an address on a chain. `isPaused`: USDC, its minting or CCTP's messages stand still
 * for everybody. `isBlacklisted`: USDC neither leaves nor reaches the address. `isDenylisted`: it may not burn by CCTP.
 */
export type CircleStanding = { isPaused: boolean; isBlacklisted: boolean; isDenylisted: boolean; burnLimitRaw: bigint }

/**
 * Whether a recipient takes a token. REFUSED: it does not, while others do. BLOCKED: the token's own list names it.
 * PAUSED: the token's issuer has stopped all transfers. UNTRIED: the token refuses every recipient in a trial, for a
 * reason of its own.
 */
export type Acceptance = 'ACCEPTED' | 'REFUSED' | 'BLOCKED' | 'PAUSED' | 'UNTRIED'

export type Holding = { account: Address; balanceRaw: bigint }
export type Held = { holding: Holding[]; unread: Address[] }

/** Reads that two nodes answer independently. Every read fails while no two answers agree. */
export type SecondNode = Pick<
  ChainClient,
  'balanceOf' | 'routeUsed' | 'arrived' | 'confirmed' | 'receipt' | 'circleStanding'
>

/** One chain. Every failure is a RoutingError with an RPC_ code, and nothing is retried here. */
export interface ChainClient {
  readonly chainId: ChainId
  /** The depth at which a block counts as confirmed. */
  readonly confirmations: number
  /** Present when the chain has two nodes or more. */
  readonly second?: SecondNode | null
  /**
   * Returns the newest block. Everybody of one process shares one reader of it.
   *
   * @param maxAgeMs How old the answer may be; by default a fraction of a block.
   */
  head(maxAgeMs?: number): Promise<Block>
  /** Returns the newest confirmed block, as of a head that is no older than that. It never goes back. */
  confirmed(maxAgeMs?: number): Promise<Block>
  /** Returns its number alone, which follows from the head. It never goes back either. */
  confirmedNumber(maxAgeMs?: number): Promise<number>
  /**
   * @param hash What the block's hash is known to be. A node that shows that block is one of this chain, and need not
   * prove it in another way.
   */
  blockAt(number: number, hash?: Hash): Promise<Block | null>
  /**
   * Fails unless the node that answers now is one of this chain. Whoever concludes what cannot be undone, such as that
   * money is missing, asks for this first: the node behind a URL may be replaced without any failure.
   */
  assureChain(): Promise<void>
  balanceOf(token: Address, account: Address, block: number): Promise<bigint>
  /**
   * Returns the transaction that used a route, as of that block. It does not matter whose order the transaction
   * carried.
   */
  routeUsed(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null>
  /**
   * Returns the same where a block contains the event of it and is confirmed. Null says nothing: only `routeUsed` tells
   * that a route is unused.
   */
  routeUsedIn(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null>
  /**
   * Returns the transaction that minted what was burnt elsewhere, by the name of the burn, as of the newest confirmed
   * block, whoever sent it; null while none has. It is a pointer: `arrived` tells what it brought.
   */
  mintedBy(nonce: Hash): Promise<Hash | null>
  /**
   * Returns what gas a mint takes, or why the newest block would refuse it: EXPIRED when it has to be attested anew,
   * REFUSED for any other reason, such as that somebody else had it minted.
   */
  estimateMint(mint: AttestedMint): Promise<bigint | 'EXPIRED' | 'REFUSED'>
  /**
   * Returns what Circle's contracts say of an address as of some seconds ago; null where they do not answer as Circle's
   * do.
   */
  circleStanding(account: Address): Promise<CircleStanding | null>
  /**
   * Tries at the newest block whether a recipient takes an amount of a token. No account needs to hold the amount.
   *
   * @param amountRaw null while it is unknown: the recipient must take some amount.
   */
  acceptance(token: Address, recipient: Address, amountRaw: bigint | null): Promise<Acceptance>
  /**
   * Returns in how many milliseconds a block, or a transaction that `arrived` looked at, should be confirmed; 0 when it
   * may be, and null when that is not known. No node is asked.
   */
  untilConfirmedMs(what: number | Hash): Promise<number | null>
  /**
   * Whether a token can go back by the RecoveryExecutor: there is one, and the RouteExecutor remembers no cap of the
   * token, so that it could not move it.
   */
  hasWayBack(token: Address): Promise<boolean>
  /** Whether there is a contract at an address. A delegated wallet (EIP-7702) is none. */
  isDeployed(account: Address): Promise<boolean>
  /** Whether a key lets other code act for it (EIP-7702). */
  isDelegated(key: Address): Promise<boolean>
  /** Returns how many nonces of a key are mined at a block, by default the newest. */
  minedNonces(sender: Address, block?: number): Promise<number>
  /** Returns the fee that the next block asks for, in wei per gas. */
  fee(): Promise<Fee>
  /** Returns an account's native coin, as of a moment as recent as that of the head. */
  nativeBalance(account: Address): Promise<bigint>
  /**
   * Returns the gas that the order's transaction needs, and its cost at the present price in wei, including a rollup's
   * data fee.
   *
   * @param isFunded Whether the account is known to hold what a draft spends, so that nothing is pretended about it.
   * @throws {RoutingError} SIMULATION_REVERTED when the chain would refuse the transaction.
   */
  estimate(order: Order, sender: Address, isFunded?: boolean): Promise<{ gasLimit: bigint; costWei: bigint }>
  /**
   * Returns null while it is not mined. Whoever concludes something from that calls `assureChain` first.
   *
   * @param routeId Of an order that it carries: `succeeded` is then false as well where that order failed by itself,
   * among others that did not. Where it succeeded, its block is not read, and may be one that vanished.
   */
  receipt(hash: Hash, routeId?: Hash): Promise<Receipt | null>
  /**
   * Returns the name of the error with which one of our contracts refused a transaction, or the order of a route in it;
   * null for any other reason.
   */
  revertReason(hash: Hash, routeId?: Hash): Promise<string | null>
  /** Sends a signed transaction. Bytes that the node has already, and those of a mined nonce, are not an error. */
  send(bytes: Hex): Promise<void>
  /** Returns the transfers of the named tokens. Both blocks are included. */
  transfers(tokens: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]>
  /**
   * Returns the transfers of any token to one of the recipients. Both blocks are included, and the recipients fit one
   * filter.
   */
  transfersTo(recipients: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]>
  transaction(hash: Hash): Promise<TransactionSeen | null>
  /** Returns the native value of a mined transaction itself, in wei. */
  nativeValueOf(hash: Hash): Promise<bigint>
  /** Whether the node has the transaction, mined or not. */
  isKnown(hash: Hash): Promise<boolean>
  /**
   * Returns the recipients of native value that transactions of these blocks name. What contracts send is not among
   * them.
   */
  nativeRecipients(fromBlock: number, toBlock: number): Promise<Address[]>
  /**
   * @param amountRaw How much the account was paid in the block.
   * @param isLastTry When true, a node that fails to trace the block is not asked again.
   */
  paidIn(account: Address, block: number, amountRaw: bigint, isLastTry: boolean): Promise<Paid>
  /** Returns whom a mined transaction paid native coin, by whatever call of it; null when no node can trace it. */
  nativePaidBy(hash: Hash): Promise<Address[] | null>
  /**
   * Returns those of the accounts that hold some of a token at a block, each with its balance, and those that could not
   * be read.
   */
  holders(token: Address, accounts: readonly Address[], block: number): Promise<Held>
  /** Returns the same for each of several tokens, in one request where the chain allows it. */
  holdersOfEach(tokens: readonly Address[], accounts: readonly Address[], block: number): Promise<Held[]>
  /**
   * Returns what arrived at an address in one transaction, as evidence of a delivery; null while it is not confirmed.
   */
  arrived(hash: Hash, token: Address, recipient: Address): Promise<Arrived | null>
  tokenMetadata(token: Address): Promise<{ symbol: string; name: string; decimals: number } | null>
}

export type Chains = Record<ChainId, ChainClient>
