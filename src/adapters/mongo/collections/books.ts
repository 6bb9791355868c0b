import type { Connection } from 'mongoose'
import type { NodeTrouble } from '../../../domain/chain/node-trouble'
import type { Semaphore } from '../../../domain/chain/semaphore'
import type { ProviderBudget } from '../../../domain/execution/provider-budget'
import type { GasBook } from '../../../domain/money/fees'
import type { PriceBook } from '../../../domain/money/price-book'
import type { CollectionName } from '../../../domain/record-identity'
import type { SignerLogState } from '../../../domain/signer-log'
import type { QuotaBook } from '../../../domain/tenant/quota'
import type { Records } from '../../../ports/records'
import type { ProviderGate } from '../../../providers/breaker'
import { anyList, anyOrNull, collection, documentsOf, flag, text, versioned, whole } from '../engine/collection'
import { mongoRecords, type Stored, type Versioned } from '../engine/records'

/** Small documents in which all processes share counts and states, one for each provider, chain or other subject. */
const books =
  <Book extends Versioned>(name: CollectionName, fields: Parameters<typeof collection>[2]) =>
  (connection: Connection, worker: string): Records<Book> =>
    mongoRecords(documentsOf<Book>(collection<Stored<Book>>(connection, name, { ...versioned, ...fields })), worker)

/** One document for each relayer key, organization or member, with the holders of its permits. */
export const mongoSemaphores = books<Semaphore>('placeBooks', { held: anyList, forgetAt: whole })

/** One document for each organization and month. */
export const mongoQuotaBooks = books<QuotaBook>('quotaBooks', {
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
export const mongoNodeTroubles = books<NodeTrouble>('nodeTroubles', { failedAt: whole, until: whole })

/** One document for each provider, key and kind of request, each with its own limit. */
export const mongoProviderBudgets = books<ProviderBudget>('providerBudgets', {
  taken: anyList,
  tickets: anyList,
  told: anyOrNull,
  learned: anyOrNull,
  restUntil: whole,
  hasAnswered: flag,
})

/** One document for each chain. */
export const mongoGasBooks = books<GasBook>('gasBooks', { prices: anyList, kinds: anyList })

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
