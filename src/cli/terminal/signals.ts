const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves at the first signal to end the process. Later signals change nothing: a terminal and npm both send one. */
export function interruptSignal(): Promise<(typeof signals)[number]> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve(signal))
  })
}

/** Runs `work` and resolves to its result, or to null when a signal arrives. `end` is awaited in every case. */
export async function untilInterrupted<Result>(
  work: (interrupted: Promise<unknown>) => Promise<Result>,
  end: () => Promise<unknown>,
): Promise<Result | null> {
  const interrupted = interruptSignal()
  // The reader of our output may be gone already, but running work must still be stopped.
  process.stdout.on('error', () => {})
  const crashed = new Promise<never>((_, reject) => {
    process.once('uncaughtException', reject)
    process.once('unhandledRejection', reject)
  })
  try {
    return await Promise.race([work(interrupted), interrupted.then(() => null), crashed])
  } finally {
    await end()
  }
}
