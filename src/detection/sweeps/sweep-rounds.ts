import { BoundedMap } from '../../domain/bounded-map'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { inParts } from '../../domain/concurrency'
import type { AccountBalance, ChainClient } from '../../ports/chain-client'
import type { AddressMap } from '../intake/address-map'
import type { TaskResult } from '../pace'
import type { BalanceSweep, IsExplained, SweepResult } from './sweep-balances'

type Ports = Pick<BalanceSweep, 'sweep' | 'sweepEach'> & {
  accounts: AddressMap
  tokens: () => readonly Address[]
  /** The block up to which the chain is scanned. Nothing new is found before it moves. */
  scannedTo: () => Promise<number>
  now: () => number
  /** How long a named account is swept in every round: until its transfer is confirmed. */
  hotMs: number
}

/** Number of accounts in one call to the lens contract. */
const pageMax = 5_000
const hotMax = 20_000
/** Delay before an account is swept again if its money could not be judged, because an order is under way. */
const againMs = 2_000
/**
 * How long an unchanged, explained balance counts as explained. Reading the records of each account in every round
 * would be most of the work.
 */
const explainedMs = 20_000
const explainedMax = 50_000

/** A round may take this many times its planned duration, because slow nodes delay the ticks. */
const roundsPatience = 3
const roundSlackMs = 5 * 60_000

export const combinedResult = (results: readonly TaskResult[]): TaskResult =>
  results.includes('RESPONDED') ? 'RESPONDED' : 'IDLE'

export type SweepRounds = ReturnType<typeof sweepRounds>

/** Decides which accounts are swept: named accounts in every round, and all others page by page. */
export function sweepRounds(ports: Ports) {
  const { sweep, sweepEach, tokens, now } = ports
  const hot = namedAccounts(ports)
  const explained = new BoundedMap<string, { balanceRaw: bigint; until: number }>(explainedMax)
  const pages = pageRounds(ports, (token, page) => sweepAll(token, page, (held) => isExplained(token, held)))
  let young: Address[] = []
  let ripe: Address[] = []

  function isExplained(token: Address, { account, balanceRaw }: AccountBalance): boolean {
    const last = explained.get(`${token}:${account}`)
    return last !== undefined && last.until > now() && last.balanceRaw === balanceRaw
  }

  async function sweepAll(
    token: Address,
    addresses: readonly Address[],
    isAsBefore?: IsExplained,
  ): Promise<TaskResult> {
    const results: TaskResult[] = []
    for (const part of inParts(addresses, pageMax)) results.push(note(token, await sweep(token, part, isAsBefore)))
    return combinedResult(results)
  }

  function note(token: Address, swept: SweepResult): TaskResult {
    for (const account of swept.again) hot.again(account, token)
    for (const { account, balanceRaw } of swept.explained) {
      explained.set(`${token}:${account}`, { balanceRaw, until: now() + explainedMs })
      hot.postpone(account, token, againMs)
    }
    return swept.block < 0 ? 'IDLE' : 'RESPONDED'
  }

  /** Sweeps the named accounts that have unswept blocks. */
  async function sweepNamed(): Promise<TaskResult> {
    const named = hot.tokens()
    if (named.length === 0) return 'IDLE'
    const scanned = await ports.scannedTo()
    const results: TaskResult[] = []
    for (const token of named) results.push(await hot.sweepDue(token, scanned, (due) => sweepAll(token, due)))
    return combinedResult(results)
  }

  /**
   * Adds new accounts. They might have been paid before they existed, in blocks that are already scanned. Accounts
   * beyond the limit are reached page by page.
   */
  function join(addresses: readonly Address[]): void {
    young.push(...addresses.slice(0, Math.max(0, hotMax - young.length)))
  }

  /**
   * Sweeps each new account once for every token, a round after it joined. Balances are then read at a block after
   * those in which the account may have been paid before it existed.
   *
   * @param isOurs Whether this process sweeps them. Otherwise they only age, in case it takes over the sweep.
   */
  async function sweepNewcomers(isOurs: boolean): Promise<TaskResult> {
    const swept = isOurs && ripe.length > 0 ? await sweepRipe() : 'IDLE'
    ripe = young
    young = []
    return swept
  }

  async function sweepRipe(): Promise<TaskResult> {
    const results = [await sweepAll(zeroAddress, ripe)]
    const all = tokens()
    for (const part of inParts(ripe, pageMax)) {
      const swept = await sweepEach(all, part)
      results.push(...[...swept.entries()].map(([n, each]) => note(all[n]!, each)))
    }
    return combinedResult(results)
  }

  return { requestSweep: hot.requestSweep, join, sweepNamed, sweepNewcomers, ...pages }
}

type BlockSpan = { from: number; until: number; fromBlock: number }

/** The named accounts by token, each until its transfer is confirmed. */
function namedAccounts({ now, hotMs }: Pick<Ports, 'now' | 'hotMs'>) {
  const hot = new Map<Address, Map<Address, BlockSpan>>()

  function name(account: Address, token: Address, { inMs = 0, fromBlock = 0 }): void {
    const named = hot.get(token) ?? new Map<Address, BlockSpan>()
    hot.set(token, named)
    const address = account.toLowerCase() as Address
    const isPlace = named.size < hotMax || named.has(address) // the others are reached page by page
    if (isPlace) named.set(address, { from: now() + inMs, until: now() + hotMs, fromBlock })
  }

  /** @param fromBlock The block in which money arrived. Earlier blocks hold nothing to find. */
  const requestSweep = (account: Address, token: Address, fromBlock = 0): void => name(account, token, { fromBlock })
  /** Re-reads money that could not be judged at a block, once the scan has advanced. */
  function again(account: Address, token: Address): void {
    const { fromBlock } = hot.get(token)?.get(account.toLowerCase() as Address) ?? {}
    name(account, token, { inMs: againMs, ...(fromBlock !== undefined && { fromBlock }) })
  }

  function postpone(account: Address, token: Address, byMs: number): void {
    const named = hot.get(token)?.get(account)
    if (named) named.from = now() + byMs
  }

  /**
   * Sweeps the accounts that are due, each once for a block up to which the chain is scanned. After a failed sweep,
   * they are still due, and the next round begins with the other tokens.
   */
  async function sweepDue<Result>(token: Address, scanned: number, sweep: (due: Address[]) => Promise<Result>) {
    const accounts = hot.get(token) ?? new Map<Address, BlockSpan>()
    for (const [account, { until }] of accounts) if (until < now()) accounts.delete(account)
    if (accounts.size === 0) hot.delete(token)
    const due = [...accounts].filter(([, { from, fromBlock }]) => from <= now() && fromBlock <= scanned)
    const before = due.map(([, named]) => [named, named.fromBlock] as const)
    for (const [named] of before) named.fromBlock = scanned + 1
    return sweep(due.map(([account]) => account)).catch((error) => {
      for (const [named, fromBlock] of before) named.fromBlock = fromBlock
      hot.delete(token)
      hot.set(token, accounts)
      throw error
    })
  }

  return { requestSweep, again, postpone, sweepDue, tokens: (): Address[] => [...hot.keys()] }
}

/** Goes round all accounts page by page: once for the native coin, and separately for one token after another. */
function pageRounds(
  { accounts, tokens, now }: Ports,
  sweepAll: (token: Address, page: readonly Address[]) => Promise<TaskResult>,
) {
  let nativeFrom = 0
  let tokenFrom = 0
  let tokenTurn = 0
  /** When all accounts were last swept: for the native coin, and for every token. */
  const roundAt = { native: now(), tokens: now() }
  let last: { from: number; size: number; page: readonly Address[] } | null = null

  /** Most installations have one page, which is reused between sweeps. */
  function page(from: number): readonly Address[] {
    const { size } = accounts
    if (last?.from !== from || last.size !== size) last = { from, size, page: accounts.slice(from, from + pageMax) }
    return last.page
  }

  /** Sweeps one page of all accounts for the native coin. The next call continues from there. */
  async function sweepNative(): Promise<TaskResult> {
    const taskResult = await sweepAll(zeroAddress, page(nativeFrom))
    nativeFrom = nativeFrom + pageMax < accounts.size ? nativeFrom + pageMax : 0
    if (nativeFrom === 0) roundAt.native = now()
    return taskResult
  }

  /** Sweeps one page of all accounts for one of the tokens. The next call continues from there. */
  async function sweepTokens(): Promise<TaskResult> {
    const token = tokens()[tokenTurn % Math.max(tokens().length, 1)]
    if (!token) roundAt.tokens = now()
    if (!token) return 'IDLE'
    const taskResult = await sweepAll(token, page(tokenFrom))
    tokenFrom += pageMax
    if (tokenFrom < accounts.size) return taskResult
    tokenFrom = 0
    tokenTurn++
    if (tokenTurn % tokens().length === 0) roundAt.tokens = now()
    return taskResult
  }

  /** Whether both rounds were completed recently. Each takes as many ticks as there are pages. */
  function isGoingRound(nativeEveryMs: number, tokenEveryMs = nativeEveryMs): boolean {
    const allowedMs = (tickMs: number, turns: number) => roundSlackMs + roundsPatience * pagesOf() * turns * tickMs
    const isLate = (at: number, allowedMs: number) => at + allowedMs < now()
    return (
      !isLate(roundAt.native, allowedMs(nativeEveryMs, 1)) &&
      !isLate(roundAt.tokens, allowedMs(tokenEveryMs, tokens().length))
    )
  }

  /** Number of calls that a round of all accounts takes. */
  function pagesOf(): number {
    return Math.max(1, Math.ceil(accounts.size / pageMax))
  }

  return { sweepNative, sweepTokens, isGoingRound, pagesOf }
}

/**
 * Number of newest blocks that are read for recipients of native coin. The sweep reaches every other account by pages.
 */
const nativeBlocksMax = 64
/** If all accounts fit into this many pages, they are swept and no blocks are read, however few blocks there are. */
const nativePagesMin = 2

/**
 * Finds native coin by sweeping the balances of all accounts each time the scan advances. If reading the new blocks
 * takes fewer requests, it sweeps only the recipients of their transactions, plus one page of all accounts.
 */
export function nativeRounds(
  { chain, accounts }: { chain: Pick<ChainClient, 'nativeRecipients'>; accounts: Pick<AddressMap, 'has'> },
  rounds: SweepRounds,
) {
  let scannedTo: number | null = null
  let pagesDue = 1

  return {
    /** @returns Whether there is something to sweep up to this block. */
    async isDue(to: number): Promise<boolean> {
      // Another process may have watched until now, so the first poll reads as many blocks as it may.
      const blocks = scannedTo === null ? nativeBlocksMax : to - scannedTo
      if (blocks <= 0) return false
      const from = Math.max(0, to - Math.min(blocks, nativeBlocksMax) + 1)
      const isByBlocks = rounds.pagesOf() > Math.max(nativePagesMin, to - from + 1)
      const paid = isByBlocks ? (await chain.nativeRecipients(from, to)).filter((address) => accounts.has(address)) : []
      for (const address of paid) rounds.requestSweep(address, zeroAddress)
      scannedTo = to
      pagesDue = isByBlocks ? Math.max(pagesDue, 1) : rounds.pagesOf()
      return !isByBlocks || paid.length > 0
    },
    async sweep(): Promise<TaskResult> {
      const results: TaskResult[] = []
      while (pagesDue > 0) {
        pagesDue -= 1 // counted before the page is read, because a scan may request all pages again during the read
        try {
          results.push(await rounds.sweepNative())
        } catch (error) {
          pagesDue += 1
          throw error
        }
      }
      return combinedResult(results)
    },
  }
}
