import type { ChainId, ChainKey } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { TokenList } from '../../domain/money/token'
import type { Seals } from '../../domain/seals'
import type { Erasures } from '../../ports/erasures'
import type { Executions } from '../../ports/executions'
import type { Faucet } from '../../ports/faucet'
import type { Identity, SendEmail } from '../../ports/identity'
import type { InboundWebhooks } from '../../ports/inbound-webhooks'
import type { LimitCounters, Semaphores } from '../../ports/limits'
import type { Invitations, Memberships } from '../../ports/members'
import type { NodeRequests } from '../../ports/node-requests'
import type { AuditQueries, DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { RequestLog } from '../../ports/request-log'
import type { DomainClaims, LookUpTexts, OpenId } from '../../ports/sign-in/sso'
import type { Accounts, ApiKeys, AuditLog, DepositIntents, HeldChanges, Organizations } from '../../ports/tenants'
import type { UsageQueries, WorthOf } from '../../ports/usage'
import type { EventLog } from '../../ports/webhooks/event-log'
import type { Vault, WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../../ports/webhooks/webhooks'
import type { OperatorPorts } from '../operator/ports'
import type { NoteBug } from '../request/failure'
import type { CountIn } from '../request/limits'
import type { ViewContextFor } from '../views/view-context'
import type { Pages } from './pages/pages'

/** Ports that only the dashboard needs. */
export type DashboardPorts = {
  identity: Identity
  memberships: Memberships
  invitations: Invitations
  erasures: Erasures
  domainClaims: DomainClaims
  openId: OpenId
  lookUpTexts: LookUpTexts
  auditLog: AuditLog & AuditQueries
  relayers: RelayerBalances
  nodesBill: NodesBill
  limitCounters: LimitCounters
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

/** Ports shared with the API. */
type Shared = {
  organizations: Organizations
  apiKeys: ApiKeys
  executions: Pick<Executions, 'countQuota'>
  eventLog: Pick<EventLog, 'positionBefore' | 'after'>
  executionQueries: ExecutionQueries
  depositQueries: Pick<DepositQueries, 'find' | 'list'>
  tokens: TokenList
  operator: Pick<OperatorPorts, 'pauses' | 'providers' | 'overdue' | 'jobs' | 'organizations'>
  accounts: Pick<Accounts, 'beginningWith' | 'findByUser'>
  intents: DepositIntents
  heldChanges: HeldChanges
  seals: Seals
  semaphores: Semaphores
  usage: UsageQueries
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: Pick<WebhookFeeds, 'load'>
  webhookDeliveries: Pick<WebhookDeliveries, 'load' | 'list' | 'count'>
  /** Encrypts the content of links to the hosted deposit page, and secrets for the store. */
  vault: Vault
  /** Whether webhook endpoints and identity providers may be on this machine. */
  webhooksToLoopback: boolean
  requestLog: RequestLog
  worth: WorthOf
  noteBug: NoteBug
  now: () => number
}

export type MemberPorts = DashboardPorts &
  Shared & {
    countIn: CountIn
    viewContextFor: ViewContextFor
    /**
     * Returns the client address of a request, behind the trusted proxies; undefined if the request did not come over a
     * network.
     */
    addressOf: (request: Request) => string | undefined
  }

/** Balances of the keys that pay gas; null for a chain that cannot be read. */
export type RelayerBalance = { chainId: ChainId; address: Address; balanceWei: bigint | null }

export type RelayerBalances = () => Promise<RelayerBalance[]>

/** The counted requests to the chains' nodes, and the daily budget of each chain. */
export type NodesBill = {
  requests: Pick<NodeRequests, 'on'>
  budgets: Readonly<Record<ChainKey, number | null>>
}
