import type { Child } from './spawn-child.ts'

/** How long a program may take to start. A busy machine starts one slowly; one that ends is noticed at once. */
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
  const why = code === null ? `gave no answer in ${timeoutMs / 1000} s` : `ended at once with code ${code}`
  throw new Error(`${name} ${why}; it wrote: ${child.tail() || 'nothing'}`)
}
