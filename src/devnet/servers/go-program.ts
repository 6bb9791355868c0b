import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { cacheFolder, withLock } from './cache-folder'
import { runProgram, runStep } from './run-program'
import type { Report } from './server'

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

const version = '1.26.8'
/** The first minor version of Go that fetches a newer toolchain automatically. */
const selfUpdatingMinor = 21

/**
 * The machine's Go. If that is too old to fetch a newer toolchain (Debian 12 has 1.19), this function fetches one with
 * it.
 */
export async function goToolchain(report: Report): Promise<string | null> {
  const go = Bun.which('go')
  if (!go) return null
  const [, minor] = /go1\.(\d+)/.exec(await runProgram([go, 'version'])) ?? []
  if (Number(minor) >= selfUpdatingMinor) return go
  const installed = join(await cacheFolder(), `go-${version}`)
  if (!existsSync(installed))
    await runStep(report, `fetching Go ${version} with Go 1.${minor}`, () => fetchGo(go, installed))
  return join(installed, 'bin', 'go')
}

/** Fetches the toolchain as a Go module, which the checksum database verifies. Modules lose the executable bits. */
async function fetchGo(go: string, target: string): Promise<void> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const output = await runProgram([
    go,
    'mod',
    'download',
    '-json',
    `golang.org/toolchain@v0.0.1-go${version}.${platform}`,
  ])
  const { Dir } = JSON.parse(output) as { Dir: string }
  const script = 'rm -rf "$2.new" && cp -R "$1" "$2.new" && chmod -R u+w "$2.new" && chmod 755 "$2.new"/bin/* &&'
  const tools = 'find "$2.new/pkg/tool" -type f -exec chmod 755 {} + && mv "$2.new" "$2"'
  await runProgram(['/bin/sh', '-c', `${script} ${tools}`, 'install', Dir, target])
}
