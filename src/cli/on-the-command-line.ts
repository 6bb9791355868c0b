import type { AuditEntry } from '../ports/tenants'

/** Who did it, for the audit log: somebody with a shell, whose name the system knows or does not. */
export const onTheCommandLine: AuditEntry['actor'] = {
  kind: 'SYSTEM',
  id: 'cli',
  label: process.env['USER'] ?? 'command line',
}
