import { type SupersedingField, supersedingFields } from '../../../domain/execution/lane'
import { isTerminal, type Status } from '../../../domain/execution/status'
import type { Index } from '../engine/collection'
import type { Filter, Part, Span } from '../engine/page'

/** An execution is due until it ends. The write that ends it sets `completedAt` and removes `dueAt`. */
export const isOpen = { dueAt: { $gt: -1 } }
export const hasEnded = { completedAt: { $gt: -1 } }

/**
 * Indexes that can contain an open execution. PostgreSQL adds a version of a document to each index that contains it,
 * whether or not its keys change, so every index here slows down every step of every execution.
 */
const whileOpen: Index[] = [
  // For the sweeper: records that are due, oldest first.
  [{ dueAt: 1 }, { name: 'due', partialFilterExpression: isOpen }],
  // All executions of a lane, unfinished ones apart. Its keys begin with the account.
  [{ 'deposit.lane': 1, 'keys.over': 1 }, { name: 'laneOver' }],
  // A conditional write on the record's version sets it, so nothing races for it (decision 22).
  [{ 'facts.routeId': 1 }, { name: 'routeId', unique: true, sparse: true }],
  [{ 'facts.quotaKey': 1 }, { name: 'quotaKey', sparse: true }],
  [{ 'keys.hashes': 1 }, { name: 'hashes' }],
  // Few executions pay a deposit address.
  [
    { 'facts.leadsTo': 1, completedAt: -1 },
    { name: 'leadsTo', partialFilterExpression: { 'facts.leadsTo': { $gt: '' } } },
  ],
  // For lists, counts and overdue executions. The database compares every key here before it reads a document.
  [
    { 'deposit.detectedAt': -1, _id: -1, organizationId: 1, userId: 1, createdAt: 1, 'derived.overdueBy': 1 },
    { name: 'open', partialFilterExpression: isOpen },
  ],
]

const ended = (key: Index[0], name: string, further: object = {}): Index => [
  key,
  { name, partialFilterExpression: { ...hasEnded, ...further } },
]

/**
 * Fields whose values may be shared by many executions of an organization or by few, the most selective first. Each has
 * an index of the executions that have ended.
 */
const sharedIndexes = {
  'facts.intent.apiKeyId': 'apiKey',
  'deposit.token': 'token',
  'facts.route.provider': 'provider',
  'deposit.chainId': 'fromChain',
  'facts.intent.targetChainId': 'toChain',
}
const supersededIndexes = Object.fromEntries(supersedingFields.map((field) => [field, `${field}Ended`])) as Record<
  SupersedingField,
  string
>

/** Only the last write of an execution adds it to these. */
const onceEnded: Index[] = [
  ended({ userId: 1, organizationId: 1, createdAt: -1, _id: -1 }, 'userEnded'),
  ended({ organizationId: 1, createdAt: -1, _id: -1 }, 'createdEnded'),
  ended({ createdAt: -1, _id: -1 }, 'createdEndedAnywhere'),
  // Keeps a filter without matches from walking through everything, also for an operator who reads all organizations.
  ended({ status: 1, organizationId: 1, createdAt: -1, _id: -1 }, 'statusEnded'),
  // Counts the last day of each status. The database compares the organization here before it reads a document.
  ended({ status: 1, completedAt: 1, organizationId: 1 }, 'completedEnded'),
  ended({ organizationId: 1, 'deposit.detectedAt': -1, _id: -1 }, 'detectedEnded'),
  ended({ 'deposit.detectedAt': -1, _id: -1 }, 'detectedEndedAnywhere'),
  // A sender of many deposits has them in order. Only deposits that a balance sweep found can have several senders,
  // and these are few.
  ended({ 'deposit.fromAddress': 1, organizationId: 1, 'deposit.detectedAt': -1, _id: -1 }, 'senderEnded', {
    'deposit.fromAddress': { $gt: '' },
  }),
  ended({ 'deposit.senders': 1 }, 'sendersEnded', { 'deposit.senders': { $exists: true } }),
  ended({ 'cause.code': 1, organizationId: 1, createdAt: -1, _id: -1 }, 'causeEnded', { 'cause.code': { $gt: '' } }),
  ended({ 'deposit.amountRaw': 1, organizationId: 1, createdAt: -1, _id: -1 }, 'amountEnded'),
  ended({ refundOf: 1 }, 'refundsEnded', { refundOf: { $gt: '' } }),
  // Superseded executions are few; they are counted apart from the others that ended in the same status.
  ...supersedingFields.map((field) =>
    ended({ [field]: 1, status: 1, organizationId: 1 }, supersededIndexes[field], { [field]: { $gt: '' } }),
  ),
  ...Object.entries(sharedIndexes).map(([field, name]) =>
    ended({ organizationId: 1, [field]: 1, createdAt: -1, _id: -1 }, name),
  ),
]

export const executionIndexes: Index[] = [...whileOpen, ...onceEnded]

/** Indexes that only processes of the previous release name in their queries. */
export const replacedIndexes: readonly string[] = [
  ...['user', 'created', 'createdAnywhere', 'statusAnywhere', 'detected', 'detectedAnywhere', 'sender', 'senders'],
  ...['cause', 'refunds', 'redrivenBy', 'continuedBy', 'takenBy', 'overdue', 'moved', 'openMoved', 'movedEnded'],
]

/** Fields with an index of open and ended executions. They are selective in any combination of filters. */
const ofAll = { _id: '_id_', 'keys.hashes': 'hashes', 'facts.routeId': 'routeId', 'deposit.lane': 'laneOver' }
/** Fields that are selective among ended executions in any combination of filters. */
const narrow = {
  userId: 'userEnded',
  refundOf: 'refundsEnded',
  'cause.code': 'causeEnded',
  'deposit.fromAddress': 'senderEnded',
  'deposit.senders': 'sendersEnded',
  'deposit.amountRaw': 'amountEnded',
  ...supersededIndexes,
}
const inOrder = {
  createdAt: { one: 'createdEnded', all: 'createdEndedAnywhere' },
  'deposit.detectedAt': { one: 'detectedEnded', all: 'detectedEndedAnywhere' },
}

const firstIndex = (indexes: Record<string, string>, filter: Filter): string | undefined =>
  Object.entries(indexes).find(([name]) => (filter[name] ?? null) !== null)?.[1]

/** The statuses that a filter names. None means any. */
function statusesOf({ status }: Filter): (Status | null)[] {
  if (status === null || typeof status === 'string') return [status as Status | null]
  return (status as { $in?: (Status | null)[] } | undefined)?.$in ?? []
}

/** A filter for one status or for several. */
export const inStatus = (statuses: readonly (Status | null)[]): Filter => ({
  status: statuses.length === 1 ? statuses[0] : { $in: [...statuses] },
})

/**
 * Names the index that finds ended executions. It has the rows of one status within one organization in order. Those of
 * several statuses, or of all organizations, are sorted, and only SUCCESS has too many rows for that; a walk through
 * all rows soon meets enough of them.
 */
function endedIndex(filter: Filter, { field }: Span): string {
  const index = firstIndex(narrow, filter)
  if (index) return index
  const isOne = filter['organizationId'] !== undefined
  const statuses = statusesOf(filter)
  const mayBeMany = statuses.length === 0 || statuses.includes('SUCCESS')
  const shared = isOne && mayBeMany && field === 'createdAt' ? firstIndex(sharedIndexes, filter) : undefined
  if (shared) return shared
  if (!mayBeMany || (isOne && statuses.length === 1)) return 'statusEnded'
  return inOrder[field as keyof typeof inOrder][isOne ? 'one' : 'all']
}

/** Names the index of a filter on ended executions, and makes the filter one of these. */
export const endedPart = (filter: Filter, span: Span): Part => ({
  filter: { ...filter, completedAt: { ...hasEnded.completedAt, ...(filter['completedAt'] as object | undefined) } },
  index: endedIndex(filter, span),
})
export const openPart = (filter: Filter): Part => ({ filter: { ...filter, ...isOpen }, index: 'open' })

/**
 * Splits a filter on executions into parts that each have an index: first the few open ones, then the ended ones.
 * An execution that ends between the two reads is in both, and never in neither.
 */
export function executionParts(filter: Filter, span: Span): Part[] {
  const index = firstIndex(ofAll, filter)
  if (index) return [{ filter, index }]
  const statuses = statusesOf(filter)
  const isFinal = (status: Status | null): boolean => status !== null && isTerminal(status)
  const [over, open] = [statuses.filter(isFinal), statuses.filter((status) => !isFinal(status))]
  const of = (some: typeof statuses): Filter => ({ ...filter, ...(some.length > 0 && inStatus(some)) })
  const mayBe = (some: typeof statuses): boolean => statuses.length === 0 || some.length > 0
  return [
    ...(mayBe(open) && filter['completedAt'] === undefined ? [openPart(of(open))] : []),
    ...(mayBe(over) ? [endedPart(of(over), span)] : []),
  ]
}
