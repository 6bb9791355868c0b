import type { Connection } from 'mongoose'
import type { Relayer } from '../../../domain/chain/relayer'
import type { ProviderBudget } from '../../../domain/limits/provider-budget'
import type { QuotaCounter } from '../../../domain/limits/quota'
import type { Semaphore } from '../../../domain/limits/semaphore'
import type { GasRecord } from '../../../domain/money/gas'
import type { PriceBook } from '../../../domain/money/price-book'
import type { CollectionName } from '../../../domain/record-identity'
import type { SignerLogState } from '../../../domain/signer-log'
import type { NoticeBook } from '../../../domain/tenant/notices'
import type { NodeFailureRecord } from '../../../nodes/node-failures'
import type { ChainLease, ChainLeases, ScanCursor, ScanCursors } from '../../../ports/detection'
import type { Deliveries, DeliveryClaim } from '../../../ports/executions'
import type { OverdueReport, OverdueReports } from '../../../ports/observing'
import type { NoticeBooks } from '../../../ports/people'
import type { Records } from '../../../ports/records'
import type { ProviderGate } from '../../../providers/breaker'
import {
  any,
  anyList,
  anyOrNull,
  collection,
  documentsOf,
  type FieldsOf,
  flag,
  text,
  textOrNull,
  versioned,
  whole,
  wholeOrNull,
} from '../engine/collection'
import { mongoRecords, type StoredRecord, type Versioned } from '../engine/records'

/** Small documents in which all processes share counts and states, one for each provider, chain or other subject. */
const books =
  <Book extends Versioned>(name: CollectionName, fields: FieldsOf<Omit<Book, keyof Versioned>>) =>
  (connection: Connection, worker: string): Records<Book> =>
    mongoRecords(documentsOf<Book>(collection(connection, name, bookFields(fields))), worker)

const bookFields = <Book extends Versioned>(fields: FieldsOf<Omit<Book, keyof Versioned>>) =>
  ({ ...versioned, ...fields }) as FieldsOf<StoredRecord<Book>>

/** One document for each relayer key, organization or member, with the holders of its permits. */
export const mongoSemaphores = books<Semaphore>('placeBooks', { held: anyList, forgetAt: whole })

/** One document for each organization and month. */
export const mongoQuotaBooks = books<QuotaCounter>('quotaBooks', {
  most: whole,
  countedAt: whole,
  used: whole,
  held: anyList,
})

/** One document for each routing provider. */
export const mongoProviderGates = books<ProviderGate>('providerGates', {
  shut: anyOrNull,
  controls: anyOrNull,
  waiting: anyOrNull,
  unread: anyOrNull,
})

/** One document for each chain, and one for its second node. */
export const mongoNodeTroubles = books<NodeFailureRecord>('nodeTroubles', { failedAt: whole, until: whole })

/** One document for each provider, key and kind of request, each with its own limit. */
export const mongoProviderBudgets = books<ProviderBudget>('providerBudgets', {
  taken: anyList,
  tickets: anyList,
  told: anyOrNull,
  stated: anyOrNull,
  learned: anyOrNull,
  restUntil: whole,
  hasAnswered: flag,
})

/** One document for each chain. */
export const mongoGasBooks = books<GasRecord>('gasBooks', { prices: anyList, kinds: anyList })

/** One document, because there is one signer. */
export const mongoSignerLogs = books<SignerLogState>('signerLogs', { count: whole, last: text, other: anyOrNull })

/** One document for each token on each chain. */
export const mongoPriceBooks = books<PriceBook>('priceBooks', {
  at: whole,
  said: anyList,
  failed: anyList,
  spoken: anyList,
  believed: anyOrNull,
})

const fields = { ...versioned, executionId: text }

export const mongoDeliveries = (connection: Connection, worker: string): Deliveries =>
  mongoRecords(
    documentsOf<DeliveryClaim>(collection<StoredRecord<DeliveryClaim>>(connection, 'deliveries', fields)),
    worker,
  )

const cursorFields = { ...versioned, scannedBlock: whole, scannedBlockHash: text, updatedAt: whole }
const leaseFields = {
  ...versioned,
  holder: textOrNull,
  until: whole,
  wantedBlock: whole,
  pointedAt: wholeOrNull,
  missedAt: wholeOrNull,
}

/** Progress of the scan on each chain. */
export const mongoScanCursors = (connection: Connection, worker: string): ScanCursors =>
  mongoRecords(
    documentsOf<ScanCursor>(collection<StoredRecord<ScanCursor>>(connection, 'scanCursors', cursorFields)),
    worker,
  )

/** The process that watches each chain. */
export const mongoChainLeases = (connection: Connection, worker: string): ChainLeases =>
  mongoRecords(
    documentsOf<ChainLease>(collection<StoredRecord<ChainLease>>(connection, 'chainLeases', leaseFields)),
    worker,
  )

const reportFields = { ...versioned, at: whole, said: anyList }

export const mongoOverdueReports = (connection: Connection, worker: string): OverdueReports =>
  mongoRecords(
    documentsOf<OverdueReport>(collection<StoredRecord<OverdueReport>>(connection, 'tellings', reportFields)),
    worker,
  )

const relayerFields = {
  ...versioned,
  slots: anyList,
  line: { ...any, required: false },
  isDelegated: { ...flag, required: false },
}

export const mongoSenders = (connection: Connection, worker: string): Records<Relayer> =>
  mongoRecords(documentsOf<Relayer>(collection<StoredRecord<Relayer>>(connection, 'senders', relayerFields)), worker)

const noticeFields = { ...versioned, lookedAt: whole, known: anyList, people: anyList }

export const mongoNoticeBooks = (connection: Connection, worker: string): NoticeBooks =>
  mongoRecords(
    documentsOf<NoticeBook>(collection<StoredRecord<NoticeBook>>(connection, 'noticeBooks', noticeFields)),
    worker,
  )
