import { Elysia } from 'elysia'
import { auditHeadRoute } from '../../http/dashboard/audit-head'
import { bulkRoutes } from '../../http/dashboard/bulk'
import { deletionRoutes } from '../../http/dashboard/deletion/deletion'
import { exportRoutes } from '../../http/dashboard/exports'
import { gzipJson } from '../../http/dashboard/gzip-json'
import { heldChangeRoutes } from '../../http/dashboard/held-changes'
import { answerRoute } from '../../http/dashboard/hosted/answers'
import { depositPageRoutes } from '../../http/dashboard/hosted/links'
import { inboundWebhookRoutes } from '../../http/dashboard/inbound-webhooks'
import { incidentRoutes } from '../../http/dashboard/incidents'
import { invitationRoutes } from '../../http/dashboard/invitations'
import { keyRoutes } from '../../http/dashboard/keys'
import { memberGate } from '../../http/dashboard/member-gate'
import type { SessionPorts } from '../../http/dashboard/member-session'
import { memberRoutes } from '../../http/dashboard/members'
import { nodeRequestRoutes } from '../../http/dashboard/node-requests'
import { notificationRoutes } from '../../http/dashboard/notifications'
import { organizationRoutes } from '../../http/dashboard/organizations'
import { pageRoutes } from '../../http/dashboard/pages/page-routes'
import { pretendDepositRoutes } from '../../http/dashboard/pretend-deposits'
import { receiverRoute } from '../../http/dashboard/receiver'
import { relayerRoutes } from '../../http/dashboard/relayers'
import { savedViewRoutes } from '../../http/dashboard/saved-views'
import { authRoutes } from '../../http/dashboard/sign-in/auth'
import { ssoSettingsRoutes } from '../../http/dashboard/sso/settings'
import { ssoSignInRoutes } from '../../http/dashboard/sso/sign-in'
import { stateRoutes } from '../../http/dashboard/states'
import { usageRoutes } from '../../http/dashboard/usage'
import type { Gate } from '../../http/request/caller'
import type { CountIn } from '../../http/request/limits'
import { aloneBy } from '../../http/routes/alone'
import type { ViewContextFor } from '../../http/views/view-context'
import { webhookPageRoutes } from '../../http/webhooks/pages'
import type { DashboardPorts, ResourcePorts } from './ports'

const dashboardPrefix = '/app/api'

type Mounted = { use: (gate: Gate, prefix: string) => Elysia }

type Ports = {
  own: DashboardPorts
  shared: ResourcePorts
  viewContextFor: ViewContextFor
  countIn: CountIn
  /**
   * Returns the caller's address, behind the trusted proxies; undefined if the request did not come over a network.
   */
  addressOf: (request: Request) => string | undefined
}

/** Sign-in, the pages, members and keys, and the API's own resources for signed-in members. */
export function dashboard({ own, shared, viewContextFor, countIn, addressOf }: Ports, resources: Mounted['use']) {
  const { identity, memberships, invitations, erasures, auditLog, limitCounters, inboundWebhooks } = own
  const { domainClaims, openId, lookUpTexts, faucet, send, origin, isOpen, mayReset, pages, nodesBill, relayers } = own
  const { organizations, apiKeys, accounts, intents, heldChanges, seals, semaphores, operator, vault } = shared
  const { executionQueries, depositQueries, eventLog, requestLog, tokens, usage, worth, noteBug, now } = shared
  const { webhookEndpoints, webhookFeeds, webhookDeliveries, webhooksToLoopback } = shared
  const session: SessionPorts = { identity, memberships, organizations, origin, now }
  const acting = { ...session, auditLog }
  const shown = { ...session, depositQueries, viewContextFor }
  const deleting = { executionQueries, depositQueries, tokens, operator, erasures }
  const signingIn = { openId, vault, domainClaims, limitCounters, addressOf }
  const alone = aloneBy({ semaphores, newId: operator.newId, noteBug, now })
  const noteTrouble = (error: unknown) => noteBug(error, { requestId: '', route: '/app/auth' })
  const sessions = { identity, memberships, invitations, limitCounters, auditLog, origin, isOpen, mayReset, addressOf }
  const api = new Elysia({ prefix: dashboardPrefix })
    .onRequest(({ set }) => {
      set.headers['cache-control'] ??= 'no-store'
    })
    .use(organizationRoutes({ ...acting, send, isOpen, semaphores, webhooksToLoopback }))
    .use(memberRoutes(acting))
    .use(deletionRoutes({ ...acting, ...deleting }))
    .use(notificationRoutes({ ...session, send }).use(savedViewRoutes(session)))
    .use(invitationRoutes({ ...acting, invitations, send, limitCounters }))
    .use(keyRoutes({ ...acting, apiKeys, requestLog, faucet, semaphores }))
    .use(ssoSettingsRoutes({ ...acting, webhooksToLoopback, openId, vault, domainClaims, lookUpTexts }))
    .use(auditHeadRoute(acting))
    .use(stateRoutes({ ...session, executionQueries, eventLog, faucet, accounts, intents }))
    .use(usageRoutes({ ...session, apiKeys, usage, worth }))
    .use(relayerRoutes({ ...session, relayers }))
    .use(nodeRequestRoutes({ ...session, nodesBill }))
    .use(incidentRoutes({ ...session, operator, webhookEndpoints }))
    .use(bulkRoutes({ ...shown, executionQueries, apiKeys, countIn, operator }))
    .use(inboundWebhookRoutes({ ...session, depositQueries, inboundWebhooks }))
    .use(pretendDepositRoutes({ ...acting, faucet, limitCounters, countIn, accounts, intents }))
    .use(depositPageRoutes({ ...acting, accounts, depositQueries, vault }))
    .use(answerRoute(shown).use(exportRoutes({ ...shown, executionQueries, apiKeys, countIn })))
    .use(heldChangeRoutes({ ...acting, heldChanges, seals, apiKeys, intents, accounts, alone }))
    .use(webhookPageRoutes({ ...session, webhookEndpoints, webhookFeeds, webhookDeliveries }))
  return new Elysia()
    .mapResponse(gzipJson)
    .use(authRoutes({ ...sessions, noteTrouble, now }))
    .use(ssoSignInRoutes({ ...acting, ...signingIn }))
    .use(api)
    .use(resources(memberGate({ ...session, countIn, apiKeys }), dashboardPrefix))
    .use(receiverRoute({ faucet }))
    .use(pageRoutes(pages, origin))
}
