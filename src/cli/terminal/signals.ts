const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves when somebody asks us to end; asking again, as a terminal and npm both do, changes nothing. */
export function interruptSignal(): Promise<(typeof signals)[number]> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve(signal))
  })
}

/** Runs `work`, or ends with `null` as soon as it is interrupted; whatever happens, `end` is awaited. */
export async function untilInterrupted<Result>(
  work: (interrupted: Promise<unknown>) => Promise<Result>,
  end: () => Promise<unknown>,
): Promise<Result | null> {
  const interrupted = interruptSignal()
  process.stdout.on('error', () => {}) // whoever read it has gone; what is running still has to be ended
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
