import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Document, MongoClient, MongoServerError } from 'mongodb'
import { claimPort } from './free-port.ts'
import { answersPing } from './mongo-ping.ts'
import type { Server, ServerOptions } from './server.ts'
import { spawnChild } from './spawn-child.ts'
import { startMsMax, untilReady } from './until-ready.ts'

const set = 'switchyard'

/** Starts a mongod as a replica set with one member. */
export async function startMongod(program: string, { dataDir, port: wanted }: ServerOptions): Promise<Server> {
  const folder = resolve(dataDir)
  await mkdir(join(folder, 'mongod'), { recursive: true })
  const port = await claimPort(wanted, 'MongoDB')
  const child = spawnChild(
    [
      program,
      '--dbpath',
      join(folder, 'mongod'),
      '--bind_ip',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--replSet',
      set,
      '--nounixsocket',
      '--quiet',
    ],
    { log: join(folder, 'mongod.log') },
  )
  const direct = `mongodb://127.0.0.1:${port}/?directConnection=true`
  await untilReady('mongod', child, () => answersPing(direct))
  try {
    await becomePrimary(direct, `127.0.0.1:${port}`)
  } catch (error) {
    await child.stop('SIGKILL')
    throw error
  }
  return {
    kind: 'mongod',
    url: `mongodb://127.0.0.1:${port}/?replicaSet=${set}`,
    pid: child.pid,
    exited: child.exited,
    stop: () => child.stop('SIGTERM', 10_000),
  }
}

/** Creates the replica set, or gives an existing one its new port, and waits until it accepts writes. */
async function becomePrimary(url: string, host: string): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 })
  const admin = client.db('admin')
  try {
    const config = await admin
      .command({ replSetGetConfig: 1 })
      .then((answer): Document => answer.config, whereUninitialized)
    if (config === null) {
      await admin.command({ replSetInitiate: { _id: set, members: [{ _id: 0, host }] } })
    } else if (config.members[0].host !== host) {
      const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], host }] }
      await admin.command({ replSetReconfig: moved, force: true })
    }
    const until = performance.now() + startMsMax
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
      if (performance.now() > until)
        throw new Error(`mongod did not become the primary of its replica set in ${startMsMax / 1000} s.`)
      await Bun.sleep(50)
    }
  } finally {
    await client.close()
  }
}

function whereUninitialized(error: unknown): null {
  if (error instanceof MongoServerError && error.codeName === 'NotYetInitialized') return null
  throw error
}
