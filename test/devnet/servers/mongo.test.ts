import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { type Collection, MongoClient } from 'mongodb'
import { freePort } from '../../../src/devnet/servers/free-port.ts'
import { startMongo } from '../../../src/devnet/servers/mongo.ts'
import type { Server } from '../../../src/devnet/servers/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { processesOf } from './processes-of.ts'

interface Kept {
  _id: string
  version: number
}

describe('startMongo', () => {
  const given = process.env.MONGODB_URL
  beforeAll(() => {
    delete process.env.MONGODB_URL
  })
  afterAll(() => {
    if (given) process.env.MONGODB_URL = given
  })

  const running: Server[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()))
  })
  const start = async (dataDir: string, port?: number) => {
    const server = await startMongo({ dataDir, ...(port && { port }) })
    running.push(server)
    return server
  }

  test('an acknowledged write survives kill -9 of the server, which restarts on the same port', async () => {
    const [dataDir, port] = [temporaryFolder('mongo'), await freePort()]
    const first = await start(dataDir, port)
    await withCollection(first.url, async (kept) => {
      await kept.insertOne({ _id: 'one', version: 1 })
    })
    process.kill(first.pid!, 'SIGKILL')
    await first.exited
    const second = await start(dataDir, port)
    expect(second.url).toBe(first.url)
    await withCollection(second.url, async (kept) => {
      expect(await kept.findOne({ _id: 'one' })).toEqual({ _id: 'one', version: 1 })
    })
  })

  test('an acknowledged write survives kill -9 of every process at once', async () => {
    const dataDir = temporaryFolder('mongo')
    const first = await start(dataDir)
    const writes = withCollection(first.url, async (kept) => {
      const acknowledged: string[] = []
      for (let i = 0; i < 200; i++) {
        await kept.insertOne({ _id: `${i}`, version: 1 })
        acknowledged.push(`${i}`)
        if (i === 100) for (const pid of processesOf(dataDir)) process.kill(pid, 'SIGKILL')
      }
      return acknowledged
    }).catch((error: Error) => error)
    expect(await writes).toBeInstanceOf(Error)
    await first.exited
    await withCollection((await start(dataDir)).url, async (kept) => {
      expect(await kept.countDocuments({ _id: { $in: Array.from({ length: 101 }, (_, i) => `${i}`) } })).toBe(101)
    })
  })

  test('exactly one of sixteen concurrent compare-and-set writes wins', async () => {
    const server = await start(temporaryFolder('mongo'))
    await withCollection(server.url, async (kept) => {
      await kept.insertOne({ _id: 'one', version: 1 })
      const swap = () => kept.updateOne({ _id: 'one', version: 1 }, { $inc: { version: 1 } })
      const results = await Promise.all(Array.from({ length: 16 }, swap))
      expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(1)
      await expect(kept.insertOne({ _id: 'one', version: 9 })).rejects.toMatchObject({ code: 11000 })
    })
  })

  test('stopping the server leaves no process behind', async () => {
    const dataDir = temporaryFolder('mongo')
    const server = await start(dataDir)
    expect(processesOf(dataDir).length).toBeGreaterThan(0)
    await server.stop()
    expect(processesOf(dataDir)).toEqual([])
  })

  test('an error names a port that is taken, and leaves no process running', async () => {
    const taken = createServer()
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port))
    })
    const dataDir = temporaryFolder('mongo')
    await expect(start(dataDir, port)).rejects.toThrow(`Port ${port} of 127.0.0.1 is needed for MongoDB but is taken`)
    expect(processesOf(dataDir)).toEqual([])
    taken.close()
  })
})

async function withCollection<T>(url: string, use: (kept: Collection<Kept>) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { retryWrites: false, serverSelectionTimeoutMS: 300_000 })
  try {
    return await use(client.db('kept').collection<Kept>('kept', { writeConcern: { w: 'majority', journal: true } }))
  } finally {
    await client.close()
  }
}
