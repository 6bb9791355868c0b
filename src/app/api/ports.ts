import type { ChainId } from '../../domain/chain/chain'
import type { RetryPolicy } from '../../domain/execution/retry'
import type { TokenList } from '../../domain/money/token'
import type { Seals } from '../../domain/seals'
import type { Pages } from '../../http/dashboard/pages/pages'
import type { NodesBill, RelayerBalances } from '../../http/dashboard/ports'
import type { MetricsPorts } from '../../http/metrics/metrics'
import type { DocsOptions } from '../../http/openapi/openapi'
import type { OperatorPorts } from '../../http/operator/ports'
import type { TrustedProxies } from '../../http/request/caller-address'
import type { NoteBug } from '../../http/request/failure'
import type { RequestSpans } from '../../http/request/request-spans'
import type { TargetPorts } from '../../http/routes/check-target'
import type { DepositWebhookPorts } from '../../http/routes/deposit-webhook'
import type { Readiness } from '../../http/routes/ready'
import type { AccountFactory } from '../../http/routes/users'
import type { WebhookPorts } from '../../http/webhooks/ports'
import type { ChainClient, Faucet } from '../../ports/chain-client'
import type { InboundWebhooks, ScanCursors, Watch } from '../../ports/detection'
import type { Executions } from '../../ports/executions'
import type { Semaphores, UseUpdates, WorthOf } from '../../ports/limits'
import type {
  DomainClaims,
  Erasures,
  Identity,
  Invitations,
  LookUpTexts,
  Memberships,
  OpenId,
  SendEmail,
} from '../../ports/people'
import type { FiguresNow, Preview } from '../../ports/prices'
import type { ReceiptSigning } from '../../ports/signer'
import type { Stores } from '../../ports/stores'
import type { Wakes } from '../../ports/wakes'
import type { EventReader } from '../../ports/webhooks'

type ResourceStores = Pick<
  Stores,
  | ('accounts' | 'apiKeys' | 'blacklist' | 'depositQueries' | 'eventLog' | 'executionQueries' | 'heldChanges')
  | ('idempotency' | 'intentHistory' | 'intents' | 'ledger' | 'organizations' | 'requestLog' | 'usage')
>

/** Ports of the API's resources. The dashboard serves the same resources behind its own gate. */
export type ResourcePorts = Omit<WebhookPorts, 'operator'> &
  ResourceStores & {
    events: EventReader
    receipts: ReceiptSigning
    /** Seals every intent that an authenticated caller stores. */
    seals: Seals
    executions: Pick<Executions, 'countQuota' | 'waitingForIntent'>
    scanCursors: Pick<ScanCursors, 'load'>
    chains: Record<ChainId, Pick<ChainClient, 'confirmations' | 'isDeployed'>>
    hasCode: TargetPorts['hasCode']
    payable: TargetPorts['payable']
    unspendable: TargetPorts['unspendable']
    figures: FiguresNow
    preview: Preview
    watch: Watch
    operator: OperatorPorts
    retry: RetryPolicy
    wakes: Pick<Wakes, 'wakeNow'>
    semaphores: Semaphores
    tokens: TokenList
    /** The registry and the implementation that determine every deposit address. */
    factory: AccountFactory
    assureAddresses: () => Promise<void>
    readiness: Readiness
    worth: WorthOf
    noteBug: NoteBug
    /** Milliseconds since 1970. */
    now: () => number
  }

export type ApiPorts = ResourcePorts & {
  /** Shares the request counts of each process with the others. Null if only one process runs. */
  useUpdates: UseUpdates | null
  webhook: DepositWebhookPorts
  docs: Pick<DocsOptions, 'version' | 'serverUrl'>
  /** Origins whose pages may call the API from a browser. If absent, no page may. */
  corsOrigins?: readonly string[] | undefined
  /** Proxies whose `x-forwarded-for` header is trusted. If absent, no proxy is trusted. */
  trustedProxies?: TrustedProxies | undefined
  metrics?: MetricsPorts | undefined
  /** If null or absent, requests are not traced. */
  tracing?: RequestSpans | null | undefined
  /** If absent, this process serves no dashboard. */
  dashboard?: DashboardPorts | undefined
}

/** Ports that only the dashboard needs. */
export type DashboardPorts = Pick<Stores, 'auditLog' | 'limitCounters'> & {
  identity: Identity
  memberships: Memberships
  invitations: Invitations
  erasures: Erasures
  domainClaims: DomainClaims
  openId: OpenId
  lookUpTexts: LookUpTexts
  relayers: RelayerBalances
  nodesBill: NodesBill
  inboundWebhooks: InboundWebhooks
  /** Null on networks with real money. */
  faucet: Faucet | null
  /** Null without a mail server. Links are then shown to the inviter and written to the log. */
  send: SendEmail
  /** The pages' origin in browsers. */
  origin: string
  pages: Pages
  /** Whether sign-up is open; otherwise an invitation is required (decision 45). */
  isOpen: boolean
  /** Whether a password reset link reaches only its owner. */
  mayReset: boolean
}
