import { wallClock } from '../../adapters/clock'
import { connectMongo } from '../../adapters/mongo/engine/connection'
import { OtherNetwork } from '../../adapters/mongo/engine/network-mark'
import { type MongoStore, mongoStore } from '../../adapters/mongo/mongo-store'
import { network } from '../../domain/chain/chain'
import { Failure } from '../terminal/failure'
import { ownerOf, stateRoot } from './state-folder'

/** Returns the URL of another database on the same server. */
export function withDatabase(url: string, database: string): string {
  const [, hosts, query = ''] = /^([a-z+]+:\/\/[^/?]+)[^?]*(?:\?(.*))?$/.exec(url) ?? []
  if (!hosts) throw new Failure('MONGODB_URL must be a mongodb:// URL.')
  const options = new URLSearchParams(query)
  if (hosts.includes('@') && !options.has('authSource')) options.set('authSource', 'admin')
  return `${hosts}/${database}?${options}`
}

/** Connects to the database for the duration of `work`. */
export async function withStore<Result>(url: string, work: (store: MongoStore) => Promise<Result>): Promise<Result> {
  const connection = await connectMongo(url, { poolMax: 4 })
  try {
    const store = mongoStore(connection, `cli-${process.pid}-${crypto.randomUUID()}`, wallClock)
    await store.claimNetwork(network).catch((error) => {
      throw error instanceof OtherNetwork ? new Failure(error.message) : error
    })
    return await work(store)
  } finally {
    await connection.close()
  }
}

/** Returns the database of MONGODB_URL, or of the demo on this machine. */
export function databaseUrl(env: Record<string, string | undefined> = process.env): string {
  const given = env['MONGODB_URL']
  if (given) return env['MONGODB_DATABASE'] ? withDatabase(given, env['MONGODB_DATABASE']) : given
  const owner = ownerOf(stateRoot())
  if (owner?.mongodbUrl && owner.mongodbDatabase) return withDatabase(owner.mongodbUrl, owner.mongodbDatabase)
  throw new Failure('There is no database: set MONGODB_URL, or start a demo here with "npm run demo".')
}

const demoDatabase = /^switchyard_demo_/

/** Drops databases of earlier demos on the demo's own server. */
export async function dropDemoDatabases(url: string, except: string): Promise<void> {
  const connection = await connectMongo(withDatabase(url, except), { poolMax: 2 })
  try {
    const { databases } = await connection.db!.admin().listDatabases({ nameOnly: true })
    for (const { name } of databases)
      if (demoDatabase.test(name) && name !== except) await connection.getClient().db(name).dropDatabase()
  } finally {
    await connection.close()
  }
}

export async function dropDatabase(url: string): Promise<void> {
  const connection = await connectMongo(url, { poolMax: 1 })
  try {
    await connection.dropDatabase()
  } finally {
    await connection.close()
  }
}
