import { Elysia } from 'elysia'
import { events as eventRoutes } from '../../http/events/events'
import { metrics, requestMetrics } from '../../http/metrics/metrics'
import { docs } from '../../http/openapi/docs'
import { operatorRoutes } from '../../http/operator/operator'
import { payRoutes } from '../../http/pay/pay'
import { receiptSigners, receipts } from '../../http/receipts/receipts'
import { arrivals } from '../../http/request/arrival-time'
import type { Gate, Network } from '../../http/request/caller'
import { callerAddress } from '../../http/request/caller-address'
import { crossOrigin } from '../../http/request/cross-origin'
import { closesWhileDraining } from '../../http/request/draining'
import { entrance, type Handle, refusingAtEntrance } from '../../http/request/entrance'
import { failures, type MethodsAt } from '../../http/request/failure'
import { keyGate } from '../../http/request/key-gate'
import { rateLimits } from '../../http/request/limits'
import { refusedKeys } from '../../http/request/refused-keys'
import { requestNotes } from '../../http/request/request-notes'
import { traced } from '../../http/request/request-spans'
import { accountProof } from '../../http/routes/account-proof'
import { accounts as accountRoutes } from '../../http/routes/accounts'
import { aloneBy } from '../../http/routes/alone'
import { chainRoutes } from '../../http/routes/chains'
import { targetCheck } from '../../http/routes/check-target'
import { coverage } from '../../http/routes/coverage'
import { depositAddress } from '../../http/routes/deposit-address'
import { depositIntents, wakingWaiting } from '../../http/routes/deposit-intents'
import { depositWebhook } from '../../http/routes/deposit-webhook'
import { deposits } from '../../http/routes/deposits'
import { executionLookup } from '../../http/routes/execution-lookup'
import { executions as executionRoutes } from '../../http/routes/executions'
import { health } from '../../http/routes/health'
import { intentVersions } from '../../http/routes/intent-versions'
import { lifecycleRoute } from '../../http/routes/lifecycle'
import { apiPrefix, serving } from '../../http/routes/probes'
import { ready } from '../../http/routes/ready'
import { recipientNotices } from '../../http/routes/recipient-notices'
import { rescan } from '../../http/routes/rescan'
import { search } from '../../http/routes/search'
import { simulateDeposit } from '../../http/routes/simulate-deposit'
import { usage } from '../../http/routes/usage'
import { users as usersOf } from '../../http/routes/users'
import { ledgerRoute } from '../../http/statements/ledger'
import { statements } from '../../http/statements/statements'
import { viewContext } from '../../http/views/view-context'
import { webhookDeliveryRoutes } from '../../http/webhooks/deliveries'
import { webhookEndpointRoutes } from '../../http/webhooks/endpoints'
import { dashboard } from './dashboard'
import type { ApiPorts, ResourcePorts } from './ports'

type ViewPorts = Pick<ResourcePorts, 'accounts' | 'tokens' | 'chains' | 'scanCursors' | 'hasCode' | 'payable' | 'now'>
/** The facts that several views show. */
const shownBy = ({ accounts, tokens, chains, scanCursors, hasCode, payable, now }: ViewPorts) => ({
  viewContextFor: viewContext({ tokens, chains, scanCursors, now }),
  recipientNotices: recipientNotices({ accounts, hasCode, payable, now }),
})

/** Mounts the resources under a prefix, for the callers that the gate admits. */
function resources(ports: ResourcePorts, gate: Gate, prefix: string) {
  const { organizations, apiKeys, accounts, intents, intentHistory, heldChanges, idempotency, blacklist } = ports
  const { executionQueries, depositQueries, ledger, requestLog, worth, scanCursors, executions } = ports
  const { chains, tokens, figures, preview, hasCode, payable, unspendable, factory, assureAddresses } = ports
  const { webhookEndpoints, webhookFeeds, webhookDeliveries, postWebhook, vault, webhooksToLoopback } = ports
  const { eventLog, events, readiness, semaphores, wakes, watch, operator, seals, noteBug, now } = ports
  const users = usersOf({ accounts, factory, assureAddresses, now })
  const { viewContextFor, recipientNotices } = shownBy({ accounts, tokens, chains, scanCursors, hasCode, payable, now })
  const checkTarget = targetCheck({ intents, blacklist, tokens, unspendable, payable, hasCode })
  const findToken = tokens.find.bind(tokens)
  const repeating = { idempotency, now }
  const holding = { heldChanges, organizations }
  const alone = aloneBy({ semaphores, newId: operator.newId, noteBug, now })
  const wakeWaiting = wakingWaiting({ executions, wakes, noteBug })
  const intended = { intents, users, accounts, executions, holding, checkTarget, alone, wakeWaiting, operator }
  const endpoints = { webhookEndpoints, webhookFeeds, webhookDeliveries }
  const posting = { ...endpoints, postWebhook, vault, webhooksToLoopback, operator, ...repeating }
  const counted = { usage: ports.usage, requestLog, worth, apiKeys, organizations, executions, now }
  const simulated = { intents, users, executions, tokens, factory, preview, checkTarget, now }
  return new Elysia()
    .use(chainRoutes({ chains, tokens, figures }, gate, prefix))
    .use(depositIntents({ ...intended, sealing: { seals, noteBug }, ...repeating }, gate, prefix))
    .use(intentVersions({ users, intents, intentHistory, seals }, gate, prefix))
    .use(accountRoutes({ accounts, users, operator, ...repeating }, gate, prefix))
    .use(depositAddress({ accounts, intents, tokens, figures, recipientNotices }, gate, prefix))
    .use(accountProof({ accounts, factory, chains }, gate, prefix))
    .use(deposits({ depositQueries, viewContextFor }, gate, prefix))
    .use(rescan({ watch, depositQueries, viewContextFor, ...repeating }, gate, prefix))
    .use(search({ executionQueries, depositQueries, accounts, tokens, viewContextFor }, gate, prefix))
    .use(executionRoutes({ executionQueries, findToken }, gate, prefix))
    .use(executionLookup({ executionQueries, depositQueries, intents, viewContextFor }, gate, prefix))
    .use(receipts({ executionQueries, receipts: ports.receipts }, gate, prefix))
    .use(simulateDeposit(simulated, gate, prefix))
    .use(eventRoutes({ eventLog, events, readiness, semaphores, noteBug, now }, gate, prefix))
    .use(webhookEndpointRoutes(posting, gate, prefix))
    .use(webhookDeliveryRoutes(posting, gate, prefix))
    .use(lifecycleRoute(ports.retry, gate, prefix))
    .use(usage(counted, gate, prefix))
    .use(ledgerRoute({ ledger, findToken }, gate, prefix))
    .use(statements({ ledger, depositQueries, organizations, findToken, now }, gate, prefix))
    .use(coverage({ watch, depositQueries, now }, gate, prefix))
    .use(operatorRoutes({ operator, executionQueries, viewContextFor, ...repeating }, gate, prefix))
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Builds the whole API as an Elysia app: call `listen` on it, or pass requests to `handle`. */
export function createApi(ports: ApiPorts) {
  const { apiKeys, organizations, readiness, webhook, docs: described, retry, chains, noteBug, now } = ports
  const { accounts, intents, depositQueries, tokens, figures, preview, vault, scanCursors, hasCode, payable } = ports
  const { auditLog, newId } = ports.operator
  const countIn = rateLimits(now, ports.useUpdates)
  let server: Network = null
  const behind = callerAddress(ports.trustedProxies ?? [])
  const addressOf = (request: Request): string | undefined => {
    const address = server?.requestIP(request)?.address
    return address && behind(request, address)
  }
  const noteRefused = refusedKeys({ auditLog, newId, noteBug, now })
  const isSandbox = Boolean(ports.dashboard?.faucet)
  const gate = keyGate({ apiKeys, organizations, countIn, addressOf, noteRefused, isSandbox, now })
  const shown = shownBy({ accounts, tokens, chains, scanCursors, hasCode, payable, now })
  const page = { ...shown, intents, depositQueries, tokens, figures }
  const paying = { organizations, accounts, page, preview, vault, countIn, addressOf, noteBug, now }
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
    .use(closesWhileDraining(readiness.isDraining))
    .use(counted)
    .use(failures(noteBug, (path) => methodsAt(path)))
    .use(requestNotes(ports.requestLog, now))
    .use(api)
    .use(depositWebhook({ ...webhook, addressOf }))
    .use(ready(readiness, now))
    .use(receiptSigners(ports.receipts))
    .use(metrics(ports.metrics ?? { gauges: [], counters: [], token: null }, rows, now))
    .use(docs(api, { ...described, retry, confirmationsOf: (id) => chains[id].confirmations }))
    .use(ports.dashboard ? payRoutes(paying) : new Elysia())
    .use(
      ports.dashboard
        ? dashboard(
            { own: ports.dashboard, shared: ports, viewContextFor: shown.viewContextFor, countIn, addressOf },
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
