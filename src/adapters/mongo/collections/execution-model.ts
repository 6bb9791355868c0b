import type { Connection, Model } from 'mongoose'
import type { Address } from '../../../domain/chain/hex'
import type { Execution } from '../../../domain/execution/execution'
import { feedPlaceOf } from '../../../domain/execution/feed-place'
import { statusNames } from '../../../domain/execution/status'
import { type SupersedingField, supersedingFields } from '../../../domain/money/superseded'
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
 * What many of an organization's executions share and few may, the narrowest first: an index each, of what has ended.
 * Only the last write of an execution enters it there.
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
    // The sweeper: what is owed a wake-up, oldest first. What has ended is not in it.
    [{ dueAt: 1 }, { name: 'due', partialFilterExpression: { dueAt: { $gt: -1 } } }],
    // What a lane has seen is in it, and apart from that the little that is not over. It begins with the account.
    [{ 'deposit.lane': 1, 'keys.over': 1 }, { name: 'laneOver' }],
    // It is set by a write that the record's version decides, so nobody races for it (decision 22).
    [{ 'facts.routeId': 1 }, { name: 'routeId', unique: true, sparse: true }],
    [{ 'facts.quotaKey': 1 }, { name: 'quotaKey', sparse: true }],
    [{ 'keys.hashes': 1 }, { name: 'hashes' }],
    [{ userId: 1, organizationId: 1, createdAt: -1, _id: -1 }, { name: 'user' }],
    [{ organizationId: 1, createdAt: -1, _id: -1 }, { name: 'created' }],
    // A filter that nothing matches must not walk through all there is, nor one of the platform for all organizations.
    [{ status: 1, organizationId: 1, createdAt: -1, _id: -1 }, { name: 'statusAnywhere' }],
    [
      { createdAt: -1, _id: -1 },
      { name: 'createdAnywhere', partialFilterExpression: { createdAt: { $gt: -1 } } },
    ],
    [{ organizationId: 1, 'deposit.detectedAt': -1, _id: -1 }, { name: 'detected' }],
    [{ 'deposit.detectedAt': -1, _id: -1 }, { name: 'detectedAnywhere' }],
    // Who sends for many has its own deposits in order. Several senders are of a balance alone, and few.
    [
      { 'deposit.fromAddress': 1, organizationId: 1, 'deposit.detectedAt': -1, _id: -1 },
      { name: 'sender', partialFilterExpression: { 'deposit.fromAddress': { $gt: '' } } },
    ],
    [{ 'deposit.senders': 1 }, { name: 'senders', sparse: true }],
    [
      { 'cause.code': 1, organizationId: 1, createdAt: -1, _id: -1 },
      { name: 'cause', partialFilterExpression: { 'cause.code': { $gt: '' } } },
    ],
    [{ refundOf: 1 }, { name: 'refunds', partialFilterExpression: { refundOf: { $gt: '' } } }],
    // What another has the money of is little: it is counted apart from what ended the same way.
    ...supersedingFields.map((field): Index => {
      const key = { [field]: 1, status: 1, organizationId: 1 } as const
      return [key, { name: field, partialFilterExpression: { [field]: { $gt: '' } } }]
    }),
    // What nobody has moved by when it should have: next to nothing, where all goes well.
    [{ 'derived.overdueBy': 1 }, { name: 'overdue', partialFilterExpression: { 'derived.overdueBy': { $gt: -1 } } }],
    // One entry for each second in which it moved, not for each move.
    [{ 'keys.seconds': 1 }, { name: 'moved' }],
    ...Object.entries(sharedIndexes).map(([field, name]): Index => {
      const key = { organizationId: 1, [field]: 1, createdAt: -1, _id: -1 } as const
      return [key, { name, partialFilterExpression: hasEnded }]
    }),
  ])

/** Of an account, whatever the chain and token. */
export const ofAccount = (account: Address): Filter => ({
  'deposit.lane': { $gte: `${account.toLowerCase()}:`, $lt: `${account.toLowerCase()};` },
  'deposit.account': account,
})

const secondOf = (at: number): string => String(Math.max(0, Math.floor(at / 1_000))).padStart(12, '0')
/** The seconds in which a record moved: what has moved since a time is found by them. */
export const secondsOf = (history: Execution['history']): string[] => [
  ...new Set(history.map((entry) => secondOf(feedPlaceOf(entry)))),
]
export const inSeconds = (from: number, to: number) => ({ $gte: secondOf(from), $lte: secondOf(to - 1) })
export const sinceSecond = (from: number) => ({ $gte: secondOf(from) })

/** `successorOf`, as filters: in nobody's hands but its own, or in another's for one of the reasons. */
export const isSuperseded: Filter[] = supersedingFields.map((field) => ({ [field]: { $gt: '' } }))
export const isNotSuperseded: Filter = Object.fromEntries(supersedingFields.map((field) => [field, null]))

/** By one of these few are found, whatever else is asked. */
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
 * Which index finds executions. Of one status an organization's are in order; those of several, or of everybody, are
 * sorted: only those that succeeded are too many for that, and soon met on the way through all.
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
