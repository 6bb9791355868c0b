import { type Repeated, repeat } from '../domain/repeat'
import { type ApplyPorts, applyHeld } from '../http/routes/apply-held'

const everyMs = 5_000
const dueMax = 200

/** Applies held changes of recipients within seconds of their time. Any process may run it. */
export function heldChangesApplied(
  ports: ApplyPorts & { onTrouble: (error: unknown) => void },
): Repeated & { round: () => Promise<void> } {
  const { heldChanges, now, onTrouble } = ports

  /** A change that fails does not delay the others, and is retried. */
  async function round(): Promise<void> {
    for (const change of await heldChanges.due(now(), dueMax)) await applyHeld(ports, change).catch(onTrouble)
  }

  return { round, ...repeat({ everyMs, first: 'LATER', work: round, onTrouble }) }
}
