import type { AuditVerb } from './audit-verb'

export type AuditEntry = {
  id: string
  at: number
  actor: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string }
  organizationId: string
  verb: AuditVerb
  target: string
  reason: string | null
  details: object
  requestId: string | null
}

type Optional = 'reason' | 'details' | 'requestId'
type Entry = Omit<AuditEntry, Optional> & Partial<Pick<AuditEntry, Optional>>

/**
 * Appends an action to the audit log. Await it before running the action: an action that is not in the log was not run.
 */
export const audit = (log: { append(entry: AuditEntry): Promise<void> }, entry: Entry): Promise<void> =>
  log.append({ reason: null, details: {}, requestId: null, ...entry })

/**
 * Returns the fields that an edit changes, each with its old and its new value. Other fields of the request are left
 * out.
 */
export const changesOf = <R extends object>(before: R, after: Partial<R>): object =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, to]) => {
      const from = before[name as keyof R]
      return from === to ? [] : [[name, { from, to }]]
    }),
  )
