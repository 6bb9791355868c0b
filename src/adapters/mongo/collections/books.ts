import type { Relayer } from '../../../domain/chain/relayer'
import type { ProviderBudget } from '../../../domain/limits/provider-budget'
import type { QuotaCounter } from '../../../domain/limits/quota'
import type { Semaphore } from '../../../domain/limits/semaphore'
import type { GasRecord } from '../../../domain/money/gas'
import type { PriceBook } from '../../../domain/money/price-book'
import type { SignerLogState } from '../../../domain/signer-log'
import type { NoticeBook } from '../../../domain/tenant/notices'
import type { NodeFailureRecord } from '../../../nodes/node-failures'
import type { ChainLease, ScanCursor } from '../../../ports/detection'
import type { DeliveryClaim } from '../../../ports/executions'
import type { OverdueReport } from '../../../ports/observing'
import type { ProviderGate } from '../../../providers/breaker'
import { any, anyList, anyOrNull, flag, text, textOrNull, whole, wholeOrNull } from '../engine/collection'
import { plainRecords } from '../engine/plain-records'

/**
 * One document for each relayer key, organization or member, with the holders of its permits. The collection keeps its
 * name: during an upgrade, processes with two names would count the permits twice.
 */
export const mongoSemaphores = plainRecords<Semaphore>('placeBooks', { held: anyList, forgetAt: whole })

/** One document for each organization and month. */
export const mongoQuotaBooks = plainRecords<QuotaCounter>('quotaBooks', {
  most: whole,
  countedAt: whole,
  used: whole,
  held: anyList,
})

/** One document for each routing provider. */
export const mongoProviderGates = plainRecords<ProviderGate>('providerGates', {
  shut: anyOrNull,
  controls: anyOrNull,
  waiting: anyOrNull,
  unread: anyOrNull,
})

/** One document for each chain, and one for its second node. */
export const mongoNodeTroubles = plainRecords<NodeFailureRecord>('nodeTroubles', { failedAt: whole, until: whole })

/** One document for each provider, key and kind of request, each with its own limit. */
export const mongoProviderBudgets = plainRecords<ProviderBudget>('providerBudgets', {
  taken: anyList,
  tickets: anyList,
  told: anyOrNull,
  stated: anyOrNull,
  learned: anyOrNull,
  restUntil: whole,
  hasAnswered: flag,
})

/** One document for each chain. */
export const mongoGasBooks = plainRecords<GasRecord>('gasBooks', { prices: anyList, kinds: anyList })

/** One document, because there is one signer. */
export const mongoSignerLogs = plainRecords<SignerLogState>('signerLogs', {
  count: whole,
  last: text,
  other: anyOrNull,
})

/** One document for each token on each chain. */
export const mongoPriceBooks = plainRecords<PriceBook>('priceBooks', {
  at: whole,
  said: anyList,
  failed: anyList,
  spoken: anyList,
  believed: anyOrNull,
})

export const mongoDeliveries = plainRecords<DeliveryClaim>('deliveries', { executionId: text })

/** Progress of the scan on each chain. */
export const mongoScanCursors = plainRecords<ScanCursor>('scanCursors', {
  scannedBlock: whole,
  scannedBlockHash: text,
  wasAt: { ...whole, required: false },
  updatedAt: whole,
})

/** The process that watches each chain. */
export const mongoChainLeases = plainRecords<ChainLease>('chainLeases', {
  holder: textOrNull,
  until: whole,
  wantedBlock: whole,
  pointedAt: wholeOrNull,
  missedAt: wholeOrNull,
})

/** The collection keeps its name: during an upgrade, processes with two names would send each alert twice. */
export const mongoOverdueReports = plainRecords<OverdueReport>('tellings', { at: whole, said: anyList })

export const mongoSenders = plainRecords<Relayer>('senders', {
  slots: anyList,
  line: { ...any, required: false },
  isDelegated: { ...flag, required: false },
})

export const mongoNoticeBooks = plainRecords<NoticeBook>('noticeBooks', {
  lookedAt: whole,
  known: anyList,
  people: anyList,
})
