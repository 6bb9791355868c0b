/** Runs `round` at a fixed interval. Rounds never overlap. */
export function beats(round: () => Promise<void>, everyMs: number, onTrouble: (error: unknown) => void) {
  let beat: ReturnType<typeof setInterval> | undefined
  let running: Promise<void> | null = null
  return {
    start(): void {
      beat = setInterval(() => {
        running ??= round()
          .catch(onTrouble)
          .finally(() => {
            running = null
          })
      }, everyMs)
    },
    /** Starts no further round. @returns a promise that resolves after the current round. */
    async stop(): Promise<void> {
      clearInterval(beat)
      await running
    },
  }
}
