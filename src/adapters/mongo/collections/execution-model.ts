import type { Connection, Model } from 'mongoose'
import type { ChainId } from '../../../domain/chain/chain'
import type { Address } from '../../../domain/chain/hex'
import type { Execution } from '../../../domain/execution/execution'
import { feedPlaceOf } from '../../../domain/execution/feed-place'
import { type SupersedingField, supersedingFields } from '../../../domain/execution/lane'
import { statusNames } from '../../../domain/execution/status'
import {
  any,
  anyList,
  anyOrNull,
  collection,
  type Index,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from '../engine/collection'
import type { Filter, Span } from '../engine/page'
import type { Stored } from '../engine/records'

export type StoredExecution = Stored<Execution>

const fields = {
  organizationId: text,
  userId: text,
  state: text,
  machineVersion: text,
  status: { ...textOrNull, enum: [...statusNames, null] },
  ...versioned,
  dueAt: wholeOrNull,
  bucket: whole,
  deposit: any,
  facts: any,
  retryCount: whole,
  cause: anyOrNull,
  createdAt: wholeOrNull,
  completedAt: wholeOrNull,
  seq: whole,
  history: anyList,
  redriveOf: textOrNull,
  redrivenBy: textOrNull,
  refundOf: textOrNull,
  continuedBy: textOrNull,
  takenBy: textOrNull,
  keys: any,
  derived: any,
}

/**
 * Fields whose values many executions of an organization may share, or few, the most selective first. Each has an index
 * of ended executions. Only the last write of an execution adds it there.
 */
export const sharedIndexes = {
  'facts.intent.apiKeyId': 'apiKey',
  'deposit.token': 'token',
  'facts.route.provider': 'provider',
  'deposit.chainId': 'fromChain',
  'facts.intent.targetChainId': 'toChain',
}
export const hasEnded = { completedAt: { $gt: -1 } }

export const executionModel = (connection: Connection): Model<StoredExecution> =>
  collection<StoredExecution>(connection, 'executions', fields, [
    // For the sweeper: due records, oldest first. Ended executions are not in it.
    [{ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $gt: -1 } } }],
    // All executions of a lane, with the open ones apart. Its keys begin with the account.
    [{ 'deposit.lane': 1, 'keys.over': 1 }, { name: 'laneOver' }],
    // A conditional write on the record's version sets the field, so no two writes race for it (decision 22).
    [{ 'facts.routeId': 1 }, { name: 'routeId', unique: true, sparse: true }],
    [{ 'facts.quotaKey': 1 }, { name: 'quotaKey', sparse: true }],
    [{ 'keys.hashes': 1 }, { name: 'hashes' }],
    [{ userId: 1, organizationId: 1, createdAt: -1, _id: -1 }, { name: 'user' }],
    [{ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'created' }],
    // Keeps a filter without matches from reading every row, also for an operator who reads all organizations.
    [{ status: 1, organizationId: 1, createdAt: -1, _id: -1 }, { name: 'statusAnywhere' }],
    [
      { createdAt: -1, _id: -1 },
      { name: 'createdAnywhere', partialFilterExpression: { createdAt: { $gt: -1 } } },
    ],
    [{ organizationId: 1, 'deposit.detectedAt': -1, _id: -1 }, { name: 'detected' }],
    [{ 'deposit.detectedAt': -1, _id: -1 }, { name: 'detectedAnywhere' }],
    // Has the deposits of a sender in order. Only a deposit that a balance scan found can have several senders, and
    // these deposits are few.
    [
      { 'deposit.fromAddress': 1, organizationId: 1, 'deposit.detectedAt': -1, _id: -1 },
      { name: 'sender', partialFilterExpression: { 'deposit.fromAddress': { $gt: '' } } },
    ],
    [{ 'deposit.senders': 1 }, { name: 'senders', sparse: true }],
    [
      { 'cause.code': 1, organizationId: 1, createdAt: -1, _id: -1 },
      { name: 'cause', partialFilterExpression: { 'cause.code': { $gt: '' } } },
    ],
    // Few executions pay a deposit address.
    [
      { 'facts.leadsTo': 1, completedAt: -1 },
      { name: 'leadsTo', partialFilterExpression: { 'facts.leadsTo': { $gt: '' } } },
    ],
    [{ refundOf: 1 }, { name: 'refunds', partialFilterExpression: { refundOf: { $gt: '' } } }],
    // Superseded executions are few. They are counted apart from the others that ended in the same status.
    ...supersedingFields.map((field): Index => {
      const key = { [field]: 1, status: 1, organizationId: 1 } as const
      return [key, { name: field, partialFilterExpression: { [field]: { $gt: '' } } }]
    }),
    // Overdue executions, of which there are almost none in normal operation.
    [{ 'derived.overdueBy': 1 }, { name: 'overdue', partialFilterExpression: { 'derived.overdueBy': { $gt: -1 } } }],
    // Has one entry for each second in which an execution moved, not one for each move.
    [{ 'keys.seconds': 1 }, { name: 'moved' }],
    ...Object.entries(sharedIndexes).map(([field, name]): Index => {
      const key = { organizationId: 1, [field]: 1, createdAt: -1, _id: -1 } as const
      return [key, { name, partialFilterExpression: hasEnded }]
    }),
  ])

/** Returns a filter for the executions of an account in every token, on every chain or on one. */
export function ofAccount(account: Address, chainId?: ChainId): Filter {
  const lanes = [account.toLowerCase(), ...(chainId === undefined ? [] : [chainId])].join(':')
  return { 'deposit.lane': { $gte: `${lanes}:`, $lt: `${lanes};` }, 'deposit.account': account }
}

const secondOf = (at: number): string => String(Math.max(0, Math.floor(at / 1_000))).padStart(12, '0')
/** Returns the seconds in which a record moved. Queries for the moves since a time use them. */
export const secondsOf = (history: Execution['history']): string[] => [
  ...new Set(history.map((entry) => secondOf(feedPlaceOf(entry)))),
]
export const inSeconds = (from: number, to: number) => ({ $gte: secondOf(from), $lte: secondOf(to - 1) })
export const sinceSecond = (from: number) => ({ $gte: secondOf(from) })

/** `successorOf` as filters: an execution that is superseded for one of the reasons, or for none. */
export const isSuperseded: Filter[] = supersedingFields.map((field) => ({ [field]: { $gt: '' } }))
export const isNotSuperseded: Filter = Object.fromEntries(supersedingFields.map((field) => [field, null]))

/** Fields that are selective, regardless of the rest of the filter. */
const narrow = {
  _id: '_id_',
  'keys.hashes': 'hashes',
  'facts.routeId': 'routeId',
  'deposit.lane': 'laneOver',
  userId: 'user',
  refundOf: 'refunds',
  'cause.code': 'cause',
  'deposit.fromAddress': 'sender',
  'deposit.senders': 'senders',
  ...(Object.fromEntries(supersedingFields.map((field) => [field, field])) as Record<SupersedingField, string>),
}
const inOrder = {
  createdAt: { one: 'created', all: 'createdAnywhere' },
  'deposit.detectedAt': { one: 'detected', all: 'detectedAnywhere' },
}

const isAsked = (asked: Filter, name: string): boolean => (asked[name] ?? null) !== null

export const isNarrow = (asked: Filter): boolean => Object.keys(narrow).some((name) => isAsked(asked, name))

export function statusesOf(asked: unknown): unknown[] {
  if (asked === null || typeof asked === 'string') return [asked]
  return (asked as { $in?: unknown[] } | undefined)?.$in ?? []
}

/**
 * Returns the name of the index that finds executions. The index by status has the rows of one status and organization
 * in order. Rows of several statuses, or of all organizations, must be sorted, and only SUCCESS has too many rows for
 * that. Reading all rows in order soon finds enough of them.
 */
export function executionIndex(asked: Filter, { field }: Span): string {
  for (const [name, index] of Object.entries(narrow)) if (isAsked(asked, name)) return index
  const { status, organizationId } = asked
  if (organizationId !== undefined && asked['completedAt'] === hasEnded.completedAt)
    for (const [name, index] of Object.entries(sharedIndexes)) if (isAsked(asked, name)) return index
  const statuses = statusesOf(status)
  const isInOrder = statuses.length === 1 && organizationId !== undefined
  if (statuses.length > 0 && (isInOrder || !statuses.includes('SUCCESS'))) return 'statusAnywhere'
  return inOrder[field as keyof typeof inOrder][organizationId === undefined ? 'all' : 'one']
}
