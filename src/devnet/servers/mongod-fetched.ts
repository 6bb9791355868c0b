import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from './cache-folder.ts'
import { isReachable } from './is-reachable.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report } from './server.ts'

const version = '8.2.6'

/** The path of a mongod that mongodb-memory-server downloads once. Without a connection, null within seconds. */
export async function fetchedMongod(report: Report): Promise<string | null> {
  const folder = join(await cacheFolder(), 'mongod')
  const isDownloaded = (await readdir(folder).catch(() => [])).some((name) => name.endsWith(version))
  if (!isDownloaded && !(await isReachable(process.env.MONGOMS_DOWNLOAD_MIRROR ?? 'https://fastdl.mongodb.org')))
    return null
  const { MongoBinary } = await import('mongodb-memory-server-core')
  const find = () => MongoBinary.getPath({ downloadDir: folder, version, checkMD5: true })
  try {
    const download = () => runStep(report, `downloading mongod ${version} (once)`, find)
    const program = await withLock('mongod', isDownloaded ? find : download)
    await runProgram([program, '--version'], { timeoutMs: 60_000 })
    return program
  } catch (error) {
    report(`the downloaded mongod cannot be used here: ${(error as Error).message}`)
    return null
  }
}
