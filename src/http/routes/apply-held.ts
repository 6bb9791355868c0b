import { rewrite } from '../../domain/concurrency'
import { changedBy, type HeldChange, type HeldTarget, isDue, isFor, isOpen } from '../../domain/deposit/held-change'
import type { Seals } from '../../domain/seals'
import { audit } from '../../domain/tenant/audit'
import type { AuditLog, DepositIntents, HeldChanges } from '../../ports/tenants'
import { changesOf } from '../request/changes-of'
import { leadsBack } from './check-target'

export type ApplyPorts = {
  heldChanges: HeldChanges
  intents: DepositIntents
  auditLog: AuditLog
  seals: Seals
  now: () => number
}

/** Notes how far a change came, unless another one has taken its place meanwhile. */
const noted = ({ heldChanges }: ApplyPorts, { id, seal }: HeldChange, state: HeldChange['state']) =>
  rewrite(heldChanges, id, (known) => (known?.seal === seal && isOpen(known) ? { ...known, state } : null))

/**
 * Has a change count whose time has come: stores that it is applied, so that nobody withdraws it any more, and then the
 * next version of the intent. It may run twice and in two processes: the intent has the version that the change
 * replaces once, and whoever takes over from one that died notes the end. A change that has become another one, or that
 * this service did not make, has no effect.
 *
 * @returns whether the intent is what was asked for.
 */
export async function applyHeld(ports: ApplyPorts, change: HeldChange): Promise<boolean> {
  const { intents, auditLog, seals, now } = ports
  const isGood = isDue(seals, change, now())
  const begun = await noted(ports, change, isGood ? 'APPLYING' : 'VOID')
  if (!isGood || begun?.seal !== change.seal || begun.state !== 'APPLYING') return false
  const intent = await intents.load(change.id)
  const next = intent && changedBy(seals, change, intent)
  // Intents that were stored since the change was asked for may lead back here.
  if (next && !(await leadsBack(intents, next, next))) {
    const { organizationId, askedBy: actor, target, id, askedAt } = change
    const details = { ...changesOf<HeldTarget>(intent, target), askedAt: new Date(askedAt).toISOString() }
    // The same id from every process and attempt: the log keeps one of them.
    const entry = { id: `aud_held_${id}_${intent.version}_${askedAt}`, at: now(), actor, organizationId, target: id }
    await audit(auditLog, { ...entry, verb: 'intent.edit', details, reason: null, requestId: null })
    await intents.save({ ...next, updatedAt: now() })
  }
  const stored = await intents.load(change.id)
  const isDone = stored !== null && stored.version > change.of && isFor(change, stored)
  await noted(ports, change, isDone ? 'DONE' : 'VOID')
  return isDone
}
