import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from './cache-folder.ts'
import { goProgram } from './go-program.ts'
import { isReachable } from './is-reachable.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report } from './server.ts'

const version = '2.14.5'
const oldestVersion = [2, 12] as const

/** The SHA-256 of the release archives, as the official image pins them (nats-io/nats-docker, 2.14.x). */
const releases: Record<string, string | undefined> = {
  'linux-x64': '5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355',
  'linux-arm64': '673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c',
}

export interface Program {
  readonly kind: string
  readonly path: string
}

/** A nats-server of version 2.12 or later: from the PATH, from the cache, from a release, or built with Go. */
export async function natsProgram(report: Report): Promise<Program> {
  const path = Bun.which('nats-server')
  const installed = path && (await installedNats(path, report))
  if (installed) return installed
  const kind = `nats-server ${version}`
  const built = (await release(report)) ?? (await goProgram(source, report).catch((error: Error) => error))
  if (typeof built === 'string') return { kind, path: built }
  throw new Error(
    `There is no NATS server: set NATS_URL, put nats-server 2.12 or later on the PATH, go online to github.com, or install Go${
      built ? ` (building it failed: ${built.message})` : ''
    }.`,
  )
}

const source = { path: 'github.com/nats-io/nats-server/v2', version, name: 'nats-server' }

/** @returns null, and reports why, if the program does not state a version of 2.12 or later. */
export async function installedNats(
  path: string,
  report: Report,
  options: { timeoutMs?: number } = {},
): Promise<Program | null> {
  const { output, why } = await runProgram([path, '--version'], options).then(
    (output) => ({ output, why: `it states no version: ${output}` }),
    (error: Error) => ({ output: '', why: error.message }),
  )
  const [version, major, minor] = /v(\d+)\.(\d+)\.\d+/.exec(output) ?? []
  if (Number(major) > oldestVersion[0] || (Number(major) === oldestVersion[0] && Number(minor) >= oldestVersion[1]))
    return { kind: output.replace(': v', ' '), path }
  report(`${path} is not used: ${version ? `${version} is older than NATS ${oldestVersion.join('.')}` : why}`)
  return null
}

async function release(report: Report): Promise<string | null> {
  const folder = await cacheFolder()
  const cachedPath = join(folder, `nats-server-${version}`)
  if (existsSync(cachedPath)) return cachedPath
  const sha256 = releases[`${process.platform}-${process.arch}`]
  if (!sha256) return null
  return withLock(`nats-server-${version}-release`, async () => {
    const name = `nats-server-v${version}-linux-${process.arch === 'x64' ? 'amd64' : 'arm64'}`
    const url = `https://github.com/nats-io/nats-server/releases/download/v${version}/${name}.tar.gz`
    if (!(await isReachable(url))) return null
    const work = await mkdtemp(join(folder, 'nats-'))
    try {
      return await runStep(report, `fetching ${name}`, async () => {
        const archive = new Uint8Array(await (await fetch(url, { signal: AbortSignal.timeout(60_000) })).arrayBuffer())
        if (createHash('sha256').update(archive).digest('hex') !== sha256)
          throw new Error('the archive does not have the pinned checksum')
        await writeFile(join(work, 'archive.tar.gz'), archive)
        await runProgram(['tar', '-xzf', join(work, 'archive.tar.gz'), '-C', work, '--strip-components=1'])
        await chmod(join(work, 'nats-server'), 0o755)
        await rename(join(work, 'nats-server'), cachedPath)
        return cachedPath
      })
    } catch (error) {
      report(`the release of nats-server cannot be used here: ${(error as Error).message}`)
      return null
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })
}
