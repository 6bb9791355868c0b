import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report } from './server.ts'

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
