/** `CLIENT` is for integrations, `OPERATOR` for the operators' endpoints (decision 20). */
export const roles = ['CLIENT', 'OPERATOR'] as const
export type Role = (typeof roles)[number]

export type ApiKey = {
  /** The id `key_…`, used by people and records. */
  id: string
  version: number
  /** SHA-256 of the key's text, in hex. The text itself is not stored. */
  digest: string
  /** First characters of the text, which distinguish keys. */
  prefix: string
  organizationId: string
  label: string
  role: Role
  protocolFeeBps: number
  sponsoredGas: boolean
  createdAt: number
  createdBy: string | null
  lastUsedAt: number | null
  /** When the key stops or stopped working: revoked, rolled or expired. */
  revokedAt: number | null
  /** Expiry set at creation. Null or absent for a key without one. */
  expiresAt?: number | null
  /** Addresses and CIDR ranges from which the key works. Absent or empty means anywhere. */
  allowedAddresses?: readonly string[]
}

export const hasEnded = ({ revokedAt }: Pick<ApiKey, 'revokedAt'>, now: number): boolean =>
  revokedAt !== null && revokedAt <= now

/** Warning period before a key expires. Members are e-mailed and an event is emitted. */
export const expiringMs = 7 * 86_400_000

/**
 * Returns when the warning period of a key begins, no earlier than its creation. The warning is due then, unless the
 * key has already ended for another reason. A later end does not change that. Null for a key without an expiry.
 */
export function expiringAt({ createdAt, revokedAt, expiresAt = null }: ApiKey): number | null {
  if (expiresAt === null || revokedAt === null) return null
  const at = Math.max(createdAt, expiresAt - expiringMs)
  return revokedAt > at ? at : null
}

/** Whether an ended key ended by expiry. */
export const isExpired = ({ revokedAt, expiresAt = null }: Pick<ApiKey, 'revokedAt' | 'expiresAt'>): boolean =>
  expiresAt !== null && revokedAt === expiresAt
