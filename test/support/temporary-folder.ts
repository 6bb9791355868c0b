import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cleanUp = 'while kill -0 "$1"; do sleep 1; done 2>/dev/null; sleep 1; rm -rf "$2"'

/**
 * A new folder that every account can enter. `bun test` tells nobody when it ends, so a shell waits for that and
 * removes the folder, after the servers in it, which end with this process too.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${name}-`))
  chmodSync(folder, 0o755)
  const args = ['-c', cleanUp, 'clean-up', `${process.pid}`, folder]
  spawn('/bin/sh', args, { cwd: '/', detached: true, stdio: 'ignore' }).unref()
  return folder
}
