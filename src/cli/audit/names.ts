import type { AuditEntry } from '../../domain/tenant/audit'
import { standsIn } from '../../domain/tenant/audit-names'
import { type AuditName, isCovered, isTrue } from '../../domain/tenant/audit-pseudonyms'

const deletions: readonly string[] = ['person.delete', 'organization.delete']

/** Collects the pseudonyms in one organization's log, and the names that the export gives for them. */
export function namesOf(organizationId: string) {
  const used = new Set<string>()
  const told = new Map<string, string>()
  const faults: string[] = []
  let deleted = 0

  function faultOf(name: AuditName): string | null {
    const { stand } = name
    if (name.organizationId !== organizationId)
      return `${stand} is a name of ${name.organizationId}, but is listed under ${organizationId}`
    if (told.has(stand)) return `${stand} has two names, ${told.get(stand)} and ${said(name)}`
    if (isCovered(name) && !name.salt)
      return `${stand} has no salt, so ${said(name)} cannot be checked: export the log with a process of this release`
    return isTrue(name) ? null : `${stand} does not match ${said(name)}: the name was changed`
  }

  return {
    entry(entry: AuditEntry) {
      for (const stand of standsIn(entry)) used.add(stand)
      if (deletions.includes(entry.verb)) deleted += 1
    },
    name(name: AuditName, line: number) {
      const fault = faultOf(name)
      if (fault !== null) faults.push(`Line ${line}: ${fault}.`)
      told.set(name.stand, said(name))
    },
    faults: (): readonly string[] => faults,
    /** Returns one line per fact about the names, if none was changed. */
    summary(): string[] {
      if (used.size === 0) return []
      const known = [...used].filter((stand) => told.has(stand))
      const covered = known.filter((stand) => isCovered({ stand })).length
      const [open, gone] = [known.length - covered, used.size - known.length]
      return [
        `${organizationId}: ${counted(covered, 'name')} behind pseudonyms, none changed.`,
        ...(open === 0 ? [] : [`${organizationId}: ${counted(open, 'name')} of an earlier release: ${unseen}`]),
        ...(gone === 0 ? [] : [`${organizationId}: ${counted(gone, 'name')} removed. ${toldOf(deleted)}`]),
      ]
    },
  }
}

const unseen = 'not covered, so a change to them is not detected.'

const toldOf = (deletions: number): string =>
  `The log contains ${deletions === 0 ? 'no deletion' : counted(deletions, 'deletion')}; ` +
  'deleting an account also removes its name from organizations of earlier memberships and invitations.'

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
const said = ({ name }: AuditName): string => JSON.stringify(name)
