import { join } from 'node:path'
import { mongodProgram, startMongo } from '../../src/devnet/servers/mongo.ts'
import { startNats } from '../../src/devnet/servers/nats.ts'
import type { Server, ServerOptions } from '../../src/devnet/servers/server.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Whether a NATS or a database that a test starts is its own. Otherwise the variable names a foreign one. */
export const hasOwnNats = !process.env.NATS_URL
export const hasOwnMongo = !process.env.MONGODB_URL

/** Whether a database that a test starts is a FerretDB, in front of its own PostgreSQL. */
export const hasFerretDb = async (): Promise<boolean> =>
  hasOwnMongo && (await mongodProgram((line) => console.error(line))) === null

let folder: string | null = null
let nats: Promise<Server> | null = null
let mongo: Promise<Server> | null = null

/** Returns the test run's NATS, or starts one for this process. It is shared, so stream names must be unique. */
export async function natsUrl(): Promise<string> {
  if (process.env.TEST_NATS_URL) return process.env.TEST_NATS_URL
  nats ??= shared(startNats, 'nats')
  return (await nats).url
}

/** Returns a new database name on the test run's MongoDB, or on one that this process starts. */
export async function mongoUrl(): Promise<string> {
  const url = process.env.TEST_MONGODB_URL ?? (await sharedMongo()).url
  const [, hosts, query = ''] = /^([a-z+]+:\/\/[^/?]+)[^?]*(?:\?(.*))?$/.exec(url) ?? []
  const options = new URLSearchParams(query)
  if (hosts?.includes('@') && !options.has('authSource')) options.set('authSource', 'admin')
  return `${hosts}/test_${crypto.randomUUID().replaceAll('-', '')}?${options}`
}

function sharedMongo(): Promise<Server> {
  mongo ??= shared(startMongo, 'mongo')
  return mongo
}

function shared(start: (options: ServerOptions) => Promise<Server>, name: string): Promise<Server> {
  folder ??= temporaryFolder('test')
  return start({ dataDir: join(folder, name), report: (line) => console.error(line), isDisposable: true })
}
