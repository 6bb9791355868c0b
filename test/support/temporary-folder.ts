import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cleanUp = 'while kill -0 "$1"; do sleep 1; done 2>/dev/null; sleep 1; rm -rf "$2"'

/**
 * Creates a folder that every account can enter. `bun test` announces no end, so a shell waits for this process to end.
 * It then waits for the servers in the folder, which also end with this process, and removes the folder.
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `switchyard-${name}-`))
  chmodSync(folder, 0o755)
  const args = ['-c', cleanUp, 'clean-up', `${process.pid}`, folder]
  spawn('/bin/sh', args, { cwd: '/', detached: true, stdio: 'ignore' }).unref()
  return folder
}
