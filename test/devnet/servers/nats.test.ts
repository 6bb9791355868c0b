import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { connect, type NatsConnection } from 'nats'
import { freePort } from '../../../src/devnet/servers/free-port.ts'
import { startNats } from '../../../src/devnet/servers/nats.ts'
import type { Server } from '../../../src/devnet/servers/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('startNats', () => {
  const given = process.env.NATS_URL
  beforeAll(() => {
    delete process.env.NATS_URL
  })
  afterAll(() => {
    if (given) process.env.NATS_URL = given
  })

  const running: Server[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()))
  })
  const start = async (dataDir: string, port?: number) => {
    const server = await startNats({ dataDir, ...(port && { port }) })
    running.push(server)
    return server
  }

  test('a published message survives kill -9 of the server, which restarts on the same port', async () => {
    const [dataDir, port] = [temporaryFolder('nats'), await freePort()]
    const first = await start(dataDir, port)
    await withNats(first.url, async (nats) => {
      await (await nats.jetstreamManager()).streams.add({ name: 'KEPT', subjects: ['kept.>'] })
      await nats.jetstream().publish('kept.one', 'still here')
    })
    process.kill(first.pid!, 'SIGKILL')
    await first.exited
    const second = await start(dataDir, port)
    expect(second.url).toBe(first.url)
    await withNats(second.url, async (nats) => {
      const kept = await (await nats.jetstreamManager()).streams.getMessage('KEPT', { seq: 1 })
      expect(kept.string()).toBe('still here')
    })
  })

  test('the server is 2.12 or later and syncs every message', async () => {
    const server = await start(temporaryFolder('nats'))
    await withNats(server.url, async (nats) => {
      const [major = 0, minor = 0] = nats.info!.version.split('.').map(Number)
      expect(major > 2 || (major === 2 && minor >= 12)).toBe(true)
      expect(nats.info!.jetstream).toBe(true)
    })
  })

  test('an error names a port that is taken, and leaves no process running', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port))
    })
    await expect(start(temporaryFolder('nats'), port)).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is needed for NATS but is taken`,
    )
    taken.close()
  })

  test('the server in NATS_URL is used and never stopped', async () => {
    const own = await start(temporaryFolder('nats'))
    process.env.NATS_URL = own.url
    try {
      const given = await startNats({ dataDir: temporaryFolder('nats') })
      await given.stop()
      expect(given).toMatchObject({ kind: 'given', url: own.url, pid: null })
      await withNats(own.url, async (nats) => nats.flush())
    } finally {
      delete process.env.NATS_URL
    }
  })
})

async function withNats(servers: string, use: (nats: NatsConnection) => Promise<void>): Promise<void> {
  const nats = await connect({ servers })
  try {
    await use(nats)
  } finally {
    await nats.close()
  }
}
