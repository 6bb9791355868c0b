import type { Connection } from 'mongoose'
import { authSecret } from '../adapters/auth/auth-secret'
import { identityLater } from '../adapters/auth/identity-later'
import { openIdClient } from '../adapters/auth/open-id'
import { textRecords } from '../adapters/auth/text-records'
import { httpFaucet } from '../adapters/faucet'
import { mail } from '../adapters/mail/mail'
import type { MongoStore } from '../adapters/mongo/mongo-store'
import { guardedFetch } from '../adapters/webhooks/guarded-fetch'
import { builtPages } from '../http/dashboard/pages/pages'
import type { DashboardPorts } from './api/ports'
import type { loadConfig } from './config/config'
import type { Log } from './logging/log'

type DashboardInput = { store: MongoStore; log: Log; now: () => number } & Pick<
  ReturnType<typeof loadConfig>,
  'config' | 'secrets'
>

/** Leaves out the relayer balances. They come from the service, because only it has the prices and chains. */
type StoredPorts = Omit<DashboardPorts, 'relayers'>

/** The dashboard's ports to the outside. The session secret is created on first use, unless it is configured. */
export function dashboardPorts(connection: Connection, dashboardInput: DashboardInput): StoredPorts {
  const { store, log, now, config, secrets } = dashboardInput
  const origin = config.publicUrl ? new URL(config.publicUrl).origin : `http://${config.host}:${config.port}`
  const send = secrets.smtpUrl ? mail(secrets.smtpUrl, config.mailFrom) : null
  const identity = identityLater(async () => {
    const { betterAuthIdentity } = await import('../adapters/auth/better-auth')
    return betterAuthIdentity(connection, {
      origin,
      now,
      secret: secrets.authSecret ?? (await authSecret(connection)),
      send,
      // The link is not logged: more people can read the log, and for longer than the link is valid.
      onLink: (what, email, url) =>
        log.write(
          'LINK_WITHOUT_MAIL',
          { email, ...(!config.isOutside && { url }) },
          `No mail server is configured, so this link was not sent: ${what}.`,
        ),
      onTrouble: (message, error) => log.write('SIGN_IN_TROUBLE', { error }, `Sign-in failed: ${message}`),
    })
  })
  const { memberships, invitations, domainClaims, erasures, auditLog, inboundWebhooks, limitCounters } = store
  const rules = { isOpen: config.registration === 'open', mayReset: send !== null || !config.isOutside }
  const nodesBill = { requests: store.nodeRequests, budgets: config.rpcBudgets }
  const people = { memberships, invitations, domainClaims, erasures }
  const stored = { nodesBill, ...people, auditLog, inboundWebhooks, limitCounters }
  const faucet = config.faucetUrl === null ? null : httpFaucet(config.faucetUrl)
  const toLoopback = config.webhooksToLoopback
  const openId = openIdClient({ fetch: guardedFetch({ toLoopback }), isPlainAllowed: toLoopback, now })
  const sso = { openId, lookUpTexts: textRecords() }
  return { ...stored, ...rules, ...sso, identity, faucet, send, origin, pages: builtPages() }
}
