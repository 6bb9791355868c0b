import { startFerretDb } from './ferretdb.ts'
import { startMongod } from './mongod.ts'
import { fetchedMongod } from './mongod-fetched.ts'
import { externalServer, type Server, type ServerOptions } from './server.ts'

const ways =
  'No MongoDB: set MONGODB_URL, put mongod on the PATH, go online so that mongod can be downloaded, ' +
  'or use Debian or a kin with apt and Go, where FerretDB is built'

/** A MongoDB-protocol server on 127.0.0.1: the given one, a mongod, or FerretDB; on what `dataDir` already holds. */
export async function startMongo(options: ServerOptions): Promise<Server> {
  if (process.env.MONGODB_URL) return externalServer(process.env.MONGODB_URL)
  const { report = () => {} } = options
  const mongod = Bun.which('mongod') ?? (await fetchedMongod(report))
  if (mongod) return startMongod(mongod, options)
  return startFerretDb(options).catch((cause: Error) => {
    if (/is taken|is in use/.test(cause.message)) throw cause
    throw new Error(`${ways} (${cause.message})`, { cause })
  })
}
