import { type Coin, collectorCoinFaults } from '../../audit/coin'
import { explainLane } from '../../audit/lane'
import { auditSums, collectorFaults, relayerFaults, type Unexplained } from '../../audit/report'
import { type ChainId, type ChainKey, chainIds, chainKeyOf } from '../../domain/chain/chain'
import { type Address, sameAddress } from '../../domain/chain/hex'
import { inParts } from '../../domain/concurrency'
import { isNative, type TokenList } from '../../domain/money/token'
import type { AuditQueries, AuditRecord, LaneFacts, UnsupportedFact } from '../../ports/audit'
import { type AuditedChain, balanceKey, type ChainAt, chainAt, type Fixed, reasonOf } from './chain-at'
import { lanesOf } from './lanes'

export type AuditPorts = {
  queries: AuditQueries
  chains: Record<ChainId, AuditedChain>
  tokens: TokenList
  collector: Address
  /** Called after each page of accounts. */
  onPage?: (accounts: number, of: number) => void
}

export type AuditReport = Awaited<ReturnType<typeof audit>>

const accountsPerPage = 1_000
/** Number of accounts that are read a second time before they are reported. */
const secondReadingsMax = 200

type Result = { facts: LaneFacts; explained: ReturnType<typeof explainLane> }

/**
 * Explains every unit of every account, collector and relayer, at one block of each chain. The records are read
 * afterwards. An account that is not explained is read again, because its records may have been changing.
 */
export async function audit(ports: AuditPorts) {
  const { addresses, ats } = await fixedBlocks(ports, { fromBlocks: new Map(), isSpent: () => false })
  return auditAt(ports, ats, { addresses, isWhole: true })
}

/** Fixes the block of each chain and reads the balances there. */
export async function fixedBlocks(
  { queries, chains, tokens, collector }: AuditPorts,
  { fromBlocks, isSpent }: Pick<Fixed, 'fromBlocks' | 'isSpent'>,
): Promise<{ addresses: Address[]; ats: ChainAt[] }> {
  const { addresses, firstCreatedAt } = await queries.accounts()
  const payers = [...((await queries.relayers()) as Set<Address>), collector]
  const fixed = { queries, tokens, addresses: [...addresses, collector], payers, firstCreatedAt, fromBlocks, isSpent }
  return { addresses, ats: await Promise.all(chainIds.map((id) => chainAt(id, chains[id], fixed))) }
}

/** The accounts to explain, in the order of their lower-case addresses. Only all of them explain a collector. */
type Audited = { addresses: readonly Address[]; isWhole: boolean }

export async function auditAt(
  { queries, tokens, collector, onPage }: AuditPorts,
  ats: ChainAt[],
  { addresses, isWhole }: Audited,
) {
  const sums = auditSums()
  const strangers: Unexplained[] = []
  let records = 0

  async function page(accounts: readonly Address[], from: string, to: string | null): Promise<Result[]> {
    const stored = await queries.records(from, to)
    return explained(accounts, stored, await queries.unsupported(from, to))
  }

  async function explained(accounts: readonly Address[], stored: AuditRecord[], unsupported: UnsupportedFact[]) {
    records += stored.length
    const own = new Set(accounts.map((address) => address.toLowerCase()))
    const ours = stored.filter(({ account }) => own.has(account.toLowerCase()))
    for (const { id, account, chainId, token, block } of stored) {
      const at = ats.find((one) => one.chainId === chainId)
      if (!at || own.has(account.toLowerCase()) || block > at.block) continue
      const about = { kind: 'ACCOUNT', chain: chainKeyOf(chainId), address: account, token } as const
      strangers.push({ ...about, faults: [`${id}: no account has this address.`], history: [] })
    }
    const results = await Promise.all(
      ats.map(async (at) => {
        if (at.reason !== null) return []
        try {
          const lanes = await lanesOf(at, tokens, { addresses: accounts, records: ours, unsupported })
          return lanes.map((facts) => ({ facts, explained: explainLane(facts, at.block) }))
        } catch (error) {
          at.reason = reasonOf(error)
          return []
        }
      }),
    )
    return results.flat()
  }

  /** Single accounts: the records between them are not read. */
  async function chosen(accounts: readonly Address[]): Promise<Result[]> {
    const [stored, unsupported]: [AuditRecord[], UnsupportedFact[]] = [[], []]
    for (const account of accounts) {
      const key = account.toLowerCase()
      stored.push(...(await queries.records(key, `${key}~`)))
      unsupported.push(...(await queries.unsupported(key, `${key}~`)))
    }
    return explained(accounts, stored, unsupported)
  }

  const suspects: Result[] = []
  const pages = inParts(addresses, accountsPerPage)
  for (const [n, accounts] of pages.entries()) {
    const next = pages[n + 1]?.[0]?.toLowerCase() ?? null
    const from = n === 0 ? '' : accounts[0]!.toLowerCase()
    for (const result of await (isWhole ? page(accounts, from, next) : chosen(accounts)))
      if (result.explained.faults.length > 0) suspects.push(result)
      else sums.add(result.facts, result.explained)
    onPage?.(Math.min(addresses.length, (n + 1) * accountsPerPage), addresses.length)
  }
  for (const result of await secondReading(suspects, page)) sums.add(result.facts, result.explained)
  const collected = isWhole ? await collectors(ats, sums, collector) : { rows: [], unexplained: [] }
  const ownRelayers = await queries.relayers()
  const relayed = [...sums.relayers.values()].flatMap(({ chain, relayer }): Unexplained[] => {
    const faults = relayerFaults(relayer, ownRelayers)
    return faults.length === 0 ? [] : [{ kind: 'RELAYER', chain, address: relayer, token: null, faults, history: [] }]
  })
  const coinOf = (chain: ChainKey, address: Address): Coin | null =>
    ats.find(({ chainId }) => chainKeyOf(chainId) === chain)?.coins.get(address.toLowerCase()) ?? null
  const relayers = [...sums.relayers.values()].map((row) => {
    const { balanceRaw = null, nonces = null } = coinOf(row.chain, row.relayer) ?? {}
    return { ...row, balanceRaw, nonces }
  })
  const isRead = ({ chain }: { chain: string }): boolean =>
    ats.some(({ chainId, reason }) => chainKeyOf(chainId) === chain && reason === null)
  return {
    chains: ats.map(({ chainId, block, hash, fromBlock, reason }) => {
      const chain = chainKeyOf(chainId)
      return reason === null
        ? { chain, block, blockHash: hash, fromBlock, reason }
        : { chain, block: null, blockHash: null, fromBlock: null, reason }
    }),
    accounts: addresses.length,
    records,
    rows: [...sums.rows.values()].filter(isRead),
    collectors: collected.rows.filter(isRead),
    relayers: relayers.filter(isRead),
    unexplained: [...sums.unexplained, ...strangers, ...collected.unexplained, ...relayed].filter(isRead),
  }
}

/** Reads unexplained accounts a second time. */
async function secondReading(
  suspects: readonly Result[],
  page: (accounts: readonly Address[], from: string, to: string) => Promise<Result[]>,
): Promise<Result[]> {
  const nameOf = ({ facts }: Result): string => `${facts.chainId}:${balanceKey(facts.account, facts.token)}`
  const names = new Set(suspects.map(nameOf))
  const accounts = [...new Set(suspects.map(({ facts }) => facts.account))]
  if (accounts.length > secondReadingsMax) return [...suspects]
  const again: Result[] = []
  for (const account of accounts) {
    const key = account.toLowerCase()
    again.push(...(await page([account], key, `${key}~`)).filter((result) => names.has(nameOf(result))))
  }
  return again
}

/**
 * Compares the fees with what reached each collector. Native coin leaves no log, so only the balance is compared: the
 * difference is stated as one amount in or out.
 */
async function collectors(ats: readonly ChainAt[], sums: ReturnType<typeof auditSums>, configured: Address) {
  const rows = [...sums.collectors.values()].map((row) => ({
    ...row,
    otherRaw: null as bigint | null,
    outRaw: null as bigint | null,
    heldRaw: null as bigint | null,
  }))
  const unexplained: Unexplained[] = []
  for (const at of ats) {
    const chain = chainKeyOf(at.chainId)
    for (const row of rows.filter((row) => row.chain === chain && isNative(row.token))) {
      const coin = at.coins.get(row.collector.toLowerCase())
      if (!coin) continue
      const moreRaw = coin.balanceRaw - row.feesRaw
      row.heldRaw = coin.balanceRaw
      row.otherRaw = moreRaw > 0n ? moreRaw : 0n
      row.outRaw = moreRaw < 0n ? -moreRaw : 0n
      const before = { balanceRaw: 0n, nonces: 0 }
      const faults = collectorCoinFaults({ before, after: coin, feesRaw: row.feesRaw })
      const about = { kind: 'COLLECTOR', chain, address: row.collector, token: row.token } as const
      if (faults.length > 0) unexplained.push({ ...about, faults, history: [] })
    }
    const own = rows.filter((row) => row.chain === chain && !isNative(row.token))
    for (const [collector, theirs] of Map.groupBy(own, (row) => row.collector)) {
      if (at.reason !== null) continue
      const moves = await at.history.moves([collector], at.fromBlock, at.block).catch((error) => {
        at.reason = reasonOf(error)
        return []
      })
      for (const row of theirs) {
        const here = moves.filter(({ token, from, to }) => sameAddress(token, row.token) && !sameAddress(from, to))
        const sumOf = (side: 'from' | 'to') =>
          here.reduce((sum, move) => (sameAddress(move[side], collector) ? sum + move.amountRaw : sum), 0n)
        const [inRaw, outRaw] = [sumOf('to'), sumOf('from')]
        row.otherRaw = inRaw - row.feesRaw
        row.outRaw = outRaw
        const key = balanceKey(collector, row.token)
        const isHeldRead = sameAddress(collector, configured) && !at.unread.has(key)
        row.heldRaw = isHeldRead ? (at.held.get(key) ?? 0n) : null
        const faults = collectorFaults({ feesRaw: row.feesRaw, inRaw, outRaw, heldRaw: row.heldRaw })
        const about = { kind: 'COLLECTOR', chain, address: collector, token: row.token } as const
        if (faults.length > 0) unexplained.push({ ...about, faults, history: [] })
      }
    }
  }
  return { rows, unexplained }
}
