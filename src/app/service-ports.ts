import type { DetectionPorts } from '../detection/detection'
import type { ChainId } from '../domain/chain/chain'
import type { Relayer } from '../domain/chain/relayer'
import type { Semaphore } from '../domain/chain/semaphore'
import type { Lane } from '../domain/execution/lane'
import type { RetryPolicy } from '../domain/execution/retry'
import type { TokenList } from '../domain/money/token'
import type { Seals } from '../domain/seals'
import type { QuotaBook } from '../domain/tenant/quota'
import type { ApiPorts } from '../http/app'
import type { DashboardPorts } from '../http/dashboard/ports'
import type { OperatorPorts } from '../http/operator/ports'
import type { Block, Chains } from '../ports/chain-client'
import type { ChainLeases } from '../ports/detection'
import type { Deliveries, Executions } from '../ports/executions'
import type { Gate, ProviderHealth, RequestsLeft } from '../ports/gate'
import type { LimitCounters, QuotaWarnings } from '../ports/limits'
import type { NoticeBooks } from '../ports/members'
import type { Observations, OverdueReports } from '../ports/overdue'
import type { PausePeriods, Pauses } from '../ports/pauses'
import type { Appraiser, GasBooks, Prices } from '../ports/prices'
import type { Records } from '../ports/records'
import type { OrderDrafter, ReceiptSigning, RelayerAddresses, VerifyIntent } from '../ports/signer'
import type { Telemetry } from '../ports/telemetry'
import type { Pointers, Wakes } from '../ports/wakes'
import type { EventMarks } from '../ports/webhooks/event-log'
import type { PostWebhook, Vault } from '../ports/webhooks/webhooks'
import type { Beat } from '../routing/engine/worker'
import type { EventSignals } from './event-log'
import type { Log } from './logging/log'
import type { NodesBill } from './nodes-bill'
import type { Meters } from './telemetry/meters'
import type { Tracing } from './telemetry/tracing'

type Stores = Pick<
  ApiPorts,
  | 'organizations'
  | 'apiKeys'
  | 'accounts'
  | 'intents'
  | 'intentHistory'
  | 'heldChanges'
  | 'executionQueries'
  | 'depositQueries'
  | 'ledger'
  | 'usage'
  | 'requestLog'
  | 'idempotency'
  | 'blacklist'
  | 'eventLog'
  | 'webhookEndpoints'
  | 'webhookFeeds'
  | 'webhookDeliveries'
> &
  Pick<OperatorPorts, 'jobs' | 'pauses' | 'blacklistEntries' | 'auditLog'> & {
    executions: Executions
    limitCounters: LimitCounters
    quotaBooks: Records<QuotaBook>
    quotaWarnings: QuotaWarnings
    pausePeriods: PausePeriods
    eventMarks: EventMarks
    semaphoreRecords: Records<Semaphore>
    lanes: Records<Lane>
    deliveries: Deliveries
    relayerRecords: Records<Relayer>
    sightings: DetectionPorts['store']['sightings']
    unsupported: DetectionPorts['store']['unsupported']
    scanCursors: DetectionPorts['store']['cursors']
    chainLeases: ChainLeases
    observations: Observations
    overdueReports: OverdueReports
    noticeBooks: NoticeBooks
  }

export type ServicePorts = {
  stores: Stores
  wakes: Wakes
  pointers: Pointers
  signals: EventSignals
  chains: Chains
  /** The chain clients for executions: a failing node gets no requests, and the executions wait. */
  patient: Chains
  freshHead: (chainId: ChainId) => Promise<Block>
  newHeads?: DetectionPorts['pacing']['newHeads']
  /** The checks of recipients. */
  targets: Pick<ApiPorts, 'hasCode' | 'payable' | 'unspendable'>
  aggregators: readonly Gate[]
  gasBooks: GasBooks
  providerHealth: () => Promise<ProviderHealth[]>
  requestsLeft: () => Promise<RequestsLeft[]>
  prices: Prices
  isPriced?: DetectionPorts['tokens']['isPriced']
  appraiser: Appraiser
  /** The service holds no key; only the worker receives the signer. */
  drafter: OrderDrafter
  assureAddresses: ApiPorts['assureAddresses']
  seals: Seals
  verifyIntent: VerifyIntent
  receipts: ReceiptSigning
  relayers: RelayerAddresses
  tokens: TokenList
  pauses: Pauses
  log: Log
  meters: Meters
  telemetry: Telemetry
  /** Null when tracing is off. */
  tracing: Tracing | null
  now: () => number
  random: () => number
  /** Unique to this process. */
  name: string
  /** Whether webhooks report every account on a chain, according to their sender. */
  isFed: (chainId: ChainId) => boolean
  /** Today's request counts of each chain's nodes. */
  bill: Pick<NodesBill, 'isSpent' | 'gauge'>
  /** Returns the chains whose webhook signed these bytes. */
  signedFor: (body: Uint8Array, signature: string) => readonly ChainId[]
  /** Encrypts the secrets of webhooks. */
  vault: Vault
  postWebhook: PostWebhook
  useUpdates: ApiPorts['useUpdates']
  readiness: ApiPorts['readiness']
  dashboard?: Omit<DashboardPorts, 'relayers'> | undefined
}

export type ServiceSettings = {
  /** Whether this process serves the whole API, or only its health and metrics. */
  isApi: boolean
  factory: ApiPorts['factory']
  docs: ApiPorts['docs']
  corsOrigins: readonly string[]
  trustedProxies?: readonly string[]
  /** The bearer token that `/metrics` requires; null for none. */
  metricsToken: string | null
  beat: Beat
  /** Whether webhooks may be posted to this machine. */
  webhooksToLoopback: boolean
  quoteTimeoutMs: number
  dustFloorUsd: bigint
  /** Deliveries above this value count only when two nodes agree. In USD with 8 decimals. */
  quorumUsd: bigint
  orderSeconds?: number
  ordersPerTransaction?: number
  retry: RetryPolicy
  /** The polling interval of every chain; null means half a block. */
  chainPollMs: number | null
}
