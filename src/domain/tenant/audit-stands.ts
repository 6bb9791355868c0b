/**
 * What stands in an entry in the place of a name, and the name. The salt is kept with the name and nowhere else, so
 * that nobody can try out names when both are gone. An earlier release kept none: what it wrote is random.
 */
export type AuditName = { organizationId: string; stand: string; name: string; salt: string | null }

export const saltBytes = 32
const committed = 'name_sha256_'
/** Processes of the release before take `name_` and 24 digits for a name, and leave the longer ones as they are. */
const standing = /name_(?:sha256_[0-9a-f]{64}|[0-9a-f]{24})/g

/**
 * What stands for a name: it holds whoever writes it to this name and this organization, since the chain covers it and
 * no other name has the same hash. It is the SHA-256 of a JSON array, so that whoever has an export can compute it.
 */
export const standOf = ({ organizationId, name, salt }: Pick<AuditName, 'organizationId' | 'name' | 'salt'>): string =>
  `${committed}${Bun.SHA256.hash(JSON.stringify(['switchyard audit name/1', organizationId, salt, name]), 'hex')}`

/** Whether a change of the name would be noticed. */
export const isCovered = ({ stand }: Pick<AuditName, 'stand'>): boolean => stand.startsWith(committed)

/** Whether something stands for this name and no other, as far as it tells. */
export const isTrue = (name: AuditName): boolean => !isCovered(name) || name.stand === standOf(name)

/** Replaces whatever stands for a name in a text. */
export const replaceStands = (text: string, nameOf: (stand: string) => string): string => text.replace(standing, nameOf)
