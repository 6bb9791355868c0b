import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from './cache-folder.ts'
import { isReachable } from './is-reachable.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report } from './server.ts'

const version = '8.2.6'

/** A real mongod, downloaded once by mongodb-memory-server. Null, within seconds, where there is no way out. */
export async function fetchedMongod(report: Report): Promise<string | null> {
  const folder = join(await cacheFolder(), 'mongod')
  const kept = (await readdir(folder).catch(() => [])).some((name) => name.endsWith(version))
  if (!kept && !(await isReachable(process.env.MONGOMS_DOWNLOAD_MIRROR ?? 'https://fastdl.mongodb.org'))) return null
  const { MongoBinary } = await import('mongodb-memory-server-core')
  const find = () => MongoBinary.getPath({ downloadDir: folder, version, checkMD5: true })
  try {
    const download = () => runStep(report, `downloading mongod ${version} (once)`, find)
    const program = await withLock('mongod', kept ? find : download)
    await runProgram([program, '--version'], { timeoutMs: 5000 })
    return program
  } catch (error) {
    report(`the download of mongod is of no use here: ${(error as Error).message}`)
    return null
  }
}
