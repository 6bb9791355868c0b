import { type ApplyPorts, applyHeld } from '../http/routes/apply-held'
import { beats } from './process/beats'

const beatMs = 5_000
const dueMax = 200

/** Has changes of recipients that were held back count, each within seconds of its time. Any process may do it. */
export function heldChangesApplied(ports: ApplyPorts & { onTrouble: (error: unknown) => void }) {
  const { heldChanges, now, onTrouble } = ports

  /** One that fails holds up no other, and is tried again. */
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
