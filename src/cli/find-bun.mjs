// Plain JavaScript for Node 20 without packages, because it runs before Bun does.
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')

/**
 * Returns the path of Bun, or null if it does not run. npm runs no install scripts here (`.npmrc`), so Bun's package is
 * a stub; Bun is then taken from the platform's package.
 */
export function findBun() {
  const linked = join(root, 'node_modules', '.bin', 'bun')
  if (answers(linked)) return linked
  spawnSync(process.execPath, [join(root, 'node_modules', 'bun', 'install.js')], { stdio: 'ignore', timeout: 60_000 })
  if (answers(linked)) return linked
  const platforms = join(root, 'node_modules', '@oven')
  const found = existing(platforms)
    .map((name) => join(platforms, name, 'bin', 'bun'))
    .find(answers)
  return found ?? null
}

export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > 1 || (major === 1 && minor >= 4)
}

function existing(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function answers(program) {
  try {
    return isNewEnough(execFileSync(program, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch {
    return false
  }
}
