import { describe, expect, test } from 'bun:test'
import { freePort } from '../../../src/devnet/servers/free-port.ts'
import { startNats } from '../../../src/devnet/servers/nats.ts'
import type { Server } from '../../../src/devnet/servers/server.ts'
import { type Change, supervise } from '../../../src/devnet/servers/supervise.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('supervise', () => {
  test('a killed server is restarted on its port, and its new process is reported', async () => {
    const [dataDir, port, changes] = [temporaryFolder('supervise'), await freePort(), [] as Change[]]
    const restarted = Promise.withResolvers<Change>()
    const supervised = await supervise(
      'nats',
      () => startNats({ dataDir, port }),
      (change) => {
        changes.push(change)
        if (change.kind === 'restarted') restarted.resolve(change)
      },
    )
    const first = supervised.server
    process.kill(first.pid!, 'SIGKILL')
    const { pid } = await restarted.promise
    expect(changes.map(({ kind }) => kind)).toEqual(['started', 'exited', 'restarted'])
    expect(pid).not.toBe(first.pid)
    expect(supervised.server).toMatchObject({ pid, url: first.url })
    await supervised.stop()
  })

  test('a failed start is reported and retried', async () => {
    const changes: Change[] = []
    const restarted = Promise.withResolvers<void>()
    const starts = [() => fakeServer(1), () => Promise.reject(new Error('no room')), () => fakeServer(2)]
    const supervised = await supervise(
      'fake',
      async () => starts.shift()!(),
      (change) => {
        changes.push(change)
        if (change.kind === 'restarted') restarted.resolve()
      },
    )
    await supervised.server.stop()
    await restarted.promise
    expect(changes.map(({ kind, error }) => error ?? kind)).toEqual(['started', 'exited', 'no room', 'restarted'])
    await supervised.stop()
  })

  test('a server that is stopped on purpose stays stopped', async () => {
    let starts = 0
    const supervised = await supervise('fake', async () => fakeServer(++starts))
    await supervised.stop()
    await supervised.server.exited
    expect(starts).toBe(1)
  })
})

function fakeServer(pid: number): Server {
  const { promise, resolve } = Promise.withResolvers<number>()
  return { kind: 'fake', url: 'fake:', pid, exited: promise, stop: async () => resolve(0) }
}
