import type { AuditEntry } from '../../src/domain/tenant/audit'
import { auditTexts } from '../../src/domain/tenant/audit-texts'

/** Returns the text fields of an action's details that are missing from the table. */
export const undecidedIn = ({ verb, details }: Pick<AuditEntry, 'verb' | 'details'>): string[] => {
  const { stays = [], apart = [] } = auditTexts[verb] ?? {}
  return Object.entries(details)
    .filter(([field, value]) => !stays.includes(field) && !apart.includes(field) && hasText(value))
    .map(([field]) => `${verb}: ${field}`)
}

const hasText = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'object' && value !== null && Object.values(value).some(hasText))
