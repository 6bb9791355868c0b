import { type ChainId, chainOf } from '../../src/domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import type {
  AccountBalance,
  Block,
  ChainClient,
  MinedTransaction,
  NativePayers as Payers,
  Transfer,
} from '../../src/ports/chain-client'

export type Paid = { token: Address; to: Address; amountRaw: bigint; from?: Address; logged?: bigint }
type Transaction = { hash: Hash; paid: Paid[]; isInternal: boolean; succeeded: boolean }
type Mined = { block: Block; transactions: Transaction[] }

export const stranger: Address = '0x00000000000000000000000000000000000000AA'
const word = (text: string): Hash => `0x${Bun.SHA256.hash(text, 'hex')}`

/** A fake chain of blocks with logs and balances. Tests make it reorganize or fail. */
export class DetectionChain implements Partial<ChainClient> {
  readonly confirmations: number
  mined: Mined[] = []
  moves = new Map<string, { block: number; delta: bigint }[]>()
  asked = {
    transfers: 0,
    transfersTo: 0,
    metadata: 0,
    head: 0,
    confirmed: 0,
    nativeValueOf: 0,
    holders: 0,
    holdersOfEach: 0,
  }
  /** Maximum number of logs in a response to a query by recipient. */
  logsMax = Number.POSITIVE_INFINITY
  /** Maximum number of blocks in a query. */
  rangeMax = Number.POSITIVE_INFINITY
  failure: RoutingError | null = null
  /** Number of requests that `failure` answered. */
  failures = 0
  /** Blocks whose logs are missing, as on a node that lags. */
  readonly hidden = new Set<number>()
  /** Whether the node currently serves a different chain. */
  isStranger = false
  /** Whether no node supports tracing. */
  isUntraced = false
  /** Tokens whose contract returns no balance. */
  readonly silent = new Set<Address>()
  private salt = 0

  constructor(
    readonly chainId: ChainId,
    confirmations?: number,
  ) {
    this.confirmations = confirmations ?? chainOf(chainId).confirmations
    this.mine()
  }

  get tip(): Block {
    return this.mined.at(-1)!.block
  }

  /** Mines a block with these transactions. @returns their hashes. */
  mine(...transactions: (Partial<Transaction> & { paid: Paid[] })[]): Hash[] {
    const number = this.mined.length
    const block = { number, hash: word(`block ${number} ${this.salt}`), time: 1_700_000_000 + number * 2 }
    const full = transactions.map((transaction, n) => ({
      hash: word(`transaction ${number} ${n} ${this.salt}`),
      isInternal: false,
      succeeded: true,
      ...transaction,
    }))
    this.mined.push({ block, transactions: full })
    for (const { paid, succeeded } of full) {
      for (const { token, to, from, amountRaw } of succeeded ? paid : []) {
        this.move(token, to, number, amountRaw)
        if (from) this.move(token, from, number, -amountRaw)
      }
    }
    return full.map(({ hash }) => hash)
  }

  mineEmpty(blocks: number): void {
    for (let n = 0; n < blocks; n++) this.mine()
  }

  /** Removes the newest blocks. The test mines their replacements. */
  reorg(depth: number): void {
    this.mined.splice(this.mined.length - depth)
    for (const [key, moves] of this.moves)
      this.moves.set(
        key,
        moves.filter(({ block }) => block < this.mined.length),
      )
    this.salt++
  }

  private move(token: Address, account: Address, block: number, delta: bigint): void {
    const key = `${token}:${account}`.toLowerCase()
    this.moves.set(key, [...(this.moves.get(key) ?? []), { block, delta }])
  }

  private transfersOf({ block, transactions }: Mined): Transfer[] {
    let logIndex = 0
    return transactions.flatMap(({ hash, paid, succeeded }) =>
      (succeeded ? paid : []).flatMap(({ token, to, from, amountRaw, logged }) =>
        token === zeroAddress
          ? []
          : [
              {
                token,
                from: from ?? stranger,
                to,
                amountRaw: logged ?? amountRaw,
                txHash: hash,
                logIndex: logIndex++,
                block: block.number,
                blockHash: block.hash,
              },
            ],
      ),
    )
  }

  private answer(): void {
    if (!this.failure) return
    this.failures++
    throw this.failure
  }

  async head(): Promise<Block> {
    this.answer()
    this.asked.head++
    return this.tip
  }
  async confirmed(): Promise<Block> {
    this.answer()
    this.asked.confirmed++
    return this.mined[Math.max(0, this.tip.number - this.confirmations + 1)]!.block
  }
  async confirmedNumber(): Promise<number> {
    return (await this.confirmed()).number
  }
  async blockAt(number: number): Promise<Block | null> {
    this.answer()
    return this.mined[number]?.block ?? null
  }
  async assureChain(): Promise<void> {
    this.answer()
    if (this.isStranger) throw new RoutingError('RPC_FAILED')
  }
  async balanceOf(token: Address, account: Address, block: number): Promise<bigint> {
    this.answer()
    const moves = this.moves.get(`${token}:${account}`.toLowerCase()) ?? []
    return moves.reduce((sum, { block: at, delta }) => (at <= block ? sum + delta : sum), 0n)
  }
  async transfers(tokens: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]> {
    this.answer()
    this.asked.transfers++
    if (toBlock - fromBlock + 1 > this.rangeMax) throw new RoutingError('RPC_FAILED', { cause: 'block range too long' })
    return this.mined
      .slice(fromBlock, toBlock + 1)
      .filter(({ block }) => !this.hidden.has(block.number))
      .flatMap((mined) => this.transfersOf(mined))
      .filter(({ token }) => tokens.includes(token))
  }
  async transfersTo(recipients: readonly Address[], fromBlock: number, toBlock: number): Promise<Transfer[]> {
    this.answer()
    this.asked.transfersTo++
    const to = new Set(recipients.map((each) => each.toLowerCase()))
    const logs = this.mined
      .slice(fromBlock, toBlock + 1)
      .filter(({ block }) => !this.hidden.has(block.number))
      .flatMap((mined) => this.transfersOf(mined))
      .filter((transfer) => to.has(transfer.to.toLowerCase()))
    if (logs.length > this.logsMax) throw new RoutingError('RPC_FAILED', { cause: 'too many logs' })
    return logs
  }
  async transaction(hash: Hash): Promise<MinedTransaction | null> {
    this.answer()
    for (const mined of this.mined) {
      const found = mined.transactions.find((transaction) => transaction.hash === hash)
      if (!found) continue
      const paid = found.isInternal ? undefined : found.paid.find(({ token }) => token === zeroAddress)
      return {
        block: mined.block.number,
        blockHash: mined.block.hash,
        succeeded: found.succeeded,
        transfers: this.transfersOf(mined).filter(({ txHash }) => txHash === hash),
        to: paid?.to ?? found.paid[0]?.token ?? null,
      }
    }
    return null
  }
  async nativeValueOf(hash: Hash): Promise<bigint> {
    this.answer()
    this.asked.nativeValueOf++
    const found = this.mined.flatMap(({ transactions }) => transactions).find((each) => each.hash === hash)
    return found?.paid.find(({ token }) => token === zeroAddress)?.amountRaw ?? 0n
  }
  async nativeRecipients(fromBlock: number, toBlock: number): Promise<Address[]> {
    this.answer()
    const transactions = this.mined.slice(fromBlock, toBlock + 1).flatMap((mined) => mined.transactions)
    return transactions
      .filter(({ isInternal, succeeded }) => succeeded && !isInternal)
      .flatMap(({ paid }) => paid.filter(({ token }) => token === zeroAddress).map(({ to }) => to))
  }
  async nativePaidBy(hash: Hash): Promise<Address[] | null> {
    this.answer()
    if (this.isUntraced) return null
    const found = this.mined.flatMap(({ transactions }) => transactions).find((each) => each.hash === hash)
    return (found?.paid ?? [])
      .filter(({ token, amountRaw }) => token === zeroAddress && amountRaw > 0n)
      .map(({ to }) => to)
  }
  async paidIn(account: Address, block: number): Promise<Payers> {
    this.answer()
    const transactions = this.mined[block]?.transactions ?? []
    const paid = transactions.flatMap(({ succeeded, paid, hash }) =>
      succeeded ? paid.map((each) => ({ ...each, hash })) : [],
    )
    const coin = paid.filter((each) => each.token === zeroAddress && each.amountRaw > 0n)
    const ours = coin.filter(({ to }) => to.toLowerCase() === account.toLowerCase())
    const hashes = [...new Set(ours.map(({ hash }) => hash))]
    return { payers: [...new Set(ours.map(({ from }) => from ?? stranger))], behind: [], isCertain: true, hashes }
  }
  async holders(token: Address, accounts: readonly Address[], block: number) {
    this.asked.holders++
    const holding: AccountBalance[] = []
    if (this.silent.has(token)) return { holding, unread: [...accounts] }
    for (const account of accounts) {
      const balanceRaw = await this.balanceOf(token, account, block)
      if (balanceRaw > 0n) holding.push({ account, balanceRaw })
    }
    return { holding, unread: [] as Address[] }
  }
  async holdersOfEach(tokens: readonly Address[], accounts: readonly Address[], block: number) {
    this.asked.holdersOfEach++
    return Promise.all(tokens.map((token) => this.holders(token, accounts, block)))
  }
  async tokenMetadata(): Promise<{ symbol: string; name: string; decimals: number } | null> {
    this.answer()
    this.asked.metadata++
    return { symbol: 'RARE', name: 'Rare', decimals: 9 }
  }
}

export const asChain = (chain: DetectionChain): ChainClient => chain as unknown as ChainClient
