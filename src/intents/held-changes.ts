import { rewrite } from '../domain/concurrency'
import type { DepositIntent } from '../domain/deposit/deposit-intent'
import { changedBy, type HeldChange, type HeldTarget, isDue, isFor, isOpen } from '../domain/deposit/held-change'
import { type Repeated, repeat } from '../domain/repeat'
import type { Seals } from '../domain/seals'
import { audit, changesOf } from '../domain/tenant/audit'
import type { Accounts, AuditLog, DepositIntents, HeldChanges } from '../ports/tenants'
import { type Alone, leadsBack } from './leads-back'

type ApplyPorts = {
  heldChanges: HeldChanges
  intents: DepositIntents
  accounts: Pick<Accounts, 'load'>
  alone: Alone
  auditLog: AuditLog
  seals: Seals
  now: () => number
}

/** Stores the state of a change, unless another change has replaced it. */
const noted = ({ heldChanges }: ApplyPorts, { id, seal }: HeldChange, state: HeldChange['state']) =>
  rewrite(heldChanges, id, (current) => (current?.seal === seal && isOpen(current) ? { ...current, state } : null))

/**
 * Applies a pending change that is due. It first marks the change APPLYING, which blocks withdrawal, then saves the
 * next version of the intent. Safe to repeat, and to run in two processes: the change replaces one exact version. A
 * process that takes over from a dead one stores the end. A change that was replaced, or that this service did not
 * make, has no effect.
 *
 * @throws {Refusal} `CHANGED_MEANWHILE` while another process stores an intent that pays a deposit address. The change
 * is then applied later.
 * @returns whether the intent now has the requested target.
 */
export async function applyHeldChange(ports: ApplyPorts, change: HeldChange): Promise<boolean> {
  const { intents, accounts, alone, seals, now } = ports
  const isGood = isDue(seals, change, now())
  const begun = await noted(ports, change, isGood ? 'APPLYING' : 'VOID')
  if (!isGood || begun?.seal !== change.seal || begun.state !== 'APPLYING') return false
  const intent = await intents.load(change.id)
  const next = intent && changedBy(seals, change, intent)
  const led = next && (await accounts.load(next.targetAddress))
  const save = async () => next && saveUnlessRound(ports, change, intent, next)
  await (led?.organizationId === change.organizationId ? alone(change, save) : save())
  const stored = await intents.load(change.id)
  const isDone = stored !== null && stored.version > change.of && isFor(change, stored)
  await noted(ports, change, isDone ? 'DONE' : 'VOID')
  return isDone
}

/** Saves the changed intent, unless intents that were stored since the request lead back to it. */
async function saveUnlessRound(
  { intents, auditLog, now }: ApplyPorts,
  change: HeldChange,
  intent: DepositIntent,
  next: DepositIntent,
): Promise<void> {
  if (await leadsBack(intents, next, next)) return
  const { organizationId, askedBy: actor, target, id, askedAt } = change
  const details = { ...changesOf<HeldTarget>(intent, target), askedAt: new Date(askedAt).toISOString() }
  // The id is the same in every process and attempt, so the log keeps one entry.
  const entry = { id: `aud_held_${id}_${intent.version}_${askedAt}`, at: now(), actor, organizationId, target: id }
  await audit(auditLog, { ...entry, verb: 'intent.edit', details, reason: null, requestId: null })
  await intents.save({ ...next, updatedAt: now() })
}

const everyMs = 5_000
const dueMax = 200

/** Applies held changes of recipients within seconds of their time. Any process may run it. */
export function heldChangesTask(
  ports: ApplyPorts & { onTrouble: (error: unknown) => void },
): Repeated & { round: () => Promise<void> } {
  const { heldChanges, now, onTrouble } = ports

  /** A change that fails does not delay the others, and is retried. */
  async function round(): Promise<void> {
    for (const change of await heldChanges.due(now(), dueMax)) await applyHeldChange(ports, change).catch(onTrouble)
  }

  return { round, ...repeat({ everyMs, first: 'LATER', work: round, onTrouble }) }
}
