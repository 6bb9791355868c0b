import { Elysia } from 'elysia'
import { aged } from '../../domain/aged'
import { chainIds, chainKeyOf } from '../../domain/chain/chain'
import { type Deposit, type Detector, detectors } from '../../domain/execution/execution'
import { type, view } from '../../domain/schema'
import type { Coverage, Watch } from '../../ports/detection'
import type { DepositQueries } from '../../ports/queries'
import type { PagePosition } from '../../ports/records'
import { operationDocs } from '../openapi/operation-docs'
import { authenticate } from '../request/authenticate'
import { everyRole, type Gate } from '../request/caller'
import { answer } from '../request/etag'
import { readQuery } from '../request/query'
import {
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  described,
  Hash,
  isoTime,
  isoTimeOrNull,
  Time,
  TimeOrNull,
} from '../views/scalar'

type CoveragePorts = { watch: Watch; depositQueries: DepositQueries; now: () => number }

export const DetectorView = view({
  detector: described(type.enumerated(...detectors), 'The detector of deposits', 'SCANNER'),
  lastSeenAt: TimeOrNull('When it last saw one of your deposits', '2026-11-21T10:00:04.020Z'),
  first24h: Count('Your deposits of the last 24 hours that it saw first', 2),
  missed24h: Count('Your deposits that it had not seen when they were confirmed', 0),
})

export const CoverageView = view({
  chainId: ChainId('The chain'),
  chainKey: ChainKeyName('Chain key'),
  scannedBlock: Count('Our scanner has read every block up to this one, without gaps', 38294125),
  scannedBlockHash: Hash('Hash of that block', '0xd60ee5d9b1a312631632d0ab8816ca64259093d8ab0b4d29f35db6a6151b0f8d'),
  headBlock: Count('The newest block', 38294127),
  lagBlocks: Count('Blocks between `scannedBlock` and `headBlock`', 2),
  lagSeconds: CountOrNull('Seconds between the times of these blocks; null if unknown', 4),
  detectors: described(DetectorView.array(), 'Detectors of your deposits of the last 24 hours'),
  updatedAt: Time('When the scanner last progressed', '2026-11-21T10:00:29.000Z'),
})

type SourceCoverage = { lastSeenAt: number | null; first24h: number; missed24h: number }

const dayMs = 86_400_000
const cachedMs = 10_000
/** The figures cover this many of the newest deposits. */
const depositsMax = 5_000
const pageMax = 500

const getCoverageDocs = operationDocs({
  operationId: 'getCoverage',
  tag: 'Service',
  summary: 'Prove that no block was missed',
  description:
    'For each chain, the last block up to which everything was read, and the detectors that saw your deposits ' +
    'first. A chain whose node does not respond is left out.',
  roles: everyRole.roles,
  answers: { 200: { view: CoverageView.array(), description: 'The chains.', headers: ['etag'] } },
  refusals: ['UNKNOWN_PARAMETER'],
})

type CoverageByKey = Map<string, SourceCoverage>
const unseen: SourceCoverage = { lastSeenAt: null, first24h: 0, missed24h: 0 }

/** Counts a deposit for each detector of its chain. */
function count(seenByKey: CoverageByKey, { chainId, detectedBy, detectedAt, txHash }: Deposit): void {
  for (const detector of detectors) {
    const key = `${chainId}:${detector}`
    const { lastSeenAt, first24h, missed24h } = seenByKey.get(key) ?? unseen
    const hasSeen = detectedBy.includes(detector)
    // Only the balance sweep can detect money that left no log.
    const isMissed = !hasSeen && txHash !== null && detector !== 'SWEEP'
    seenByKey.set(key, {
      lastSeenAt: hasSeen ? Math.max(lastSeenAt ?? 0, detectedAt) : lastSeenAt,
      first24h: first24h + (detectedBy[0] === detector ? 1 : 0),
      missed24h: missed24h + (isMissed ? 1 : 0),
    })
  }
}

/** Returns which detectors saw a tenant's deposits, by chain and detector. */
async function readSeen({ depositQueries, now }: CoveragePorts, tenant: string | null): Promise<CoverageByKey> {
  const seenByKey: CoverageByKey = new Map()
  let after: PagePosition | undefined
  for (let counted = 0; counted < depositsMax; counted += pageMax) {
    const rows = await depositQueries.list(
      { organizationId: tenant, createdFrom: now() - dayMs },
      { limit: pageMax, ...(after && { after }) },
    )
    for (const { execution } of rows) if (execution) count(seenByKey, execution.deposit)
    const last = rows.at(-1)
    if (!last || rows.length < pageMax) break
    after = { createdAt: last.detectedAt, id: last.id }
  }
  return seenByKey
}

/** Proof that no block was missed (extensions 10.3). */
export function coverage(ports: CoveragePorts, gate: Gate, prefix: string) {
  const readBy = (tenant: string | null) => readSeen(ports, tenant)
  const seenBy = aged(readBy, { now: ports.now, forMs: cachedMs, from: 'START' })

  return new Elysia({ prefix }).use(authenticate(gate, everyRole)).get(
    '/coverage',
    async ({ caller, request, set }) => {
      readQuery(request, type({}), true)
      const [seen, ...chains] = await Promise.all([
        seenBy.get(caller.tenant),
        // A chain that cannot be read is left out, and the others are returned anyway.
        ...chainIds.map((id) => ports.watch.coverageOf(id).catch(() => null)),
      ])
      const rows = chains.filter((chain) => chain !== null)
      return answer(
        { request, set },
        rows.map((row) => viewOf(row, seen)),
      )
    },
    getCoverageDocs,
  )
}

const viewOf = ({ chainId, updatedAt, ...read }: Coverage, seenByKey: CoverageByKey) => ({
  chainId,
  chainKey: chainKeyOf(chainId),
  ...read,
  detectors: detectors.map((detector: Detector) => {
    const { lastSeenAt, ...counts } = seenByKey.get(`${chainId}:${detector}`) ?? unseen
    return { detector, lastSeenAt: isoTimeOrNull(lastSeenAt), ...counts }
  }),
  updatedAt: isoTime(updatedAt),
})
