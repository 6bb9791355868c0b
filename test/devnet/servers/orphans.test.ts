import { expect, test } from 'bun:test'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testAll } from '../../support/test-all.ts'
import { describeWith } from '../../support/tools'
import { until } from '../../support/until'
import { processesOf } from './processes-of.ts'

/** Starts servers from another process, which is then killed. */
async function killParentOf(script: string, folder: string): Promise<number[]> {
  const parent = Bun.spawn([process.execPath, '-e', script], {
    cwd: import.meta.dir,
    env: { ...process.env, FOLDER: folder },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await parent.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toContain('ready')
  const before = processesOf(folder)
  parent.kill('SIGKILL')
  await parent.exited
  return before
}

const untilGone = (folder: string) =>
  until('no process is left', (note) => {
    const left = processesOf(folder)
    note(left)
    return left.length === 0
  })

describeWith('Linux', process.platform === 'linux', 'kill -9 of the starter', () => {
  test('leaves no server running', async () => {
    const folder = temporaryFolder('orphans')
    const before = await killParentOf(
      `import { startNats } from '../../../src/devnet/servers/nats.ts'
       import { startMongo } from '../../../src/devnet/servers/mongo.ts'
       const dataDir = process.env.FOLDER
       await Promise.all([startNats({ dataDir: dataDir + '/nats' }), startMongo({ dataDir: dataDir + '/mongo' })])
       console.log('ready')`,
      folder,
    )
    expect(before.length).toBeGreaterThan(1)
    await untilGone(folder)
  })

  testAll(['kernel', 'watchdog'])('leaves no child running, whatever its guard', async (guard) => {
    const folder = temporaryFolder(guard)
    const before = await killParentOf(
      `import { spawnChild } from '../../../src/devnet/servers/spawn-child.ts'
       const command = ['sh', '-c', 'echo ready; exec sleep 1000']
       spawnChild(command, { cwd: process.env.FOLDER, guard: '${guard}', onLine: console.log })
       await new Promise(() => {})`,
      folder,
    )
    expect(before).toHaveLength(1)
    await untilGone(folder)
  })
})
