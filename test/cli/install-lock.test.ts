import { expect, test } from 'bun:test'
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'

const cli = join(import.meta.dir, '..', '..', 'src', 'cli')

/**
 * The start of a clone without packages, with an npm that installs none. The lock is held by what is given, or by the
 * start itself.
 */
function cloneWithLock(text: string, ageMs = 0) {
  const root = temporaryFolder('install-lock')
  const [bin, lock] = [join(root, 'bin'), join(root, '.switchyard', 'install.lock')]
  for (const folder of [join(root, 'src', 'cli'), bin, dirname(lock)]) mkdirSync(folder, { recursive: true })
  for (const name of ['switchyard.mjs', 'find-bun.mjs']) copyFileSync(join(cli, name), join(root, 'src', 'cli', name))
  writeFileSync(join(root, 'package-lock.json'), '{"packages":{"node_modules/absent":{"version":"1.0.0"}}}')
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\nexit 0\n')
  chmodSync(join(bin, 'npm'), 0o755)
  writeFileSync(lock, text)
  const at = (Date.now() - ageMs) / 1000
  utimesSync(lock, at, at)
  const env = { PATH: `${bin}:${process.env['PATH']}` }
  const start = `${text === 'itself' ? 'echo $$ > "$1"; ' : ''}exec node "$0"`
  const command = ['sh', '-c', start, join(root, 'src', 'cli', 'switchyard.mjs'), lock]
  const child = Bun.spawn(command, { env, stderr: 'pipe' })
  return { child, lock }
}

test('a start that waits for another’s installation says for which process', async () => {
  const { child, lock } = cloneWithLock(`${process.pid}`)
  const reader = child.stderr.getReader()
  const text = new TextDecoder()
  const { value } = await reader.read()
  expect(text.decode(value)).toBe(`waiting for process ${process.pid}, which installs packages (${lock})\n`)
  rmSync(lock)
  let said = ''
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read())
    said += text.decode(value)
  expect(said).toContain('installing packages with npm ci')
  expect(await child.exited).toBe(1)
})

testAll([
  ['without a holder', '', 11_000],
  ['without a number', 'x', 11_000],
  ['of a dead process', `${Bun.spawnSync(['true']).pid}`, 0],
  ['of a dead process with the id of the start', 'itself', 0],
  ['older than any installation', `${process.pid}`, 16 * 60_000],
])('a lock that a process left behind delays no start', async (_name, text, ageMs) => {
  const { child, lock } = cloneWithLock(text, ageMs)
  expect(await new Response(child.stderr).text()).toContain('The packages could not be installed')
  expect([await child.exited, existsSync(lock)]).toEqual([1, false])
})
