import { randomBytes } from 'node:crypto'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import type { Session } from 'better-auth/types'
import type { Via } from '../../domain/tenant/sso'

/** Fields of a session that began at an identity provider. Requests cannot set them. */
export const viaFields = {
  viaOrganization: { type: 'string', required: false, input: false },
  viaConnection: { type: 'string', required: false, input: false },
  viaAt: { type: 'number', required: false, input: false },
} as const

type ViaFields = {
  viaOrganization?: string | null | undefined
  viaConnection?: string | null | undefined
  viaAt?: number | null | undefined
}

/**
 * Returns the connection through which a session began, or null if it began with a password. A session with only some
 * of the fields still counts as begun at a provider.
 */
export function viaOf({ viaOrganization, viaConnection, viaAt }: ViaFields): Via | null {
  if (viaOrganization == null && viaConnection == null && viaAt == null) return null
  return { organizationId: viaOrganization ?? '', connectionId: viaConnection ?? '', at: viaAt ?? 0 }
}

type SessionStart = { personId: string; via: Via; provedAt: number }

type Renewed = { sessionId: string; secondStepAt: number }

/**
 * Lets the server begin a session for a person whom a provider signed in, and renew any session. Requests can do
 * neither.
 */
export const providerSessions = () => ({
  id: 'provider-sessions' as const,
  endpoints: {
    beginProviderSession: createAuthEndpoint(
      '/provider-session',
      { method: 'POST', metadata: { SERVER_ONLY: true } },
      async (ctx) => {
        if (ctx.request) throw new TypeError('Only the server can begin this session')
        const { personId, via, provedAt } = ctx.body as SessionStart
        const { internalAdapter } = ctx.context
        const bound = { viaOrganization: via.organizationId, viaConnection: via.connectionId, viaAt: via.at }
        const fields = { ...bound, secondStepAt: provedAt }
        const user = await internalAdapter.findUserById(personId)
        const session = user && (await internalAdapter.createSession(personId, false, fields, true))
        if (!session) throw new TypeError('Unknown person')
        if (viaOf(session as ViaFields)?.connectionId !== via.connectionId)
          throw new TypeError('The session was stored without its provider')
        await setSessionCookie(ctx, { session, user })
        return ctx.json({ isDone: true })
      },
    ),
    renewSession: createAuthEndpoint(
      '/renewed-session',
      { method: 'POST', metadata: { SERVER_ONLY: true } },
      async (ctx) => {
        if (ctx.request) throw new TypeError('Only the server can renew a session')
        const { sessionId, secondStepAt } = ctx.body as Renewed
        const { adapter, internalAdapter } = ctx.context
        const update = { token: randomBytes(32).toString('hex'), secondStepAt }
        const where = [{ field: 'id', value: sessionId }]
        const session = await adapter.update<Session>({ model: 'session', where, update })
        const user = session && (await internalAdapter.findUserById(session.userId))
        if (!session || !user) throw new TypeError('Unknown session')
        await setSessionCookie(ctx, { session, user })
        return ctx.json({ isDone: true })
      },
    ),
  },
})
