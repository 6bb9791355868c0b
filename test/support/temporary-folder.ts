import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cleanUp = 'while kill -0 "$1"; do sleep 1; done 2>/dev/null; sleep 1; rm -rf "$2"'
/** Holds every folder of this process, which runs many test files. */
let parent: string | null = null

/**
 * Creates a folder that every account can enter. `bun test` announces no end, so one shell waits for this process to
 * end. It then waits for the servers in the folders, which also end with this process, and removes them.
 */
export function temporaryFolder(name: string): string {
  parent ??= removedAtEnd()
  return open(join(parent, `${name}-`))
}

function removedAtEnd(): string {
  // Sockets have paths of at most 107 characters.
  const folder = open(join(tmpdir(), 'sy-'))
  const args = ['-c', cleanUp, 'clean-up', `${process.pid}`, folder]
  spawn('/bin/sh', args, { cwd: '/', detached: true, stdio: 'ignore' }).unref()
  return folder
}

function open(prefix: string): string {
  const folder = mkdtempSync(prefix)
  chmodSync(folder, 0o755)
  return folder
}
