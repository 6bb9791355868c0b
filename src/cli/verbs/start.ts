/** Runs the production program, which reads the environment and ends the process itself. */
export async function start(): Promise<void> {
  const { run } = await import('../../main')
  await run()
}
