import { rewrite } from '../../domain/concurrency'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { type HeldChange, type HeldTarget, isAbout, isDue, isFor, sealedChange } from '../../domain/deposit/held-change'
import type { Seals } from '../../domain/seals'
import { changesOf } from '../../domain/tenant/audit'
import { effectiveAt, holdAt } from '../../domain/tenant/recipient-hold'
import { applyHeldChange } from '../../intents/held-changes'
import type { Alone } from '../../intents/leads-back'
import type { Accounts, DepositIntents, HeldChanges, Organizations } from '../../ports/tenants'
import { noteVerb } from '../operator/note-verb'
import type { OperatorPorts } from '../operator/ports'
import type { authorOf } from '../operator/request-context'
import type { Caller } from '../request/caller'
import { Refusal } from '../request/failure'
import { isoTime } from '../views/scalar'
import type { Target } from './next-intent'

export type HoldPorts = {
  heldChanges: HeldChanges
  intents: DepositIntents
  accounts: Pick<Accounts, 'load'>
  alone: Alone
  organizations: Pick<Organizations, 'load'>
  operator: Pick<OperatorPorts, 'auditLog' | 'newId'>
  seals: Seals
  now: () => number
}

/** Returns the whole requested target: fields that the request leaves out stay the same. */
const wholeOf = ({ refundAddress: stored }: DepositIntent, target: Target): HeldTarget => {
  const { targetChainId, targetTokenAddress, targetAddress, refundAddress = stored } = target
  return { targetChainId, targetTokenAddress, targetAddress, refundAddress }
}

const sentence = ({ from }: HeldChange): string =>
  from === null
    ? 'The new destination of deposits waits for the approval of a second member'
    : `The new destination of deposits takes effect at ${isoTime(from)}`

/**
 * Holds a change of an existing intent back, if the organization requires it. Until the change is in force, deposits
 * follow the current intent. Repeating the request keeps its waiting time. A different request replaces it and restarts
 * the wait.
 *
 * @returns whether a due change was applied here, after which the intent must be read again.
 * @throws {Refusal} `CHANGE_HELD` while the change is not in force.
 */
export async function isHeldBack(
  { heldChanges, organizations, intents, accounts, alone, operator, seals, now }: HoldPorts,
  caller: Caller,
  by: ReturnType<typeof authorOf>,
  intent: DepositIntent,
  requested: Target,
): Promise<boolean> {
  const target = wholeOf(intent, requested)
  const isAlreadyPending = (pending: HeldChange) =>
    isAbout(seals, pending, intent) && (pending.state === 'APPLYING' || isFor(pending, target))
  // A process's cached organization might be older than the safeguard.
  const organization = await organizations.load(caller.organization.id)
  const hold = holdAt(organization?.recipientHold, now())
  if (!hold) return false
  const pending = await heldChanges.load(intent.id)
  if (pending && isAbout(seals, pending, intent) && isDue(seals, pending, now())) {
    await applyHeldChange({ heldChanges, intents, accounts, alone, auditLog: operator.auditLog, seals, now }, pending)
    return true
  }
  if (pending && isAlreadyPending(pending)) throw new Refusal('CHANGE_HELD', { message: sentence(pending) })
  const at = now()
  const { id, organizationId, userId, version: of } = intent
  const whose = { id, organizationId, userId, of, askedBy: by.actor, personId: caller.personId }
  const from = effectiveAt(hold, at)
  const details = { ...changesOf<HeldTarget>(intent, target), from: from === null ? null : isoTime(from) }
  await noteVerb(operator, caller, by, { verb: 'intent.hold_change', target: id, at, details })
  const held = await rewrite(heldChanges, id, (other) => {
    // An identical concurrent request was first, and its time stays.
    if (other && isAlreadyPending(other)) return null
    // The id of a change's event is made of its account and its time, so two changes of one account need different
    // times.
    const requestedAt = Math.max(at, (other?.askedAt ?? 0) + 1)
    const request = {
      ...whose,
      target,
      askedAt: requestedAt,
      from: effectiveAt(hold, requestedAt),
      version: other?.version ?? 0,
    }
    return sealedChange(seals, { ...request, state: 'WAITING', seal: null })
  })
  throw new Refusal('CHANGE_HELD', { message: sentence(held!) })
}
