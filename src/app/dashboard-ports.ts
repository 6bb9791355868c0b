import type { Connection } from 'mongoose'
import { authSecret } from '../adapters/auth/auth-secret'
import { identityLater } from '../adapters/auth/identity-later'
import { httpFaucet } from '../adapters/faucet'
import { mail } from '../adapters/mail/mail'
import type { MongoStore } from '../adapters/mongo/mongo-store'
import { builtPages } from '../http/dashboard/pages'
import type { DashboardPorts } from '../http/dashboard/ports'
import type { loadConfig } from './config/config'
import type { Log } from './logging/log'

type Given = { store: MongoStore; log: Log } & Pick<ReturnType<typeof loadConfig>, 'config' | 'secrets'>

/** The rest is the service's: prices and chains. */
type StoredPorts = Omit<DashboardPorts, 'relayers'>

/** What the dashboard needs of the outside; its secret is made at the first need where none is configured. */
export function dashboardPorts(connection: Connection, given: Given): StoredPorts {
  const { store, log, config, secrets } = given
  const origin = config.publicUrl ? new URL(config.publicUrl).origin : `http://${config.host}:${config.port}`
  const send = secrets.smtpUrl ? mail(secrets.smtpUrl, config.mailFrom) : null
  const identity = identityLater(async () => {
    const { betterAuthIdentity } = await import('../adapters/auth/better-auth')
    return betterAuthIdentity(connection, {
      origin,
      secret: secrets.authSecret ?? (await authSecret(connection)),
      send,
      // A log is read by more people, and kept for longer, than a link is theirs.
      onLink: (what, email, url) =>
        log.say(
          'LINK_WITHOUT_MAIL',
          { email, ...(!config.isOutside && { url }) },
          `no mail server is configured; the link to ${what}`,
        ),
      onTrouble: (message, error) => log.say('SIGN_IN_TROUBLE', { error }, `sign-in: ${message}`),
    })
  })
  const { memberships, invitations, auditLog, inboundWebhooks, budgets } = store
  const rules = { isOpen: config.registration === 'open', mayReset: send !== null || !config.isOutside }
  const stored = { memberships, invitations, auditLog, inboundWebhooks, budgets }
  const faucet = config.faucetUrl === null ? null : httpFaucet(config.faucetUrl)
  return { ...stored, ...rules, identity, faucet, send, origin, pages: builtPages() }
}
