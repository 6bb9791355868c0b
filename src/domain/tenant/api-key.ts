/** `CLIENT` for integrations, `OPERATOR` for the operators' endpoints (decision 20). */
export const roles = ['CLIENT', 'OPERATOR'] as const
export type Role = (typeof roles)[number]

export type ApiKey = {
  /** `key_…`, what people and records call it. */
  id: string
  version: number
  /** SHA-256 of the key's text, hex. The text itself is kept nowhere. */
  digest: string
  /** The first characters of the text, to tell keys apart. */
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
