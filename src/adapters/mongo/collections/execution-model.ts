import type { Connection, Model } from 'mongoose'
import type { ChainId } from '../../../domain/chain/chain'
import type { Address } from '../../../domain/chain/hex'
import type { Execution } from '../../../domain/execution/execution'
import { supersedingFields } from '../../../domain/execution/lane'
import { statusNames } from '../../../domain/execution/status'
import {
  any,
  anyList,
  anyOrNull,
  collection,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from '../engine/collection'
import type { Filter } from '../engine/page'
import type { StoredRecord } from '../engine/records'
import { executionIndexes } from './execution-indexes'

export type StoredExecution = StoredRecord<Execution>

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

export const executionModel = (connection: Connection): Model<StoredExecution> =>
  collection<StoredExecution>(connection, 'executions', fields, executionIndexes)

/** Returns a filter for the executions of an account in every token, on every chain or on one. */
export function ofAccount(account: Address, chainId?: ChainId): Filter {
  const lanes = [account.toLowerCase(), ...(chainId === undefined ? [] : [chainId])].join(':')
  return { 'deposit.lane': { $gte: `${lanes}:`, $lt: `${lanes};` }, 'deposit.account': account }
}

const secondOf = (at: number): string => String(Math.max(0, Math.floor(at / 1_000))).padStart(12, '0')
/** Returns the seconds in which a record moved. Processes of the previous release find its events by them. */
export const secondsOf = (history: Execution['history']): string[] => [
  ...new Set(history.map(({ at }) => secondOf(at))),
]

/** `successorOf` as filters: an execution that is superseded for one of the reasons, or for none. */
export const isSuperseded: Filter[] = supersedingFields.map((field) => ({ [field]: { $gt: '' } }))
export const isNotSuperseded: Filter = Object.fromEntries(supersedingFields.map((field) => [field, null]))
