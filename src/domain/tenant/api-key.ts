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
  revokedAt: number | null
}
