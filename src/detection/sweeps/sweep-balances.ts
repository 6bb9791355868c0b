import { BoundedMap } from '../../domain/bounded-map'
import type { Address } from '../../domain/chain/hex'
import { inParallel } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import { isLive, paidInMax, sweptDepositIdOf } from '../../domain/execution/execution'
import { type LaneLedger, laneId } from '../../domain/execution/lane'
import { arrivedRawOf, roundingOf, sumOf } from '../../domain/money/amount'
import { isNative } from '../../domain/money/token'
import type { AccountBalance, AccountBalances, ChainClient, NativePayers } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import { sweepFloor } from '../chains/chain-lease'
import type { AddressMap, Holder } from '../intake/address-map'
import type { Intake, Senders } from '../intake/intake'

type Ports = {
  chain: ChainClient
  accounts: AddressMap
  executions: Executions
  intake: Intake
  scannedTo: () => Promise<number>
  /** Whether the scan has read the chain as it is now. */
  isScanCurrent: () => Promise<boolean>
  /** Called for an account that could not be judged. The others are judged anyway. */
  onTrouble: (error: unknown) => void
}
/**
 * The result of a sweep. `depositIds`: the new deposits. `again`: accounts that could not be judged now. `unread`:
 * the accounts in `again` whose token contract returned no balance. `explained`: accounts whose balance the records
 * explain. `block`: the block of the balances.
 */
export type SweepResult = {
  depositIds: string[]
  again: Address[]
  unread: Address[]
  explained: AccountBalance[]
  block: number
}
export type IsExplained = (held: AccountBalance) => boolean

const checksAtOnce = 16

export type BalanceSweep = ReturnType<typeof sweepBalances>

/**
 * Finds money that no record explains: native coins, and anything else that was missed. An account should hold the
 * amounts that its records brought, less the amounts that left. Any excess becomes a separate deposit.
 */
export function sweepBalances(ports: Ports) {
  const { chain, accounts, scannedTo, onTrouble } = ports
  const judge = judging(ports)

  async function blockFor(token: Address): Promise<number> {
    const [confirmed, scanned] = await Promise.all([chain.confirmedNumber(), scannedTo()])
    // Above `sweepFloor` the scanner might still record a log. Native coin leaves no log, so it is swept up to the
    // scan.
    return Math.min(confirmed, isNative(token) ? scanned : sweepFloor(chain.chainId, scanned))
  }

  /** Judges one account. Its failure must not affect the search of other accounts. */
  async function judgedOne(address: Address, token: Address, block: number): Promise<string | null> {
    try {
      const account = await accounts.find(address)
      return account && (await judge(account, token, block))
    } catch (error) {
      onTrouble(error)
      return 'AGAIN'
    }
  }

  async function judgedAll(
    { holding, unread }: AccountBalances,
    token: Address,
    block: number,
    isAsBefore: IsExplained,
  ): Promise<SweepResult> {
    const again: Address[] = [...unread]
    const depositIds: string[] = []
    const explained: AccountBalance[] = []
    await inParallel(holding, checksAtOnce, async (held) => {
      if (isAsBefore(held)) return
      const judged = await judgedOne(held.account, token, block)
      if (judged === 'AGAIN') again.push(held.account)
      else if (judged) depositIds.push(judged)
      else explained.push(held)
    })
    return { depositIds, again, unread, explained, block }
  }

  return {
    /** @param isAsBefore Whether a balance is explained as before, so it need not be judged again. */
    async sweep(
      token: Address,
      addresses: readonly Address[],
      isAsBefore: IsExplained = () => false,
    ): Promise<SweepResult> {
      const block = await blockFor(token)
      if (block < 0 || addresses.length === 0) return { depositIds: [], again: [], unread: [], explained: [], block }
      return judgedAll(await chain.holders(token, addresses, block), token, block, isAsBefore)
    },
    /** Sweeps the same accounts for several tokens, without the native coin, in as few requests as possible. */
    async sweepEach(tokens: readonly Address[], addresses: readonly Address[]): Promise<SweepResult[]> {
      const block = tokens[0] ? await blockFor(tokens[0]) : -1
      if (block < 0 || addresses.length === 0) return []
      const all = await chain.holdersOfEach(tokens, addresses, block)
      return inParallel([...all.entries()], 1, ([n, held]) => judgedAll(held, tokens[n]!, block, () => false))
    },
  }
}

/** Makes the function that compares an account's balance with the amount that its records explain. */
function judging({ chain, executions, intake, isScanCurrent }: Ports) {
  const { chainId } = chain
  const sendersOf = findSenders(chain, executions)

  /**
   * Whether the money is still unexplained once every record of the lane counts. A reorganization can move a deposit to
   * a lower block than its record names, or an order to a higher one.
   */
  async function isStillThere(account: Address, token: Address, book: LaneLedger, amountRaw: bigint): Promise<boolean> {
    const whole = await executions.ledgerOf(laneId(account, chainId, token), Number.MAX_SAFE_INTEGER)
    if (!whole || whole.finds !== book.finds) return false
    if (whole.broughtRaw === book.broughtRaw && whole.spentRaw === book.spentRaw) return true
    if (whole.lastBlock > (await chain.confirmedNumber())) return false
    const balance = await chain.balanceOf(token, account, whole.lastBlock)
    return balance - (whole.broughtRaw - whole.spentRaw) >= amountRaw
  }

  /** @returns The id of the new deposit, null for none, or 'AGAIN' while a signed order may be moving the money. */
  return async (account: Holder, token: Address, block: number): Promise<string | null> => {
    const lane = laneId(account.id, chainId, token)
    // The order of these reads matters. An order mined up to the block was signed before it, so it is either seen here
    // or counted as spent in the ledger.
    const unspent = await executions.unspentIn(lane)
    if (unspent.some(isLive)) return 'AGAIN'
    const book = await executions.ledgerOf(lane, block)
    if (!book || book.lastBlock > block) return 'AGAIN'
    const balance = await chain.balanceOf(token, account.id, block)

    const reserved = sumOf(unspent.filter(({ deposit }) => deposit.block <= block).map(arrivedRawOf))
    const unexplained = balance - (book.broughtRaw - book.spentRaw)
    const unreserved = balance - reserved
    const isTakenAlong = unexplained > unreserved
    const amountRaw = isTakenAlong ? unreserved : unexplained
    const roundedRaw = isNative(token) ? 0n : roundingOf(book.broughtRaw)
    if (amountRaw <= roundedRaw) return null
    // Native coin leaves no log that the scan could record.
    if (book.finds === 0 && !isNative(token) && !(await isScanCurrent())) return 'AGAIN'
    if (!(await isStillThere(account.id, token, book, amountRaw))) return 'AGAIN'
    const find = book.finds + 1
    await chain.assureChain() // the account has the same address on every chain
    const senders = await sendersOf(account.id, token, block, book)
    const intakeResult = await intake.swept(account, { chainId, token, amountRaw, block, find, ...senders })
    // Another sweeper recorded this first, perhaps at another block. The next sweep finds the rest.
    return intakeResult === 'STORED' ? sweptDepositIdOf(chainId, account.id, token, find) : 'AGAIN'
  }
}

/**
 * Number of tries with a node that cannot name the sender, before the deposit is recorded without one. Each sweep tries
 * once, every two seconds.
 */
const triesMax = 5
const triedMax = 20_000
const sendersMax = 1_000

/**
 * Finds the senders of money that was found by its balance. It makes requests only for such money. If no node can show
 * the origin, the money is not held back permanently: this is the usual reason for an unknown sender, and no evidence
 * against the money.
 */
export function findSenders(chain: ChainClient, { spendsOf }: Pick<Executions, 'spendsOf'>) {
  const tries = new BoundedMap<string, number>(triedMax)

  /** @throws errors that might not occur the next time. */
  return async (account: Address, token: Address, block: number, book: LaneLedger): Promise<Senders> => {
    const id = `${account}:${token}`
    const isLastTry = (tries.get(id) ?? 0) + 1 >= triesMax
    const everySpend = once(() => spendsOf(laneId(account, chain.chainId, token)))
    const paidUpTo = async (at: number): Promise<bigint> => {
      const spends = at < (book.summedTo ?? 0) ? await everySpend() : book.spends
      const spent = spends.filter((each) => each.block <= at)
      const held = await chain.balanceOf(token, account, at).catch((error) => {
        if (at < block && isNoBalance(error)) return 0n
        throw error
      })
      return held + sumOf(spent.map(({ amountRaw }) => amountRaw))
    }
    try {
      const { rises, isWhole } = await risesUpTo({ paidUpTo, recordedRaw: book.broughtRaw, block, isLastTry })
      const paid = await Promise.all(rises.map((rise) => paidAt(account, token, rise, isLastTry)))
      tries.delete(id)
      return merged(paid, isWhole)
    } catch (error) {
      if (isLastTry) return { fromAddress: null, senders: [], isSenderUnknown: true }
      tries.set(id, (tries.get(id) ?? 0) + 1)
      throw error
    }
  }

  async function paidAt(account: Address, token: Address, { block, amountRaw }: Rise, isLastTry: boolean) {
    if (isNative(token)) return chain.paidIn(account, block, amountRaw, isLastTry)
    const transfers = await chain.transfers([token], block, block)
    const ours = transfers.filter(({ to }) => to.toLowerCase() === account.toLowerCase())
    const isCertain = sumOf(ours.map((each) => each.amountRaw)) >= amountRaw
    const hashes = ours.map(({ txHash }) => txHash)
    return { payers: ours.map(({ from }) => from), behind: [], isCertain, hashes }
  }
}

/** Whether the token's contract did not exist yet at that block, so every balance was zero. */
const isNoBalance = (error: unknown): boolean => error instanceof RoutingError && error.code === 'TOKEN_NOT_SUPPORTED'

function merged(paid: readonly NativePayers[], isWhole: boolean): Senders {
  const payers = [...new Set(paid.flatMap((each) => each.payers))]
  const all = [...new Set([...payers, ...paid.flatMap(({ behind }) => behind)])]
  const isComplete = isWhole && paid.every(({ isCertain }) => isCertain) && all.length <= sendersMax
  const fromAddress = isComplete && payers.length === 1 ? payers[0]! : null
  const paidIn = [...new Set(paid.flatMap(({ hashes }) => hashes))].slice(0, paidInMax)
  return {
    fromAddress,
    senders: all.slice(0, sendersMax),
    ...(!isComplete && { isSenderUnknown: true as const }),
    ...(paidIn.length > 0 && { paidIn }),
  }
}

/** Makes a request when its result is first needed, and caches the result. */
function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let request: Promise<Answer> | null = null
  return () => {
    request ??= ask()
    return request
  }
}

/** One block in which a sum rose. */
type Rise = { block: number; amountRaw: bigint }
type Point = { block: number; raw: bigint }

type RiseSearch = {
  /** Returns the sum of all payments to an account up to the end of a block. The sum never falls. */
  paidUpTo: (block: number) => Promise<bigint>
  /** The part of that sum that is already recorded. It is assumed to be the earliest part. */
  recordedRaw: bigint
  block: number
  /** Whether an unreadable block is left out, instead of failing the search. */
  isLastTry: boolean
}

const stepsMax = 128
const risesMax = 32
const firstDepths = [1, 2, 4, 8, 16, 32, 64]
/** Number of depths requested at a time after `firstDepths`. */
const depthsAtOnce = 4

/**
 * Finds the blocks in which unrecorded money arrived. It goes back from `block` in growing strides, then halves the
 * intervals. The interval with the largest rise comes first, so many small payments cannot hide a large one.
 *
 * @returns The rises, the largest first. `isWhole` is false if more money arrived than could be traced.
 */
export async function risesUpTo(search: RiseSearch): Promise<{ rises: Rise[]; isWhole: boolean }> {
  const { paidUpTo, recordedRaw, block } = search
  const { points, isGrounded } = await strides(search)
  const open: [Point, Point][] = points.slice(1).map((high, n) => [points[n]!, high])
  const rises: Rise[] = []
  let isWhole = isGrounded
  for (let n = 0; open.length > 0; n++) {
    open.sort((one, other) => Number(riseOf(other) > riseOf(one)) - Number(riseOf(other) < riseOf(one)))
    const [low, high] = open.shift()!
    const amountRaw = riseOf([low, high])
    if (amountRaw <= 0n) continue
    if (high.block - low.block === 1) rises.push({ block: high.block, amountRaw })
    else if (n >= stepsMax) isWhole = false
    else {
      const middle = Math.floor((low.block + high.block) / 2)
      const raw = await paidUpTo(middle)
      open.push([low, { block: middle, raw }], [{ block: middle, raw }, high])
    }
  }
  rises.sort((one, other) => (one.amountRaw > other.amountRaw ? -1 : 1))
  return { rises: rises.slice(0, risesMax), isWhole: isWhole && rises.length <= risesMax && block >= 0 }

  function riseOf([low, high]: [Point, Point]): bigint {
    return high.raw - (low.raw > recordedRaw ? low.raw : recordedRaw)
  }
}

/** Returns points in the order of the chain. If possible, the first point is one where everything is recorded. */
async function strides({ paidUpTo, recordedRaw, block, isLastTry }: RiseSearch) {
  const points: Point[] = [{ block, raw: await paidUpTo(block) }]
  for (const depths of wavesOf(block)) {
    const blocks = depths.map((depth) => Math.max(0, block - depth))
    const settled = await Promise.allSettled(blocks.map(paidUpTo))
    for (const [n, answer] of settled.entries()) {
      if (answer.status === 'rejected' && !isLastTry) throw answer.reason
      if (answer.status === 'rejected') return { points, isGrounded: false } // the node no longer has older blocks
      points.unshift({ block: blocks[n]!, raw: answer.value })
      if (answer.value <= recordedRaw) return { points, isGrounded: true }
    }
  }
  return { points, isGrounded: false }
}

/** Returns the depths to request, in groups, down to the first block. */
function wavesOf(block: number): number[][] {
  const depths = [...firstDepths]
  while (depths.at(-1)! < block) depths.push(depths.at(-1)! * 2)
  const distinct = depths.filter((_, n) => n === 0 || depths[n - 1]! < block)
  const later = distinct.slice(firstDepths.length)
  const waves = Array.from({ length: Math.ceil(later.length / depthsAtOnce) }, (_, n) =>
    later.slice(n * depthsAtOnce, (n + 1) * depthsAtOnce),
  )
  return [distinct.slice(0, firstDepths.length), ...waves]
}
