import { expect } from 'bun:test'
import { nightly } from '../support/depth'

/** The network of a process is fixed at its start, so a separate process runs the page. */
nightly('the page leads from five empty chains with the test networks’ ids to a deposit on each', async () => {
  const steps = '^\\d+( to \\d+)?:'
  const child = Bun.spawn([process.execPath, 'test', './test/e2e/live.test.ts', '--test-name-pattern', steps], {
    env: { ...process.env, NETWORK: 'testnet' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const texts = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  const said = texts.join('')
  expect(await child.exited, said).toBe(0)
  expect(/(\d+) pass/.exec(said)?.[1], said).toBe('5')
})
