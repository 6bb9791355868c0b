import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from './cache-folder'
import { startFerretDb } from './ferretdb'
import { isReachable } from './is-reachable'
import { startMongod } from './mongod'
import { runProgram, runStep } from './run-program'
import { externalServer, type Report, type Server, type ServerOptions } from './server'

const noServer =
  'There is no MongoDB. Set MONGODB_URL, put mongod on the PATH, go online to download mongod, ' +
  'or install Go on Debian or a similar distribution to build FerretDB'

/** Starts a mongod or FerretDB on the data in `dataDir`, unless MONGODB_URL names a running server. */
export async function startMongo(options: ServerOptions): Promise<Server> {
  if (process.env.MONGODB_URL) return externalServer(process.env.MONGODB_URL)
  const { report = () => {} } = options
  const mongod = await mongodProgram(report)
  if (mongod) return startMongod(mongod, options)
  return startFerretDb(options).catch((cause: Error) => {
    if (/is taken|is in use/.test(cause.message)) throw cause
    throw new Error(`${noServer} (${cause.message})`, { cause })
  })
}

/** The path of the mongod that a start uses. Null if FerretDB replaces it. */
export const mongodProgram = async (report: Report): Promise<string | null> =>
  Bun.which('mongod') ?? (await fetchedMongod(report))

const version = '8.2.6'

/** The path of a mongod that mongodb-memory-server downloads once. Without a connection, null within seconds. */
async function fetchedMongod(report: Report): Promise<string | null> {
  const folder = join(await cacheFolder(), 'mongod')
  const isDownloaded = (await readdir(folder).catch(() => [])).some((name) => name.endsWith(version))
  if (!isDownloaded && !(await isReachable(process.env.MONGOMS_DOWNLOAD_MIRROR ?? 'https://fastdl.mongodb.org')))
    return null
  const { MongoBinary } = await import('mongodb-memory-server-core')
  const find = () => MongoBinary.getPath({ downloadDir: folder, version, checkMD5: true })
  try {
    const download = () => runStep(report, `downloading mongod ${version} (once)`, find)
    const program = await withLock('mongod', isDownloaded ? find : download)
    await runProgram([program, '--version'])
    return program
  } catch (error) {
    report(`the downloaded mongod cannot be used here: ${(error as Error).message}`)
    return null
  }
}
