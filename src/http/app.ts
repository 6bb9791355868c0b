import { Elysia } from 'elysia'
import type { ChainId } from '../domain/chain/chain'
import type { RetryPolicy } from '../domain/execution/retry'
import type { TokenList } from '../domain/money/token'
import type { Seals } from '../domain/seals'
import type { ChainClient } from '../ports/chain-client'
import type { ScanCursors } from '../ports/detection'
import type { FiguresNow, Preview } from '../ports/estimates'
import type { Executions } from '../ports/executions'
import type { IdempotentRequests } from '../ports/idempotency'
import type { Semaphores, UseUpdates } from '../ports/limits'
import type { DepositQueries, ExecutionQueries } from '../ports/queries'
import type { RequestLog } from '../ports/request-log'
import type { ReceiptSigning } from '../ports/signer'
import type {
  Accounts,
  ApiKeys,
  Blacklist,
  DepositIntents,
  HeldChanges,
  IntentHistory,
  Organizations,
} from '../ports/tenants'
import type { LedgerQueries, UsageQueries, WorthOf } from '../ports/usage'
import type { Wakes } from '../ports/wakes'
import type { Watch } from '../ports/watch'
import type { EventLog, EventReader } from '../ports/webhooks/event-log'
import { dashboard } from './dashboard/dashboard'
import type { DashboardPorts } from './dashboard/ports'
import { events } from './events/events'
import { type MetricsPorts, metrics, requestMetrics } from './metrics/metrics'
import { docs } from './openapi/docs'
import type { DocsOptions } from './openapi/openapi'
import { operatorRoutes } from './operator/operator'
import type { OperatorPorts } from './operator/ports'
import { payRoutes } from './pay/pay'
import { receiptSigners, receipts } from './receipts/receipts'
import { arrivals } from './request/arrival-time'
import type { Gate, Network } from './request/caller'
import { clientAddress, type TrustedProxies } from './request/client-address'
import { crossOrigin } from './request/cross-origin'
import { closesWhileDraining } from './request/draining'
import { entrance, type Handle, refusingAtEntrance } from './request/entrance'
import { failures, type MethodsAt, type NoteBug } from './request/failure'
import { keyGate } from './request/key-gate'
import { rateLimits } from './request/limits'
import { refusedKeys } from './request/refused-keys'
import { requestNotes } from './request/request-notes'
import { type RequestSpans, traced } from './request/request-spans'
import { accountProof } from './routes/account-proof'
import { accounts } from './routes/accounts'
import { chainRoutes } from './routes/chains'
import { type TargetPorts, targetCheck } from './routes/check-target'
import { coverage } from './routes/coverage'
import { depositAddress } from './routes/deposit-address'
import { depositIntents } from './routes/deposit-intents'
import { type DepositWebhookPorts, depositWebhook } from './routes/deposit-webhook'
import { deposits } from './routes/deposits'
import { executionLookup } from './routes/execution-lookup'
import { executions } from './routes/executions'
import { health } from './routes/health'
import { intentVersions } from './routes/intent-versions'
import { lifecycleRoute } from './routes/lifecycle'
import { apiPrefix, serving } from './routes/probes'
import { type Readiness, ready } from './routes/ready'
import { recipientNotices } from './routes/recipient-notices'
import { rescan } from './routes/rescan'
import { search } from './routes/search'
import { simulateDeposit } from './routes/simulate-deposit'
import { usage } from './routes/usage'
import { type AccountFactory, users } from './routes/users'
import { statements } from './statements/statements'
import { viewContext } from './views/view-context'
import { webhookDeliveryRoutes } from './webhooks/deliveries'
import { webhookEndpointRoutes } from './webhooks/endpoints'
import type { WebhookPorts } from './webhooks/ports'

/** Ports of the API's resources. The dashboard serves the same resources behind its own gate. */
type ResourcePorts = Omit<WebhookPorts, 'operator'> & {
  eventLog: EventLog
  events: EventReader
  organizations: Organizations
  apiKeys: ApiKeys
  accounts: Accounts
  intents: DepositIntents
  intentHistory: IntentHistory
  heldChanges: HeldChanges
  receipts: ReceiptSigning
  /** Seals every intent that an authenticated caller stores. */
  seals: Seals
  executions: Pick<Executions, 'countQuota' | 'waitingForIntent'>
  executionQueries: ExecutionQueries
  depositQueries: DepositQueries
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
  blacklist: Blacklist
  idempotency: IdempotentRequests
  semaphores: Semaphores
  tokens: TokenList
  /** The registry and the implementation that determine every deposit address. */
  factory: AccountFactory
  assureAddresses: () => Promise<void>
  readiness: Readiness
  ledger: LedgerQueries
  usage: UsageQueries
  requestLog: RequestLog
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

/** Mounts the resources under a prefix, for the callers that the gate admits. */
function resources(ports: ResourcePorts, gate: Gate, prefix: string) {
  const built = { users: users(ports), viewContextFor: viewContext(ports), recipientNotices: recipientNotices(ports) }
  const shared = { ...ports, ...built, checkTarget: targetCheck(ports) }
  return new Elysia()
    .use(chainRoutes(shared, gate, prefix))
    .use(depositIntents(shared, gate, prefix))
    .use(intentVersions(shared, gate, prefix))
    .use(accounts(shared, gate, prefix))
    .use(depositAddress(shared, gate, prefix))
    .use(accountProof(shared, gate, prefix))
    .use(deposits(shared, gate, prefix))
    .use(rescan(shared, gate, prefix))
    .use(search({ ...shared, tokens: ports.tokens }, gate, prefix))
    .use(executions({ ...ports, findToken: ports.tokens.find.bind(ports.tokens) }, gate, prefix))
    .use(executionLookup(shared, gate, prefix))
    .use(receipts(shared, gate, prefix))
    .use(simulateDeposit(shared, gate, prefix))
    .use(events(shared, gate, prefix))
    .use(webhookEndpointRoutes(shared, gate, prefix))
    .use(webhookDeliveryRoutes(shared, gate, prefix))
    .use(lifecycleRoute(ports.retry, gate, prefix))
    .use(usage(shared, gate, prefix))
    .use(statements({ ...shared, findToken: ports.tokens.find.bind(ports.tokens) }, gate, prefix))
    .use(coverage(shared, gate, prefix))
    .use(operatorRoutes(shared, gate, prefix))
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Builds the whole API as an Elysia app: call `listen` on it, or pass requests to `handle`. */
export function createApi(ports: ApiPorts) {
  const { noteBug, now } = ports
  const countIn = rateLimits(now, ports.useUpdates)
  let server: Network = null
  const behind = clientAddress(ports.trustedProxies ?? [])
  const addressOf = (request: Request): string | undefined => {
    const address = server?.requestIP(request)?.address
    return address && behind(request, address)
  }
  const noteRefused = refusedKeys({ ...ports.operator, noteBug, now })
  const isSandbox = Boolean(ports.dashboard?.faucet)
  const gate = keyGate({ ...ports, countIn, addressOf, noteRefused, isSandbox })
  const api = new Elysia()
    .use(crossOrigin(ports.corsOrigins ?? [], apiPrefix))
    .use(health(now, apiPrefix))
    .use(resources(ports, gate, apiPrefix))
  const { plugin: spanned, onAnswered } = traced(ports.tracing ?? null)
  const { plugin: counted, rows, refused } = requestMetrics(onAnswered)
  const refuse = refusingAtEntrance(refused)
  let methodsAt: MethodsAt = () => []
  let handle: Handle
  const app = new Elysia(serving(noteBug, () => handle, refuse))
    .onStart((started) => {
      server = started.server
    })
    .use(spanned)
    .use(arrivals)
    .use(closesWhileDraining(ports.readiness.isDraining))
    .use(counted)
    .use(failures(noteBug, (path) => methodsAt(path)))
    .use(requestNotes(ports.requestLog, now))
    .use(api)
    .use(depositWebhook({ ...ports.webhook, addressOf }))
    .use(ready(ports.readiness, now))
    .use(receiptSigners(ports.receipts))
    .use(metrics(ports.metrics ?? { gauges: [], counters: [], token: null }, rows, now))
    .use(docs(api, { ...ports.docs, retry: ports.retry, confirmationsOf: (id) => ports.chains[id].confirmations }))
    .use(
      ports.dashboard
        ? payRoutes({
            ...ports,
            viewContextFor: viewContext(ports),
            recipientNotices: recipientNotices(ports),
            countIn,
            addressOf,
          })
        : new Elysia(),
    )
    .use(
      ports.dashboard
        ? dashboard(
            { ...ports, ...ports.dashboard, viewContextFor: viewContext(ports), countIn, addressOf },
            (memberGate, path) => resources(ports, memberGate, path),
          )
        : new Elysia(),
    )
    .use(entrance(refuse))
  handle = app.fetch
  const served = app.routes as { method: string; path: string }[]
  methodsAt = (at) =>
    methods.filter(
      (method) =>
        served.some((route) => route.method === method && route.path === at) ||
        app.router.http.find(method, at) !== null,
    )
  return app
}
