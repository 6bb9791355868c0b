// Runs a program of this folder by Bun, on a fresh clone too: node contracts/run.mjs deep.ts --nightly
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBun } from '../src/cli/find-bun.mjs'

const [program, ...args] = process.argv.slice(2)
const bun = findBun()
if (!bun) {
  process.stderr.write('Bun does not run on this machine: is everything installed?\n')
  process.exit(1)
}
const path = join(dirname(fileURLToPath(import.meta.url)), program)
process.exit(spawnSync(bun, [path, ...args], { stdio: 'inherit' }).status ?? 1)
