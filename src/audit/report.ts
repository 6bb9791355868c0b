import { type ChainKey, chainKeyOf } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { Status } from '../domain/execution/status'
import type { AuditRecord, LaneFacts, RouteFact } from '../ports/audit'
import { type Fault, roundingMostRaw } from './invariants'
import { type LaneExplained, noUnits, type Units } from './lane'

/** One entry of the history of an account and token, in the order of the blocks. */
type HistoryEntry = {
  block: number
  what: 'ARRIVED' | 'LEFT' | 'ROUTED' | 'RECOVERED' | 'RECORDED'
  amountRaw: string
  txHash: Hash | null
  id: string | null
}

export type Unexplained = {
  kind: 'ACCOUNT' | 'COLLECTOR' | 'RELAYER'
  chain: ChainKey
  address: Address
  token: Address | null
  faults: Fault[]
  history: HistoryEntry[]
}

/** Sums of all accounts of one chain and token. */
type Row = {
  chain: ChainKey
  token: Address
  symbol: string
  decimals: number | null
  lanes: number
} & Units & {
    behind: Map<Status, bigint>
  }

type CollectorRow = { chain: ChainKey; collector: Address; token: Address; feesRaw: bigint }
/** `nativeFeesRaw` is wei that the relayer paid to bridges, less what came back. */
type RelayerRow = { chain: ChainKey; relayer: Address; routes: number; nativeFeesRaw: bigint }

const historyMax = 50

/** Adds up explained lanes. Each lane is added once. */
export function auditSums() {
  const rows = new Map<string, Row>()
  const collectors = new Map<string, CollectorRow>()
  const relayers = new Map<string, RelayerRow>()
  const unexplained: Unexplained[] = []

  return {
    rows,
    collectors,
    relayers,
    unexplained,
    add(facts: LaneFacts, explained: LaneExplained): void {
      const chain = chainKeyOf(facts.chainId)
      const name = `${chain}:${facts.token.toLowerCase()}`
      const auditRecord = facts.records.find(({ symbol }) => symbol !== '')
      const row = rows.get(name) ?? {
        ...{ chain, token: facts.token, symbol: '', decimals: null, lanes: 0 },
        ...noUnits(),
        behind: new Map(),
      }
      rows.set(name, row)
      row.symbol ||= auditRecord?.symbol ?? ''
      row.decimals ??= auditRecord?.decimals ?? null
      row.lanes += 1
      for (const field of Object.keys(explained.units) as (keyof Units)[]) row[field] += explained.units[field]
      for (const [status, amountRaw] of explained.behind)
        row.behind.set(status, (row.behind.get(status) ?? 0n) + amountRaw)
      for (const route of facts.routes) count(chain, route)
      if (explained.faults.length === 0) return
      const { account, token } = facts
      const about = { kind: 'ACCOUNT', chain, address: account, token } as const
      unexplained.push({ ...about, faults: explained.faults, history: historyOf(facts) })
    },
  }

  function count(chain: ChainKey, { collector, token, relayer, ...route }: RouteFact): void {
    const feesRaw = route.protocolFeeRaw + route.gasFeeRaw
    const fee = `${chain}:${collector}:${token}`
    const earlier = collectors.get(fee)?.feesRaw ?? 0n
    if (feesRaw > 0n) collectors.set(fee, { chain, collector, token, feesRaw: earlier + feesRaw })
    const key = `${chain}:${relayer}`
    const row = relayers.get(key) ?? { chain, relayer, routes: 0, nativeFeesRaw: 0n }
    row.routes += 1
    row.nativeFeesRaw += route.nativeFeeRaw
    relayers.set(key, row)
  }
}

function historyOf({ account, moves, routes, recoveries, records }: LaneFacts): HistoryEntry[] {
  const isTo = (to: Address) => to.toLowerCase() === account.toLowerCase()
  const entries: HistoryEntry[] = [
    ...moves.map(({ block, to, amountRaw, txHash, logIndex }) => ({
      block,
      what: isTo(to) ? ('ARRIVED' as const) : ('LEFT' as const),
      amountRaw: String(amountRaw),
      txHash,
      id: String(logIndex),
    })),
    ...routes.map(({ block, spentRaw, txHash, routeId }) => ({
      block,
      what: 'ROUTED' as const,
      amountRaw: String(spentRaw),
      txHash,
      id: routeId,
    })),
    ...recoveries.map(({ block, amountRaw, txHash }) => ({
      block,
      what: 'RECOVERED' as const,
      amountRaw: String(amountRaw),
      txHash,
      id: null,
    })),
    ...records.map(recorded),
  ]
  return entries.toSorted((one, other) => one.block - other.block).slice(-historyMax)
}

const recorded = ({ block, amountRaw, txHash, id, status }: AuditRecord): HistoryEntry => ({
  block,
  what: 'RECORDED',
  amountRaw: String(amountRaw),
  txHash,
  id: `${id} ${status ?? 'without a status'}`,
})

/** What reached and left a collector by transfer logs, and its balance; null if it was not read. */
type CollectorFacts = { feesRaw: bigint; inRaw: bigint; outRaw: bigint; heldRaw: bigint | null }

/** A collector got every fee, and holds what arrived less what left. It may have held more before the first block. */
export function collectorFaults({ feesRaw, inRaw, outRaw, heldRaw }: CollectorFacts): Fault[] {
  const faults: Fault[] = []
  const roundingRaw = roundingMostRaw(inRaw)
  if (inRaw < feesRaw - roundingRaw) faults.push(`The fees are ${feesRaw}, and only ${inRaw} arrived.`)
  if (heldRaw !== null && heldRaw < inRaw - outRaw - roundingRaw)
    faults.push(`${inRaw} arrived and ${outRaw} left, and only ${heldRaw} is there.`)
  return faults
}

/** Only a key of the service may relay. */
export const relayerFaults = (relayer: Address, ownRelayers: ReadonlySet<string>): Fault[] =>
  ownRelayers.has(relayer.toLowerCase()) ? [] : ['The service has no record of this relayer.']
