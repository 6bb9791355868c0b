import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { runProgram, runStep } from './run-program.ts'
import type { Report } from './server.ts'

const version = '1.26.8'
const oldestThatRenewsItself = 21

/** The machine's Go; where that is too old to fetch a newer self (Debian 12 has 1.19), a newer one fetched by it. */
export async function goToolchain(report: Report): Promise<string | null> {
  const go = Bun.which('go')
  if (!go) return null
  const [, minor] = /go1\.(\d+)/.exec(await runProgram([go, 'version'])) ?? []
  if (Number(minor) >= oldestThatRenewsItself) return go
  const kept = join(await cacheFolder(), `go-${version}`)
  if (!existsSync(kept)) await runStep(report, `fetching Go ${version} with Go 1.${minor}`, () => fetchGo(go, kept))
  return join(kept, 'bin', 'go')
}

/** The toolchain is a Go module, so the checksum database vouches for it; modules lose what makes files executable. */
async function fetchGo(go: string, kept: string): Promise<void> {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const said = await runProgram([
    go,
    'mod',
    'download',
    '-json',
    `golang.org/toolchain@v0.0.1-go${version}.${platform}`,
  ])
  const { Dir } = JSON.parse(said) as { Dir: string }
  const script = 'rm -rf "$2.new" && cp -R "$1" "$2.new" && chmod -R u+w "$2.new" && chmod 755 "$2.new"/bin/* &&'
  const tools = 'find "$2.new/pkg/tool" -type f -exec chmod 755 {} + && mv "$2.new" "$2"'
  await runProgram(['/bin/sh', '-c', `${script} ${tools}`, 'install', Dir, kept])
}
