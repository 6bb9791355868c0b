import type { Child } from './spawn-child.ts'

/** Longest time for a program to start. A busy machine starts it slowly; a program that ends is noticed immediately. */
export const startMsMax = 5 * 60_000

/** Waits until a server is ready. @throws with its output if it ends, or is not ready in time and had to be stopped. */
export async function untilReady(
  name: string,
  child: Child,
  isReady: () => Promise<boolean>,
  timeoutMs = startMsMax,
): Promise<void> {
  const until = performance.now() + timeoutMs
  let code: number | null = null
  void child.exited.then((exitCode) => {
    code = exitCode
  })
  while (performance.now() < until && code === null) {
    if (await isReady()) return
    await Bun.sleep(20)
  }
  await child.stop('SIGKILL')
  const why = code === null ? `did not respond within ${timeoutMs / 1000} s` : `ended immediately with code ${code}`
  throw new Error(`${name} ${why}; it wrote: ${child.tail() || 'nothing'}`)
}
