import { Elysia } from 'elysia'
import type { Gate } from '../request/caller'
import { webhookPageRoutes } from '../webhooks/pages'
import { auditHeadRoute } from './audit-head'
import { bulkRoutes } from './bulk'
import { deletionRoutes } from './deletion/deletion'
import { gzipJson } from './gzip-json'
import { heldChangeRoutes } from './held-changes'
import { answerRoute } from './hosted/answers'
import { depositPageRoutes } from './hosted/links'
import { inboundWebhookRoutes } from './inbound-webhooks'
import { incidentRoutes } from './incidents'
import { invitationRoutes } from './invitations'
import { keyRoutes } from './keys'
import { memberGate } from './member-gate'
import { memberRoutes } from './members'
import { nodeRequestRoutes } from './node-requests'
import { notificationRoutes } from './notifications'
import { organizationRoutes } from './organizations'
import { pageRoutes } from './pages/page-routes'
import type { MemberPorts } from './ports'
import { pretendDepositRoutes } from './pretend-deposits'
import { receiverRoute } from './receiver'
import { relayerRoutes } from './relayers'
import { authRoutes } from './sign-in/auth'
import { ssoSettingsRoutes } from './sso/settings'
import { ssoSignInRoutes } from './sso/sign-in'
import { stateRoutes } from './states'
import { usageRoutes } from './usage'

const dashboardPrefix = '/app/api'

type Mounted = { use: (gate: Gate, prefix: string) => Elysia }

/** Sign-in, the pages, members and keys, and the API's own resources for signed-in members. */
export function dashboard(ports: MemberPorts, resources: Mounted['use']) {
  const own = new Elysia({ prefix: dashboardPrefix })
    .onRequest(({ set }) => {
      set.headers['cache-control'] ??= 'no-store'
    })
    .use(organizationRoutes(ports))
    .use(memberRoutes(ports))
    .use(deletionRoutes(ports))
    .use(notificationRoutes(ports))
    .use(invitationRoutes(ports))
    .use(keyRoutes(ports))
    .use(ssoSettingsRoutes(ports))
    .use(auditHeadRoute(ports))
    .use(stateRoutes(ports))
    .use(usageRoutes(ports))
    .use(relayerRoutes(ports))
    .use(nodeRequestRoutes(ports))
    .use(incidentRoutes(ports))
    .use(bulkRoutes(ports))
    .use(inboundWebhookRoutes(ports))
    .use(pretendDepositRoutes(ports))
    .use(depositPageRoutes(ports))
    .use(answerRoute(ports))
    .use(heldChangeRoutes(ports))
    .use(webhookPageRoutes(ports))
  return new Elysia()
    .mapResponse(gzipJson)
    .use(authRoutes({ ...ports, noteTrouble: (error) => ports.noteBug(error, { requestId: '', route: '/app/auth' }) }))
    .use(ssoSignInRoutes(ports))
    .use(own)
    .use(resources(memberGate(ports), dashboardPrefix))
    .use(receiverRoute(ports))
    .use(pageRoutes(ports.pages, ports.origin))
}
