import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { ApiKey } from '../../domain/tenant/api-key'
import { apiKeyDigest, apiKeyPrefix, apiKeyText } from '../../domain/tenant/api-key-format'
import type { Organization } from '../../domain/tenant/organization'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const randomId = (prefix: string): string =>
  prefix + Array.from({ length: 16 }, () => digits[randomInt(digits.length)]).join('')

type RequestedOrganization = Pick<Organization, 'name' | 'slug'> & Partial<Organization>

/** Makes a new organization with an unguessable salt (decision 3). */
export const newOrganization = (request: RequestedOrganization, now: number): Organization => ({
  id: randomId('org_'),
  version: 0,
  salt: `0x${randomBytes(32).toString('hex')}`,
  plan: 'free',
  customPlan: null,
  isPlatform: false,
  createdAt: now,
  ...request,
})

type KeyTerms = Pick<
  ApiKey,
  'role' | 'protocolFeeBps' | 'sponsoredGas' | 'createdBy' | 'expiresAt' | 'allowedAddresses'
>
export type RequestedApiKey = Pick<ApiKey, 'organizationId' | 'label'> & Partial<KeyTerms>

/**
 * Makes a new key. Its text is shown once and stored nowhere. Only the fields named here are taken from the request.
 */
export function newApiKey(request: RequestedApiKey, now: number, isSandbox = false): { text: string; apiKey: ApiKey } {
  const { organizationId, label, role = 'CLIENT', protocolFeeBps = 0, sponsoredGas = false } = request
  const { createdBy = null, expiresAt = null, allowedAddresses = [] } = request
  const text = apiKeyText(randomBytes(32), isSandbox)
  const apiKey: ApiKey = {
    id: randomId('key_'),
    version: 0,
    digest: apiKeyDigest(text),
    prefix: apiKeyPrefix(text),
    organizationId,
    label,
    role,
    protocolFeeBps,
    sponsoredGas,
    createdAt: now,
    createdBy,
    lastUsedAt: null,
    revokedAt: expiresAt,
    expiresAt,
    allowedAddresses,
  }
  return { text, apiKey }
}

const invitationMs = 7 * 86_400_000
/** Returns the digest of an invitation's token for the store. The token itself is only in the link. */
export const invitationDigest = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Makes a new link for an invitation. After it is stored, the previous link stops working. */
export function newInvitationLink(origin: string, now: number) {
  const token = randomBytes(32).toString('base64url')
  const link = `${origin}/app/invitation?token=${token}`
  return { link, tokenDigest: invitationDigest(token), expiresAt: now + invitationMs }
}
