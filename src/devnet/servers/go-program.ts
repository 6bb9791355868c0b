import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { cacheFolder, withLock } from './cache-folder.ts'
import { goToolchain } from './go-toolchain.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report } from './server.ts'

interface GoProgram {
  /** The package that holds its main function. */
  readonly path: string
  readonly version: string
  readonly name: string
}

export async function mayBuild({ version, name }: GoProgram): Promise<boolean> {
  return Bun.which('go') !== null || existsSync(join(await cacheFolder(), `${name}-${version}`))
}

/** Builds a Go program once, or returns null without Go. The source is verified by the Go checksum database. */
export async function goProgram({ path, version, name }: GoProgram, report: Report): Promise<string | null> {
  const folder = await cacheFolder()
  const built = join(folder, `${name}-${version}`)
  if (existsSync(built)) return built
  if (!Bun.which('go')) return null
  // Programs are built one at a time, so the second reuses the compiled standard library.
  return withLock('go', async () => {
    if (existsSync(built)) return built
    const go = (await goToolchain(report))!
    const bin = await mkdtemp(join(folder, 'go-'))
    try {
      await runStep(report, `building ${name} ${version} with Go (once, about half a minute)`, () =>
        runProgram([go, 'install', '-trimpath', '-ldflags=-s -w', `${path}@v${version}`], {
          env: { ...process.env, GOBIN: bin, CGO_ENABLED: '0', GOTOOLCHAIN: process.env.GOTOOLCHAIN ?? 'auto' },
        }),
      )
      await rename(join(bin, basename(path.replace(/\/v\d+$/, ''))), built)
      return built
    } finally {
      await rm(bin, { recursive: true, force: true })
    }
  })
}
