import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { ApiKey } from '../../domain/tenant/api-key'
import { apiKeyDigest, apiKeyPrefix, apiKeyText } from '../../domain/tenant/api-key-format'
import type { Organization } from '../../domain/tenant/organization'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
export const randomId = (prefix: string): string =>
  prefix + Array.from({ length: 16 }, () => digits[randomInt(digits.length)]).join('')

export type OrganizationWish = Pick<Organization, 'name' | 'slug'> & Partial<Organization>

/** A new organization with a salt that nobody can guess (decision 3). */
export const newOrganization = (wish: OrganizationWish, now: number): Organization => ({
  id: randomId('org_'),
  version: 0,
  salt: `0x${randomBytes(32).toString('hex')}`,
  plan: 'free',
  customPlan: null,
  isPlatform: false,
  createdAt: now,
  ...wish,
})

type KeyTerms = Pick<
  ApiKey,
  'role' | 'protocolFeeBps' | 'sponsoredGas' | 'createdBy' | 'expiresAt' | 'allowedAddresses'
>
export type ApiKeyWish = Pick<ApiKey, 'organizationId' | 'label'> & Partial<KeyTerms>

/**
 * A new key, and its text, which is shown once and stored nowhere. Only the fields named here are taken from the wish.
 */
export function newApiKey(wish: ApiKeyWish, now: number): { text: string; apiKey: ApiKey } {
  const { organizationId, label, role = 'CLIENT', protocolFeeBps = 0, sponsoredGas = false } = wish
  const { createdBy = null, expiresAt = null, allowedAddresses = [] } = wish
  const text = apiKeyText(randomBytes(32))
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
/** The digest by which the token of an invitation is stored. The token itself is in the link only. */
export const invitationDigest = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A new link for an invitation. Once it is stored, the link before it stops working. */
export function newInvitationLink(origin: string, now: number) {
  const token = randomBytes(32).toString('base64url')
  const link = `${origin}/app/invitation?token=${token}`
  return { link, tokenDigest: invitationDigest(token), expiresAt: now + invitationMs }
}
