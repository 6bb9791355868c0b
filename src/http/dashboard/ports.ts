import type { ChainId, ChainKey } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Seals } from '../../domain/seals'
import type { Erasures } from '../../ports/erasures'
import type { Executions } from '../../ports/executions'
import type { Faucet } from '../../ports/faucet'
import type { Identity, SendLetter } from '../../ports/identity'
import type { InboundWebhooks } from '../../ports/inbound-webhooks'
import type { LimitCounters, Semaphores } from '../../ports/limits'
import type { Invitations, Memberships } from '../../ports/members'
import type { NodeRequests } from '../../ports/node-requests'
import type { AuditQueries, DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { RequestLog } from '../../ports/request-log'
import type { DomainClaims, LookUpTexts, OpenId } from '../../ports/sign-in/sso'
import type { Accounts, ApiKeys, AuditLog, DepositIntents, HeldChanges, Organizations } from '../../ports/tenants'
import type { UsageQueries, WorthOf } from '../../ports/usage'
import type { Vault, WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../../ports/webhooks/webhooks'
import type { OperatorPorts } from '../operator/ports'
import type { NoteBug } from '../request/failure'
import type { CountIn } from '../request/limits'
import type { Pages } from './pages'

/** What only the dashboard needs. */
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
  /** Null where money is real. */
  faucet: Faucet | null
  /** Null without a mail server. Links are then shown to the inviter and written to the log. */
  send: SendLetter
  /** Where browsers find the pages. */
  origin: string
  pages: Pages
  /** Whether anybody may sign up; otherwise only the invited may (decision 45). */
  isOpen: boolean
  /** Whether a link for a new password can reach its owner and nobody else. */
  mayReset: boolean
}

/** What it shares with the API. */
type Shared = {
  organizations: Organizations
  apiKeys: ApiKeys
  executions: Pick<Executions, 'countQuota'>
  executionQueries: ExecutionQueries
  depositQueries: Pick<DepositQueries, 'find' | 'list'>
  operator: Pick<OperatorPorts, 'pauses' | 'providers' | 'overdue' | 'jobs' | 'organizations'>
  accounts: Pick<Accounts, 'beginningWith' | 'findByUser'>
  intents: DepositIntents
  heldChanges: HeldChanges
  seals: Seals
  semaphores: Semaphores
  usage: UsageQueries
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: Pick<WebhookFeeds, 'load'>
  webhookDeliveries: Pick<WebhookDeliveries, 'load' | 'list'>
  /** Encrypts what a link to the hosted deposit page says, and secrets for the store. */
  vault: Vault
  /** Whether events may be posted to this machine, and an identity provider may be there. */
  webhooksToLoopback: boolean
  requestLog: RequestLog
  worth: WorthOf
  noteBug: NoteBug
  now: () => number
}

export type MemberPorts = DashboardPorts &
  Shared & {
    countIn: CountIn
    /**
     * The address that a request comes from, behind the proxies that are trusted; undefined when it did not come over a
     * network.
     */
    addressOf: (request: Request) => string | undefined
  }

/** What the keys that pay gas hold; a chain that cannot be asked has null. */
export type RelayerBalance = { chainId: ChainId; address: Address; balanceWei: bigint | null }

export type RelayerBalances = () => Promise<RelayerBalance[]>

/** What requests to the chains' nodes were counted, and how many of them a day may cost. */
export type NodesBill = {
  requests: Pick<NodeRequests, 'on'>
  budgets: Readonly<Record<ChainKey, number | null>>
}
