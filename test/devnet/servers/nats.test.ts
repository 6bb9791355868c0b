import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { connect, type NatsConnection } from 'nats'
import { freePort } from '../../../src/devnet/servers/free-port.ts'
import { startNats } from '../../../src/devnet/servers/nats.ts'
import { installedNats } from '../../../src/devnet/servers/nats-program.ts'
import type { Server } from '../../../src/devnet/servers/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { testAll } from '../../support/test-all.ts'

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

testAll([
  ['echo nats-server: v2.9.25', {}, 'v2.9.25 is older than NATS 2.12'],
  ['echo nats-server: v1.99.0', {}, 'v1.99.0 is older than NATS 2.12'],
  ['echo no such option', {}, 'it states no version: no such option'],
  ['echo broken >&2; exit 1', {}, /--version failed: .*broken/],
  ['exec sleep 600', { timeoutMs: 100 }, /nats-server took longer than 0 s\.$/],
])('a nats-server that is not used is reported with its own reason', async (script, options, why) => {
  const path = join(temporaryFolder('nats-on-path'), 'nats-server')
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  const reports: string[] = []
  expect(await installedNats(path, (line) => reports.push(line), options)).toBeNull()
  expect(reports).toEqual([expect.stringMatching(why)])
})

test('a nats-server of 2.12 or later is used', async () => {
  for (const version of ['v2.12.0', 'v2.14.5', 'v3.0.1']) {
    const path = join(temporaryFolder('nats-on-path'), 'nats-server')
    writeFileSync(path, `#!/bin/sh\necho nats-server: ${version}\n`)
    chmodSync(path, 0o755)
    const used = { kind: `nats-server ${version.slice(1)}`, path }
    expect(await installedNats(path, () => {})).toEqual(used)
  }
})

async function withNats(servers: string, use: (nats: NatsConnection) => Promise<void>): Promise<void> {
  const nats = await connect({ servers })
  try {
    await use(nats)
  } finally {
    await nats.close()
  }
}
