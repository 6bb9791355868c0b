import { randomBytes } from 'node:crypto'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import type { Session } from 'better-auth/types'
import type { Via } from '../../domain/tenant/sso'

/** What a session remembers of the provider by which it began. No request can set it. */
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

/** By which connection a session began; null for one that a password began. Part of it is enough to be bound by it. */
export function viaOf({ viaOrganization, viaConnection, viaAt }: ViaFields): Via | null {
  if (viaOrganization == null && viaConnection == null && viaAt == null) return null
  return { organizationId: viaOrganization ?? '', connectionId: viaConnection ?? '', at: viaAt ?? 0 }
}

type Begun = { personId: string; via: Via; provedAt: number }

type Renewed = { sessionId: string; secondStepAt: number }

/** Lets the server, and no request, begin a session for somebody whom a provider has signed in, and renew any. */
export const providerSessions = () => ({
  id: 'provider-sessions' as const,
  endpoints: {
    beginProviderSession: createAuthEndpoint(
      '/provider-session',
      { method: 'POST', metadata: { SERVER_ONLY: true } },
      async (ctx) => {
        if (ctx.request) throw new TypeError('No request begins such a session')
        const { personId, via, provedAt } = ctx.body as Begun
        const { internalAdapter } = ctx.context
        const bound = { viaOrganization: via.organizationId, viaConnection: via.connectionId, viaAt: via.at }
        const fields = { ...bound, secondStepAt: provedAt }
        const user = await internalAdapter.findUserById(personId)
        const session = user && (await internalAdapter.createSession(personId, false, fields, true))
        if (!session) throw new TypeError('There is no such person')
        if (viaOf(session as ViaFields)?.connectionId !== via.connectionId)
          throw new TypeError('A session that shows everything is not what was asked for')
        await setSessionCookie(ctx, { session, user })
        return ctx.json({ isDone: true })
      },
    ),
    renewSession: createAuthEndpoint(
      '/renewed-session',
      { method: 'POST', metadata: { SERVER_ONLY: true } },
      async (ctx) => {
        if (ctx.request) throw new TypeError('No request renews a session')
        const { sessionId, secondStepAt } = ctx.body as Renewed
        const { adapter, internalAdapter } = ctx.context
        const update = { token: randomBytes(32).toString('hex'), secondStepAt }
        const where = [{ field: 'id', value: sessionId }]
        const session = await adapter.update<Session>({ model: 'session', where, update })
        const user = session && (await internalAdapter.findUserById(session.userId))
        if (!session || !user) throw new TypeError('There is no such session')
        await setSessionCookie(ctx, { session, user })
        return ctx.json({ isDone: true })
      },
    ),
  },
})
