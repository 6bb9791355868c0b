import { type ApplyPorts, applyHeld } from '../http/routes/apply-held'

const beatMs = 5_000
const dueMax = 200

/** Has changes of recipients that were held back count, each within seconds of its time. Any process may do it. */
export function heldChangesApplied(ports: ApplyPorts & { onTrouble: (error: unknown) => void }) {
  const { heldChanges, now, onTrouble } = ports
  let beat: ReturnType<typeof setInterval> | undefined
  let running: Promise<void> | null = null

  /** One that fails holds up no other, and is tried again. */
  async function round(): Promise<void> {
    for (const change of await heldChanges.due(now(), dueMax)) await applyHeld(ports, change).catch(onTrouble)
  }

  return {
    round,
    start(): void {
      beat = setInterval(() => {
        running ??= round()
          .catch(onTrouble)
          .finally(() => {
            running = null
          })
      }, beatMs)
    },
    async stop(): Promise<void> {
      clearInterval(beat)
      await running
    },
  }
}
