import type { Pacing } from '../detection/pace'
import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Unspendable } from '../domain/deposit/unspendable'
import type { RetryPolicy } from '../domain/execution/retry'
import type { TokenList } from '../domain/money/token'
import type { Seals } from '../domain/seals'
import type { DocsOptions } from '../http/openapi/openapi'
import type { Readiness } from '../http/routes/ready'
import type { AccountFactory } from '../http/routes/users'
import type { Block, Chains } from '../ports/chain-client'
import type { Gate, ProviderHealth, RequestsLeft } from '../ports/gate'
import type { UseUpdates } from '../ports/limits'
import type { Telemetry } from '../ports/observing'
import type { Pauses } from '../ports/operators'
import type { Appraiser, GasBooks, IsPriced, Prices } from '../ports/prices'
import type { OrderDrafter, ReceiptSigning, RelayerAddresses, VerifyIntent } from '../ports/signer'
import type { Stores } from '../ports/stores'
import type { Pointers, Wakes } from '../ports/wakes'
import type { PostWebhook, Vault } from '../ports/webhooks'
import type { Payable } from '../routing/engine/payable'
import type { WorkerPace } from '../routing/engine/worker'
import type { DashboardPorts } from './api/ports'
import type { Audited } from './audit/auditing'
import type { EventSignals } from './event-log'
import type { Log } from './logging/log'
import type { NodesBill } from './nodes-bill'
import type { Meters } from './telemetry/meters'
import type { Tracing } from './telemetry/tracing'

/** What the service needs from outside, by subject. */
export type ServicePorts = {
  /** Unique to this process. */
  name: string
  stores: Stores
  messages: {
    wakes: Wakes
    pointers: Pointers
    signals: EventSignals
    /** Shares the request counts of each process with the others. Null if only one process runs. */
    useUpdates: UseUpdates | null
  }
  chains: {
    clients: Chains
    /** The chain clients for executions: a failing node gets no requests, and the executions wait. */
    withBreakers: Chains
    freshHead: (chainId: ChainId) => Promise<Block>
    newHeads: Pacing['newHeads']
    /** Whether webhooks report every account on a chain, according to their sender. */
    isFed: (chainId: ChainId) => boolean
    /** Today's request counts of each chain's nodes. */
    bill: Pick<NodesBill, 'isSpent' | 'gauge'>
  }
  providers: {
    gates: readonly Gate[]
    gasBooks: GasBooks
    health: () => Promise<ProviderHealth[]>
    requestsLeft: () => Promise<RequestsLeft[]>
  }
  worth: { prices: Prices; appraiser: Appraiser; tokens: TokenList; isPriced?: IsPriced | undefined }
  /** The checks of recipients. */
  recipients: {
    hasCode: (chainId: ChainId, address: Address) => Promise<boolean>
    payable: Payable
    unspendable: Unspendable
  }
  signing: {
    /** The service holds no key; only the worker receives the signer. */
    drafter: OrderDrafter
    relayers: RelayerAddresses
    seals: Seals
    verifyIntent: VerifyIntent
    receipts: ReceiptSigning
    assureAddresses: () => Promise<void>
  }
  webhooks: {
    post: PostWebhook
    /** Encrypts the secrets of webhooks. */
    vault: Vault
    /** Returns the chains whose webhook signed these bytes. */
    signedFor: (body: Uint8Array, signature: string) => readonly ChainId[]
  }
  pauses: Pauses
  observing: {
    log: Log
    meters: Meters
    telemetry: Telemetry
    /** Null when tracing is off. */
    tracing: Tracing | null
  }
  readiness: Readiness
  /** What the audit reads. A process that does not audit has none. */
  audited?: Audited | undefined
  dashboard?: Omit<DashboardPorts, 'relayers'> | undefined
  now: () => number
  random: () => number
}

export type ServiceSettings = {
  /** Whether this process serves the whole API, or only its health and metrics. */
  isApi: boolean
  factory: AccountFactory
  docs: Pick<DocsOptions, 'version' | 'serverUrl'>
  corsOrigins: readonly string[]
  trustedProxies?: readonly string[]
  /** The bearer token that `/metrics` requires; null for none. */
  metricsToken: string | null
  pace: WorkerPace
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
