/** `CLIENT` is for integrations, `OPERATOR` for the operators' endpoints (decision 20). */
export const roles = ['CLIENT', 'OPERATOR'] as const
export type Role = (typeof roles)[number]

export type ApiKey = {
  /** The id, `key_…`, by which people and records refer to the key. */
  id: string
  version: number
  /** SHA-256 of the key's text, in hex. The text itself is stored nowhere. */
  digest: string
  /** The first characters of the text, which tell keys apart. */
  prefix: string
  organizationId: string
  label: string
  role: Role
  protocolFeeBps: number
  sponsoredGas: boolean
  createdAt: number
  createdBy: string | null
  lastUsedAt: number | null
  /** When it stops or stopped to work: because it was revoked or rolled, or because it expires. */
  revokedAt: number | null
  /** When it was to expire from the beginning. Absent and null in a key that has no such time. */
  expiresAt?: number | null
  /** The addresses and CIDR ranges from which it may be used. Where it is absent or empty, that is anywhere. */
  allowedAddresses?: readonly string[]
}

export const hasEnded = ({ revokedAt }: Pick<ApiKey, 'revokedAt'>, now: number): boolean =>
  revokedAt !== null && revokedAt <= now

/** For this long before a key expires, people are written to and programs have been told. */
export const expiringMs = 7 * 86_400_000

/**
 * When a key begins to be about to expire: at the earliest when it is made. It is told of then, unless it has ended by
 * then for another reason. What ends it later changes nothing of that. Null for a key that never is.
 */
export function expiringAt({ createdAt, revokedAt, expiresAt = null }: ApiKey): number | null {
  if (expiresAt === null || revokedAt === null) return null
  const at = Math.max(createdAt, expiresAt - expiringMs)
  return revokedAt > at ? at : null
}

/** Whether a key that has ended did so because its time was over. */
export const isExpired = ({ revokedAt, expiresAt = null }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): boolean =>
  expiresAt !== null && revokedAt === expiresAt
