import { audit } from '../../../domain/tenant/audit'
import type { AuditVerb } from '../../../domain/tenant/audit-verb'
import type { Memberships, Person } from '../../../ports/people'
import type { AuditLog } from '../../../ports/tenants'
import { randomId } from '../new-tenants'

type Ports = { auditLog: AuditLog; memberships: Pick<Memberships, 'ofPerson'>; now: () => number }
type Outcome = { path: string; isOk: boolean; isHalf: boolean; hadSession: boolean; hadSecondStep: boolean }

const refused = 'person.password_refused'
const verbs: Partial<Record<string, readonly [good: AuditVerb | null, bad: AuditVerb | null]>> = {
  'sign-in/email': ['person.sign_in', 'person.sign_in_failed'],
  'sign-up/email': ['person.sign_up', null],
  'sign-out': ['person.sign_out', null],
  'request-password-reset': ['person.password_reset_asked', null],
  'reset-password': ['person.password_reset', null],
  'change-password': ['person.password_change', refused],
  'revoke-session': ['person.sessions_end', null],
  'revoke-other-sessions': ['person.sessions_end', null],
  'two-factor/enable': ['person.second_step_secret', refused],
  'two-factor/disable': ['person.second_step_off', refused],
  'two-factor/generate-backup-codes': ['person.backup_codes', refused],
}

/** Returns the audit log's verb for a response; null if there is nothing to note. */
export function verbOf({ path, isOk, isHalf, hadSession, hadSecondStep }: Outcome): AuditVerb | null {
  if (isHalf) return null // the password was correct, but the second step is still missing
  if (path.startsWith('two-factor/verify-'))
    return isOk ? goodStep({ hadSession, hadSecondStep }) : 'person.second_step_failed'
  const [good, bad] = verbs[path] ?? [null, null]
  return isOk ? good : bad
}

const goodStep = ({ hadSession, hadSecondStep }: Pick<Outcome, 'hadSession' | 'hadSecondStep'>): AuditVerb => {
  if (!hadSession) return 'person.sign_in'
  return hadSecondStep ? 'person.second_step_again' : 'person.second_step_on'
}

/** Stands for the organization of a person who has none yet. Only the platform's operators see such entries. */
export const noOrganization = 'none'
/** Failures. Their author has not proved to be the person. */
const failures: readonly AuditVerb[] = ['person.sign_in_failed', 'person.second_step_failed', 'person.password_refused']
const anonymous: readonly AuditVerb[] = [...failures, 'person.password_reset_asked']

/**
 * Writes an entry for every organization of the person, because each must know who signs in.
 *
 * @param only The organization of a session that shows no other organization.
 */
export async function auditPerson(
  { auditLog, memberships, now }: Ports,
  verb: AuditVerb,
  person: Person,
  { address, only = null }: { address: string; only?: string | null },
) {
  const all = (await memberships.ofPerson(person.id)).map(({ id }) => id)
  const organizationIds = only === null ? all : all.filter((id) => id === only)
  const isIdentified = !anonymous.includes(verb)
  const actor = isIdentified
    ? ({ kind: 'MEMBER', id: person.id, label: person.email } as const)
    : ({ kind: 'SYSTEM', id: 'sign-in', label: 'Unknown person at sign-in' } as const)
  for (const organizationId of organizationIds.length > 0 ? organizationIds : [noOrganization])
    await audit(auditLog, {
      id: randomId('aud_'),
      at: now(),
      actor,
      organizationId,
      verb,
      target: person.id,
      details: { email: person.email, address },
    })
}
