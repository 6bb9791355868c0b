import { BoundedMap } from '../../domain/bounded-map'
import type { ApiKey } from '../../domain/tenant/api-key'
import { audit } from '../../domain/tenant/audit'
import type { AuditLog } from '../../ports/tenants'
import type { NoteBug, RefusalCode } from './failure'

type Ports = { auditLog: AuditLog; newId: (prefix: string) => string; noteBug: NoteBug; now: () => number }

const noteEveryMs = 3_600_000
const notedMax = 10_000

/**
 * Writes to the audit log that a valid key was refused: it may be stolen, or a server has not been updated. Each
 * process writes at most one entry an hour for each key and reason.
 */
export function refusedKeys({ auditLog, newId, noteBug, now }: Ports) {
  const notedAt = new BoundedMap<string, number>(notedMax)
  return ({ id, label, organizationId }: ApiKey, why: RefusalCode, address: string | null): void => {
    const [at, what] = [now(), `${id} ${why}`]
    if (at - (notedAt.get(what) ?? Number.NEGATIVE_INFINITY) < noteEveryMs) return
    notedAt.set(what, at)
    const actor = { kind: 'API_KEY', id, label } as const
    const details = { why, address }
    audit(auditLog, {
      ...{ id: newId('aud_'), at, actor, organizationId, verb: 'key.refused', target: id, details },
    }).catch((error) => {
      notedAt.delete(what)
      noteBug(error, { requestId: '', route: 'keys' })
    })
  }
}
