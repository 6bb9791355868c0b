import { startFerretDb } from './ferretdb.ts'
import { startMongod } from './mongod.ts'
import { fetchedMongod } from './mongod-fetched.ts'
import { externalServer, type Server, type ServerOptions } from './server.ts'

const noServer =
  'There is no MongoDB. Set MONGODB_URL, put mongod on the PATH, go online to download mongod, ' +
  'or install Go on Debian or a similar distribution to build FerretDB'

/** Starts a mongod or FerretDB on the data in `dataDir`, unless MONGODB_URL names a running server. */
export async function startMongo(options: ServerOptions): Promise<Server> {
  if (process.env.MONGODB_URL) return externalServer(process.env.MONGODB_URL)
  const { report = () => {} } = options
  const mongod = Bun.which('mongod') ?? (await fetchedMongod(report))
  if (mongod) return startMongod(mongod, options)
  return startFerretDb(options).catch((cause: Error) => {
    if (/is taken|is in use/.test(cause.message)) throw cause
    throw new Error(`${noServer} (${cause.message})`, { cause })
  })
}
