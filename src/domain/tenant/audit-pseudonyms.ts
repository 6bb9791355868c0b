/**
 * A pseudonym in an audit entry, and the name it replaces. The salt is stored only beside the name. Once both are
 * deleted, a name can no longer be guessed from its hash. An earlier release used no salt: its pseudonyms are random.
 */
export type AuditName = { organizationId: string; stand: string; name: string; salt: string | null }

export const saltBytes = 32
const committed = 'name_sha256_'
/** The previous release recognises only `name_` with 24 digits, and leaves longer pseudonyms unchanged. */
const pseudonym = /name_(?:sha256_[0-9a-f]{64}|[0-9a-f]{24})/g

/**
 * Returns the pseudonym of a name: the SHA-256 of a JSON array. The chain covers the pseudonym and no other name has
 * its hash, so its author is bound to this name and organization. The holder of an export can compute it.
 */
export const pseudonymOf = ({
  organizationId,
  name,
  salt,
}: Pick<AuditName, 'organizationId' | 'name' | 'salt'>): string =>
  `${committed}${Bun.SHA256.hash(JSON.stringify(['switchyard audit name/1', organizationId, salt, name]), 'hex')}`

/** Whether a changed name would be detected. */
export const isCovered = ({ stand }: Pick<AuditName, 'stand'>): boolean => stand.startsWith(committed)

/** Whether the pseudonym belongs to this name, or is too old to show it. */
export const isTrue = (name: AuditName): boolean => !isCovered(name) || name.stand === pseudonymOf(name)

/** Replaces the pseudonyms in a text. */
export const replacePseudonyms = (text: string, nameOf: (stand: string) => string): string =>
  text.replace(pseudonym, nameOf)
