import type { Connection } from 'mongoose'
import { getAddress } from 'viem/utils'
import type { ChainId } from '../../../domain/chain/chain'
import type { Address, Hash } from '../../../domain/chain/hex'
import { type DepositStage, includesUnsupported, stageOf } from '../../../domain/deposit/deposit-stage'
import { movedTo, type Sighting } from '../../../domain/deposit/sighting'
import { othersIdIn, type Unsupported, unsupportedDepositOf } from '../../../domain/deposit/unsupported'
import type { Execution } from '../../../domain/execution/execution'
import type { DepositFilter, DepositQueries, DepositRecord } from '../../../ports/queries'
import type { Page, TenantScope } from '../../../ports/records'
import { executionParts } from '../collections/execution-indexes'
import { executionModel, ofAccount, type StoredExecution } from '../collections/execution-model'
import { accountsFor, paidMax } from '../collections/intents/intents'
import { sightingIndex, sightingModel } from '../collections/sightings'
import { routedOn, unsupportedIndex, unsupportedModel } from '../collections/unsupported'
import { type Filter, inOrder, ofTenant, oneIndex, pagedBy } from '../engine/page'
import { fromStored, type StoredRecord } from '../engine/records'
import { hashesOf, likeHash } from './execution-queries'

const waitsFor = { WAITING_FOR_INTENT: 'INTENT', QUEUED: 'LANE', PAUSED: 'PAUSE' } as const

type OpenStage = keyof typeof waitsFor | 'ROUTING'
const openStages: readonly DepositStage[] = ['WAITING_FOR_INTENT', 'QUEUED', 'PAUSED', 'ROUTING'] satisfies OpenStage[]

const inOpenStage = (stage: OpenStage) => ({
  'facts.waiting.for': stage === 'ROUTING' ? { $nin: Object.values(waitsFor) } : waitsFor[stage],
})

/** `stageOf` as filters on executions, each for its own index, in the order of a deposit's stages. */
function inStages(stages: DepositFilter['stage']): Filter[] {
  if (stages === undefined) return [{}]
  const open = stages.filter((stage): stage is OpenStage => openStages.includes(stage))
  return [
    ...(open.length > 0 ? [{ refundOf: null, status: null, $or: open.map(inOpenStage) }] : []),
    ...(stages.includes('ROUTED') ? [{ refundOf: null, status: { $ne: null } }] : []),
    ...(stages.includes('RETURNED') ? [{ refundOf: { $gt: '' } }] : []),
  ]
}

const seenStages = (stages: DepositFilter['stage']) =>
  (['CONFIRMING', 'ORPHANED'] as const).filter((stage) => stages?.includes(stage) ?? true)

const confirmed = (execution: Execution): DepositRecord => ({
  id: execution.id,
  detectedAt: execution.deposit.detectedAt,
  stage: stageOf(execution),
  sighting: null,
  execution,
  newest: execution,
})

const seen = (sighting: Sighting): DepositRecord => ({
  id: sighting.id,
  detectedAt: sighting.detectedAt,
  stage: sighting.stage === 'ORPHANED' ? 'ORPHANED' : 'CONFIRMING',
  sighting,
  execution: null,
  newest: null,
})

/** Adds the last re-drive of each deposit. Most deposits have none, and cost no query. */
async function withNewest(
  depositRecords: DepositRecord[],
  load: (ids: string[]) => Promise<Execution[]>,
): Promise<DepositRecord[]> {
  const newest = new Map(depositRecords.flatMap(({ newest }) => (newest ? [[newest.id, newest] as const] : [])))
  for (let line = newest; ; ) {
    const ids = [...line].flatMap(([, { redrivenBy }]) => redrivenBy ?? [])
    if (ids.length === 0) break
    const next = new Map((await load(ids)).map((record) => [record.id, record]))
    line = new Map(
      [...line].flatMap(([id, { redrivenBy }]) => {
        const record = next.get(redrivenBy ?? '')
        return record ? [[id, record] as const] : []
      }),
    )
    for (const [id, record] of line) newest.set(id, record)
  }
  return depositRecords.map((one) => (one.execution ? { ...one, newest: newest.get(one.id)! } : one))
}

/** Returns one filter for each of the two fields that may name the sender, each for its own index. */
const sentBy = (sender: Address | undefined): Filter[] =>
  sender === undefined ? [{}] : [{ 'deposit.fromAddress': sender }, { 'deposit.senders': sender }]

/**
 * Returns filters for what a transaction brought: as a deposit with its hash, or in a deposit that a balance sweep
 * found.
 */
const broughtBy = (txHash: Hash | undefined): Filter[] => {
  const hash = txHash?.toLowerCase()
  return hash === undefined ? [{}] : [{ 'deposit.txHash': hash }, { 'deposit.paidIn': hash }]
}

type Moved = { id: string; account: Address; chainId: ChainId; token: Address; amountRaw: string; txHash: Hash | null }

/**
 * Adds to each dropped transfer the deposit that its payment is now. Each read looks the deposit up, because a
 * transaction may be mined again at any later time. Blocks are rarely dropped, so queries are rare.
 */
async function withMoved(
  { executions, sightings }: Pick<Collections, 'executions' | 'sightings'>,
  tenant: TenantScope,
  depositRecords: DepositRecord[],
): Promise<DepositRecord[]> {
  const hashes = depositRecords.flatMap(({ stage, sighting }) => (stage === 'ORPHANED' ? [sighting!.txHash] : []))
  if (hashes.length === 0) return depositRecords
  const whose = ofTenant(tenant)
  const mined = { 'keys.hashes': { $in: hashes }, 'deposit.txHash': { $in: hashes }, redriveOf: null, ...whose }
  const [routed, shown] = await Promise.all([
    executions.find(mined, { deposit: 1 }).lean<StoredExecution[]>(),
    sightings.find({ txHash: { $in: hashes }, stage: { $ne: 'ORPHANED' }, ...whose }).lean<StoredRecord<Sighting>[]>(),
  ])
  const records: Moved[] = [
    ...routed.map(({ _id, deposit }) => ({ ...deposit, id: _id })),
    ...shown.map((stored) => fromStored<Sighting>(stored)),
  ]
  return depositRecords.map((one) =>
    one.execution === null && one.sighting.stage === 'ORPHANED'
      ? { ...one, sighting: { ...one.sighting, movedTo: movedTo(one.sighting, records) } }
      : one,
  )
}

export function mongoDepositQueries(connection: Connection): DepositQueries {
  const collections = collectionsOf(connection)
  const { executions, sightings, unsupported } = collections
  const loadOf = (tenant: TenantScope) => (ids: string[]) => redrivesOf(collections, tenant, ids)

  return {
    async list(filter, { limit, offset = 0, ...position }) {
      const page = { limit: limit + offset, ...position } // of each kind, because any of them may be among the first
      // In this order, a deposit that becomes an execution between the reads is found at least once, and the later
      // result counts.
      const to = await paidTo(collections, filter)
      if (to === null) return []
      const depositRecords = [
        ...(to.sightings === null ? [] : await unsupported.list(filter, to.sightings, page)),
        ...(await sightingsIn(collections, filter, to, page)),
        ...(await executionsIn(collections, filter, to, page)),
      ]
      const deposits = new Map(depositRecords.map((deposit) => [deposit.id, deposit]))
      const ordered = [...deposits.values()].toSorted(inOrder(({ detectedAt }) => detectedAt, position))
      const rows = ordered.slice(offset, offset + limit)
      return withNewest(await withMoved(collections, filter, rows), loadOf(filter))
    },
    async find(tenant, id) {
      const whose = ofTenant(tenant)
      const execution = await executions.findOne({ _id: id, redriveOf: null, ...whose }).lean<StoredExecution>()
      if (execution) return (await withNewest([confirmed(fromStored<Execution>(execution))], loadOf(tenant)))[0]!
      const sighting = await sightings.findOne({ _id: id, ...whose }).lean<StoredRecord<Sighting>>()
      if (!sighting) return unsupported.find(tenant, id)
      return (await withMoved(collections, tenant, [seen(fromStored<Sighting>(sighting))]))[0]!
    },
  }
}

/** Collections that hold deposits. `rows` reads pages, and the models read single records. */
type Collections = ReturnType<typeof collectionsOf>
function collectionsOf(connection: Connection) {
  const [executions, sightings] = [executionModel(connection), sightingModel(connection)]
  return {
    executions,
    sightings,
    unsupported: unsupportedQueries(connection),
    accountsOf: accountsFor(connection),
    rows: { executions: pagedBy(executions, executionParts), sightings: pagedBy(sightings, oneIndex(sightingIndex)) },
  }
}

type RecipientFilters = { executions: Filter; sightings: Filter | null }

/**
 * Returns the accounts that pay an address, as filters on executions and unconfirmed transfers. Null if there are none.
 */
async function paidTo({ accountsOf }: Collections, filter: DepositFilter): Promise<RecipientFilters | null> {
  const { targetAddress, depositAddress, ...tenant } = filter
  if (targetAddress === undefined) return { executions: {}, sightings: {} }
  const paid = await accountsOf(tenant, targetAddress, paidMax)
  // With so many accounts, unconfirmed transfers cannot be filtered.
  if (!paid) return { executions: { 'facts.intent.targetAddress': targetAddress }, sightings: null }
  const intents = paid.filter(({ id }) => depositAddress === undefined || id === depositAddress)
  if (intents.length === 0) return null
  const account = { $in: intents.map(({ id }) => id) }
  const userId = { $in: intents.map((one) => one.userId) }
  return { executions: { 'deposit.account': account, userId }, sightings: { account } }
}

async function executionsIn(
  { rows }: Collections,
  filter: DepositFilter,
  to: RecipientFilters,
  page: Page,
): Promise<DepositRecord[]> {
  const equal = {
    ...ofTenant(filter),
    redriveOf: null,
    ...to.executions,
    ...(filter.userId !== undefined && { userId: filter.userId }),
    'keys.hashes': hashesOf(filter),
    ...(filter.depositAddress && ofAccount(filter.depositAddress)),
    'deposit.chainId': filter.fromChainId,
    'deposit.token': filter.fromTokenAddress,
    'deposit.amountRaw': filter.amountsRaw && { $in: [...filter.amountsRaw] },
  }
  const span = { field: 'deposit.detectedAt', from: filter.createdFrom, to: filter.createdTo }
  const equals = sentBy(filter.fromAddress).flatMap((sender) =>
    broughtBy(filter.txHash).flatMap((brought) =>
      inStages(filter.stage).map((stages) => ({ ...equal, ...sender, ...brought, ...stages })),
    ),
  )
  const stored = await rows.executions.pageOfAny(equals, span, page)
  return stored.map((row) => confirmed(fromStored<Execution>(row)))
}

async function sightingsIn(
  collections: Collections,
  filter: DepositFilter,
  to: RecipientFilters,
  page: Page,
): Promise<DepositRecord[]> {
  const stages = seenStages(filter.stage)
  if (stages.length === 0 || to.sightings === null) return []
  const equal = {
    ...ofTenant(filter),
    userId: filter.userId,
    txHash: filter.txHash?.toLowerCase() ?? (filter.hashPart && likeHash(filter.hashPart)),
    account: filter.depositAddress,
    ...to.sightings,
    fromAddress: filter.fromAddress,
    chainId: filter.fromChainId,
    token: filter.fromTokenAddress,
    amountRaw: filter.amountsRaw && { $in: [...filter.amountsRaw] },
  }
  const span = { field: 'detectedAt', from: filter.createdFrom, to: filter.createdTo }
  const seenThen = await collections.rows.sightings.page({ ...equal, stage: { $in: stages } }, span, page)
  if (seenThen.length === 0) return []
  // Once a deposit has an execution, its unconfirmed transfer no longer counts.
  const ids = seenThen.map(({ _id }) => _id)
  const existing = await collections.executions.find({ _id: { $in: ids } }, { _id: 1 }).lean<{ _id: string }[]>()
  const routed = new Set(existing.map(({ _id }) => _id))
  const depositRecords = seenThen
    .filter(({ _id }) => !routed.has(_id))
    .map((stored) => seen(fromStored<Sighting>(stored)))
  const last = seenThen.at(-1)
  if (routed.size === 0 || seenThen.length < page.limit || !last) return depositRecords
  const after = { createdAt: last.detectedAt, id: last._id }
  return [...depositRecords, ...(await sightingsIn(collections, filter, to, { ...page, limit: routed.size, after }))]
}

async function redrivesOf(
  { executions }: Collections,
  { organizationId }: TenantScope,
  ids: string[],
): Promise<Execution[]> {
  const query = executions.find({ _id: { $in: ids }, ...ofTenant({ organizationId }) })
  return (await query.lean<StoredExecution[]>()).map(fromStored<Execution>)
}

/** Queries for deposits of unlisted tokens. */
function unsupportedQueries(connection: Connection) {
  const model = unsupportedModel(connection)
  const rows = pagedBy(model, oneIndex(unsupportedIndex))
  const routedOf = routedOn(connection)

  /**
   * @param token The token of the filter.
   * @param isRouted Whether deposits that are already routed are included.
   */
  async function shown(records: Unsupported[], isRouted: boolean, token?: Address) {
    const wanted = token?.toLowerCase()
    const among = (record: Unsupported) =>
      record.others !== null && wanted && record.others.some((each) => each === wanted) ? token : undefined
    const routed = await routedOf(records)
    const unsupportedDeposits = records.map((record, n) => unsupportedDepositOf(record, routed[n]!, among(record)))
    // A deposit that is already routed has its own entry, but its transaction still finds it here.
    const visible = unsupportedDeposits.filter(({ count }, n) => count > 0 || records[n]!.others !== null || isRouted)
    return visible.map((sighting): DepositRecord => {
      const { id, detectedAt, stage } = sighting
      return { id, detectedAt, stage, sighting, execution: null, newest: null }
    })
  }

  /**
   * @param paid A filter for the accounts that pay the recipient. Empty if the request does not filter by recipient.
   */
  async function list(filter: DepositFilter, paid: Filter, page: Page): Promise<DepositRecord[]> {
    if (!includesUnsupported(filter)) return []
    const token = filter.fromTokenAddress
    const span = { field: 'detectedAt', from: filter.createdFrom, to: filter.createdTo }
    const stored = await rows.pageOfAny(equalities(filter, paid), span, page)
    const isOfHash = (filter.txHash ?? filter.hashPart) !== undefined
    const depositRecords = await shown(stored.map(fromStored<Unsupported>), isOfHash, token)
    const last = stored.at(-1)
    if (depositRecords.length === stored.length || stored.length < page.limit || !last) return depositRecords
    const after = { createdAt: last.detectedAt, id: last._id }
    return [
      ...depositRecords,
      ...(await list(filter, paid, { ...page, limit: page.limit - depositRecords.length, after })),
    ]
  }

  async function find(tenant: TenantScope, id: string): Promise<DepositRecord | null> {
    const whose = ofTenant(tenant)
    const load = (filter: Filter) => model.findOne({ ...filter, ...whose } as never).lean<StoredRecord<Unsupported>>()
    const own = await load({ _id: id })
    if (own) return (await shown([fromStored<Unsupported>(own)], true))[0] ?? null
    const other = othersIdIn(id)
    const shared = other && (await load({ _id: other.othersId, others: other.token }))
    if (!shared) return null
    return (await shown([fromStored<Unsupported>(shared)], true, getAddress(other.token)))[0] ?? null
  }

  return { list, find }
}

/** Searches for a token in its own record, and in the one record that an account's remaining tokens share. */
function equalities(filter: DepositFilter, paid: Filter): Filter[] {
  const token = filter.fromTokenAddress
  const equal: Filter = {
    ...ofTenant(filter),
    userId: filter.userId,
    'newest.txHash': filter.txHash?.toLowerCase(),
    newest: filter.hashPart && { $elemMatch: { txHash: likeHash(filter.hashPart) } },
    account: filter.depositAddress,
    'newest.fromAddress': filter.fromAddress,
    chainId: filter.fromChainId,
    ...paid,
  }
  if (token === undefined) return [equal]
  return [
    { ...equal, token, others: null },
    { ...equal, others: token.toLowerCase() },
  ]
}
