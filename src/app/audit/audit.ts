import { explainLane } from '../../audit/lane'
import { auditSums, collectorFaults, relayerFaults, type Unexplained } from '../../audit/report'
import { type ChainId, chainIds, chainKeyOf } from '../../domain/chain/chain'
import { type Address, sameAddress } from '../../domain/chain/hex'
import { inParts } from '../../domain/concurrency'
import { isNative, type TokenList } from '../../domain/money/token'
import type { AuditQueries, LaneFacts } from '../../ports/audit'
import { type AuditedChain, type ChainAt, chainAt, heldKey, reasonOf } from './chain-at'
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
const secondLooksMax = 200

type Result = { facts: LaneFacts; explained: ReturnType<typeof explainLane> }

/**
 * Explains every unit of every account, collector and relayer, at one block of each chain. The records are read
 * afterwards. An account that is not explained is read again, because its records may have been changing.
 */
export async function audit({ queries, chains, tokens, collector, onPage }: AuditPorts) {
  const { addresses, firstCreatedAt } = await queries.accounts()
  const fixed = { queries, tokens, addresses: [...addresses, collector], firstCreatedAt }
  const ats = await Promise.all(chainIds.map((id) => chainAt(id, chains[id], fixed)))
  const sums = auditSums()
  const strangers: Unexplained[] = []
  let records = 0

  async function page(accounts: readonly Address[], from: string, to: string | null): Promise<Result[]> {
    const stored = await queries.records(from, to)
    const unsupported = await queries.unsupported(from, to)
    records += stored.length
    const own = new Set(accounts.map((address) => address.toLowerCase()))
    const ours = stored.filter(({ account }) => own.has(account.toLowerCase()))
    for (const { id, account, chainId, token, block } of stored) {
      const isLater = block > ats.find((at) => at.chainId === chainId)!.block
      if (own.has(account.toLowerCase()) || isLater) continue
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

  const suspects: Result[] = []
  const pages = inParts(addresses, accountsPerPage)
  for (const [n, accounts] of pages.entries()) {
    const next = pages[n + 1]?.[0]?.toLowerCase() ?? null
    for (const result of await page(accounts, n === 0 ? '' : accounts[0]!.toLowerCase(), next))
      if (result.explained.faults.length > 0) suspects.push(result)
      else sums.add(result.facts, result.explained)
    onPage?.(Math.min(addresses.length, (n + 1) * accountsPerPage), addresses.length)
  }
  for (const result of await looked(suspects, page)) sums.add(result.facts, result.explained)
  const collected = await collectors(ats, sums, collector)
  const known = await queries.relayers()
  const relayed = [...sums.relayers.values()].flatMap(({ chain, relayer }): Unexplained[] => {
    const faults = relayerFaults(relayer, known)
    return faults.length === 0 ? [] : [{ kind: 'RELAYER', chain, address: relayer, token: null, faults, history: [] }]
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
    relayers: [...sums.relayers.values()].filter(isRead),
    unexplained: [...sums.unexplained, ...strangers, ...collected.unexplained, ...relayed].filter(isRead),
  }
}

/** Reads unexplained accounts a second time. */
async function looked(
  suspects: readonly Result[],
  page: (accounts: readonly Address[], from: string, to: string) => Promise<Result[]>,
): Promise<Result[]> {
  const nameOf = ({ facts }: Result): string => `${facts.chainId}:${heldKey(facts.account, facts.token)}`
  const names = new Set(suspects.map(nameOf))
  const accounts = [...new Set(suspects.map(({ facts }) => facts.account))]
  if (accounts.length > secondLooksMax) return [...suspects]
  const again: Result[] = []
  for (const account of accounts) {
    const key = account.toLowerCase()
    again.push(...(await page([account], key, `${key}~`)).filter((result) => names.has(nameOf(result))))
  }
  return again
}

/** Compares the fees with what reached each collector. Native coin leaves no log, so its fees are only added up. */
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
        const key = heldKey(collector, row.token)
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
