import { type ApplyPorts, applyHeld } from '../http/routes/apply-held'
import { beats } from './process/beats'

const beatMs = 5_000
const dueMax = 200

/** Applies held changes of recipients within seconds of their time. Any process may run it. */
export function heldChangesApplied(ports: ApplyPorts & { onTrouble: (error: unknown) => void }) {
  const { heldChanges, now, onTrouble } = ports

  /** A change that fails does not delay the others, and is retried. */
  async function round(): Promise<void> {
    for (const change of await heldChanges.due(now(), dueMax)) await applyHeld(ports, change).catch(onTrouble)
  }

  const beating = beats(round, beatMs, onTrouble)
  return {
    round,
    start: beating.start,
    stop: beating.stop,
  }
}
