/** Does work every so often, one round at a time: while one is under way, none begins. */
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
    /** Begins no more. @returns what ends with the round under way. */
    async stop(): Promise<void> {
      clearInterval(beat)
      await running
    },
  }
}
