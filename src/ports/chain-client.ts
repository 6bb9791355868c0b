import type { Observable } from 'rxjs'
import type { ChainId, ChainKey } from '../domain/chain/chain'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { Fee } from '../domain/chain/relayer'
import type { AttestedMint } from '../domain/execution/mint'
import type { Order } from '../domain/execution/route'

/** A block. `time` is its own, in seconds since 1970. */
export type Block = { number: number; hash: Hash; time: number }

/**
 * The block numbers of the heads that a node pushes; null when the node stops pushing. The stream never ends: it
 * reconnects automatically. A head is only a reason to read the chain, because a single node sent it unrequested.
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

/** The transfers of one mined transaction, as read from the chain. */
export type MinedTransaction = {
  block: number
  blockHash: Hash
  succeeded: boolean
  transfers: Transfer[]
  /** The account that the transaction itself calls or pays; null when it creates a contract. */
  to: Address | null
}

/**
 * The result of one of our transactions. `time` is its block's, in seconds since 1970. It is null if the block was not
 * read: the receipt of a successful order is used only to schedule the search for its event.
 */
type Receipt = { block: number; succeeded: boolean; time: number } | { block: number; succeeded: true; time: null }

export type RouteUse = { hash: Hash; block: number; spentRaw: bigint }

/**
 * The amount that one transaction brought to an address. `time` is its block's, in seconds since 1970. `parts` are the
 * single transfers with their positions on the chain. Native coin leaves no log and counts as one part.
 */
export type Arrival = { amountRaw: bigint; block: number; time: number; parts: { place: string; amountRaw: bigint }[] }

/**
 * The payers of native coin to an account in a block. `payers` owned the coin. `behind` caused the payments, including
 * the contracts in between. If more was paid than this explains, `isCertain` is false and `behind` lists every account
 * that might have caused it. `hashes` are the paying transactions that a node names.
 */
export type NativePayers = { payers: Address[]; behind: Address[]; isCertain: boolean; hashes: Hash[] }

/**
 * The status of an address in Circle's contracts on a chain. `isPaused`: USDC, its minting or CCTP's messages are
 * stopped for all accounts. `isBlacklisted`: USDC neither leaves nor reaches the address. `isDenylisted`: the address
 * cannot burn by CCTP.
 */
export type CircleStatus = { isPaused: boolean; isBlacklisted: boolean; isDenylisted: boolean; burnLimitRaw: bigint }

/**
 * Whether a recipient accepts a token. REFUSED: this recipient does not, although others do. BLOCKED: the token's own
 * list names it. PAUSED: the token's issuer has stopped all transfers. UNTRIED: in a trial, the token rejects every
 * recipient for its own reason.
 */
export type Acceptance = 'ACCEPTED' | 'REFUSED' | 'BLOCKED' | 'PAUSED' | 'UNTRIED'

export type AccountBalance = { account: Address; balanceRaw: bigint }
export type AccountBalances = { holding: AccountBalance[]; unread: Address[] }

/**
 * Reads that two nodes answer independently. A read fails unless two responses agree. Figures that differ between nodes
 * are the largest that two nodes report.
 */
export type SecondNode = Pick<ChainClient, SecondedRead | 'confirmed' | 'estimate' | 'fee'>
type SecondedRead =
  | 'balanceOf'
  | 'routeUsed'
  | 'arrived'
  | 'receipt'
  | 'revertReason'
  | 'circleStatus'
  | 'acceptance'
  | 'canRecover'
  | 'tokenMetadata'

/** One chain. Every failure is a RoutingError with an RPC_ code. Nothing is retried here. */
export interface ChainClient {
  readonly chainId: ChainId
  /** Depth of a confirmed block. */
  readonly confirmations: number
  /** Present when the chain has two nodes or more. */
  readonly second?: SecondNode | null
  /**
   * Returns the newest block. All callers in one process share one reader.
   *
   * @param maxAgeMs Maximum age of the result; by default a fraction of a block.
   */
  head(maxAgeMs?: number): Promise<Block>
  /** Returns the newest confirmed block below a head no older than `maxAgeMs`. It never goes back. */
  confirmed(maxAgeMs?: number): Promise<Block>
  /** Returns only the number of the newest confirmed block, computed from the head. It never goes back either. */
  confirmedNumber(maxAgeMs?: number): Promise<number>
  /**
   * @param hash The known hash of the block. A node that returns this block belongs to this chain and needs no other
   * proof.
   */
  blockAt(number: number, hash?: Hash): Promise<Block | null>
  /**
   * Throws unless the node that answers now belongs to this chain. Call it before an irreversible conclusion, such as
   * that money is missing: the node behind a URL can change without any failure.
   */
  assureChain(): Promise<void>
  balanceOf(token: Address, account: Address, block: number): Promise<bigint>
  /** Returns the transaction that used a route, as of that block, no matter whose order it carried. */
  routeUsed(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null>
  /**
   * Returns the same if a confirmed block contains its event. Null proves nothing: only `routeUsed` shows that a route
   * is unused.
   */
  routeUsedIn(accountSalt: Hash, routeId: Hash, block: number): Promise<RouteUse | null>
  /**
   * Returns the transaction that minted what was burned elsewhere, by the burn's nonce, as of the newest confirmed
   * block. Any account can have sent it. Null if it is not minted. It is a hint: `arrived` shows the amount.
   */
  mintedBy(nonce: Hash): Promise<Hash | null>
  /**
   * Returns the gas of a mint, or why the newest block would reject it. EXPIRED: it must be re-attested. REFUSED: any
   * other reason, such as a mint by another account.
   */
  estimateMint(mint: AttestedMint): Promise<bigint | 'EXPIRED' | 'REFUSED'>
  /**
   * Returns an address's status in Circle's contracts, some seconds old; null if the contracts do not answer as
   * Circle's do.
   */
  circleStatus(account: Address): Promise<CircleStatus | null>
  /**
   * Simulates, on the newest block, whether a recipient accepts an amount of a token. No account needs to hold the
   * amount.
   *
   * @param amountRaw null while unknown: the recipient must accept some amount.
   */
  acceptance(token: Address, recipient: Address, amountRaw: bigint | null): Promise<Acceptance>
  /**
   * Returns the milliseconds until a block, or a transaction that `arrived` read, should be confirmed. 0 means that it
   * might be confirmed already, and null means unknown. Sends no request to a node.
   */
  untilConfirmedMs(what: number | Hash): Promise<number | null>
  /**
   * Whether the RecoveryExecutor can return a token: it exists, and the RouteExecutor has no cap for the token, so it
   * could not move it.
   */
  canRecover(token: Address): Promise<boolean>
  /** Whether there is a contract at an address. A delegated wallet (EIP-7702) does not count. */
  isDeployed(account: Address): Promise<boolean>
  /** Whether a key has delegated to other code (EIP-7702). */
  isDelegated(key: Address): Promise<boolean>
  /** Returns the number of mined nonces of a key at a block, by default the newest. */
  minedNonces(sender: Address, block?: number): Promise<number>
  /** Returns the fee for the next block, in wei per gas. */
  fee(): Promise<Fee>
  /** Returns an account's native coin, at least as recent as the head. */
  nativeBalance(account: Address): Promise<bigint>
  /**
   * Returns the gas that the order's transaction needs, and its cost at the current price in wei, including a rollup's
   * data fee.
   *
   * @param isFunded Whether the account is known to hold the amount that a draft spends. No balance is then simulated.
   * @throws {RoutingError} SIMULATION_REVERTED if the chain would reject the transaction.
   */
  estimate(order: Order, sender: Address, isFunded?: boolean): Promise<{ gasLimit: bigint; costWei: bigint }>
  /**
   * Returns the receipt, or null if the transaction is not mined. Call `assureChain` before acting on null: a node of
   * another chain returns null too.
   *
   * @param routeId A route whose order the transaction carries. `succeeded` is then also false if that order alone
   * failed. If the order succeeded, its block is not read, and a reorganization may have removed that block.
   */
  receipt(hash: Hash, routeId?: Hash): Promise<Receipt | null>
  /**
   * Returns the name of the error with which one of our contracts rejected a transaction, or the order of a route in
   * it; null for any other reason. Fails if no node can re-run it on the state of its block, unless the latest state
   * shows that a stop of our contracts is still in force.
   */
  revertReason(hash: Hash, routeId?: Hash): Promise<string | null>
  /** Sends a signed transaction. Bytes that the node already has, and a nonce that is mined, are not errors. */
  send(bytes: Hex): Promise<void>
  /** Returns the transfers of the named tokens. Both blocks are included. */
  transfers(tokens: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]>
  /**
   * Returns the transfers of any token to one of the recipients. Both blocks are included. The recipients must fit one
   * filter.
   */
  transfersTo(recipients: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]>
  transaction(hash: Hash): Promise<MinedTransaction | null>
  /** Returns the native value of a mined transaction itself, in wei. */
  nativeValueOf(hash: Hash): Promise<bigint>
  /** Whether the node has the transaction, mined or not. */
  hasTransaction(hash: Hash): Promise<boolean>
  /**
   * Returns the recipients of native value in the transactions of these blocks. Payments by contracts are not included.
   */
  nativeRecipients(fromBlock: number, toBlock: number): Promise<Address[]>
  /**
   * @param amountRaw The amount that the account was paid in the block.
   * @param isLastTry When true, a node that fails to trace the block is not queried again.
   */
  paidIn(account: Address, block: number, amountRaw: bigint, isLastTry: boolean): Promise<NativePayers>
  /**
   * Returns the accounts that a mined transaction paid in native coin, in any of its calls; null if no node can trace
   * it.
   */
  nativePaidBy(hash: Hash): Promise<Address[] | null>
  /**
   * Returns the accounts that hold some of a token at a block, each with its balance, and the accounts that could not
   * be read.
   */
  holders(token: Address, accounts: readonly Address[], block: number): Promise<AccountBalances>
  /** Returns the same for several tokens, in one request if the chain allows it. */
  holdersOfEach(tokens: readonly Address[], accounts: readonly Address[], block: number): Promise<AccountBalances[]>
  /**
   * Returns the amount that arrived at an address in one transaction, as evidence of a delivery; null while
   * unconfirmed.
   */
  arrived(hash: Hash, token: Address, recipient: Address): Promise<Arrival | null>
  tokenMetadata(token: Address): Promise<{ symbol: string; name: string; decimals: number } | null>
}

export type Chains = Record<ChainId, ChainClient>

/** The number of requests to the nodes of one chain on one day, by method. */
type NodeRequestsOfChain = { chain: ChainKey; methods: Record<string, number> }

/** Counts the requests of all processes to the nodes of each chain, by UTC day. */
export interface NodeRequests {
  add(date: string, chain: ChainKey, counts: Record<string, number>): Promise<void>
  on(date: string): Promise<NodeRequestsOfChain[]>
}

/** A grant of the token with this symbol on a chain. `amountRaw` is in atomic units. */
export type FaucetGrant = { chainKey: ChainKey; tokenSymbol: string; amountRaw: bigint; to: Address }

/** Gives away tokens of test chains, which have no value. */
export interface Faucet {
  /** @throws {RoutingError} if the faucet does not respond or refuses to send. */
  send(grant: FaucetGrant): Promise<Hash>
}
