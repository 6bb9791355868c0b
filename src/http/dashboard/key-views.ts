import { type ApiKey, hasEnded, isExpired } from '../../domain/tenant/api-key'
import type { Identity } from '../../ports/people'
import type { AuditQueries } from '../../ports/queries'

type Ports = {
  identity: Identity
  auditLog: Pick<AuditQueries, 'list'>
  now: () => number
}

const unusedAfterMs = 90 * 86_400_000
const time = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** Views of keys: everything except the key itself, which is stored nowhere. */
export async function keyViews({ identity, auditLog, now }: Ports, keys: readonly ApiKey[]) {
  const makers = await identity.people([...new Set(keys.flatMap(({ createdBy }) => createdBy ?? []))])
  const names = new Map(makers.map(({ id, name }) => [id, name]))
  const enders = await endersOf(auditLog, keys)
  return keys.map(({ digest: _, version: __, organizationId: ___, ...key }) => {
    const isRevoked = hasEnded(key, now())
    return {
      ...key,
      createdBy: key.createdBy === null ? null : (names.get(key.createdBy) ?? 'a former member'),
      createdAt: time(key.createdAt)!,
      lastUsedAt: time(key.lastUsedAt),
      /** A future time means that the key works until then. */
      endsAt: time(key.revokedAt),
      revokedAt: undefined,
      expiresAt: undefined,
      allowedAddresses: key.allowedAddresses ?? [],
      isRevoked,
      /** Whether the key's own expiry ended it or will end it, rather than a member. */
      isExpiring: isExpired(key),
      revokedBy: isRevoked ? (enders.get(key.id) ?? null) : null,
      isUnused: !isRevoked && now() - (key.lastUsedAt ?? key.createdAt) > unusedAfterMs,
    }
  })
}

export type KeyView = Awaited<ReturnType<typeof keyViews>>[number]

async function endersOf(auditLog: Ports['auditLog'], keys: readonly ApiKey[]): Promise<Map<string, string>> {
  const organizationId = keys[0]?.organizationId
  if (organizationId === undefined || keys.every(({ revokedAt }) => revokedAt === null)) return new Map()
  const verbs = ['key.roll', 'key.revoke']
  const lists = await Promise.all(verbs.map((verb) => auditLog.list({ organizationId, verb }, { limit: 100 })))
  return new Map(lists.flat().map(({ target, actor }) => [target, actor.label]))
}
