import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkVariables, loadConfig } from '../../src/app/config/config'
import { serviceVariables } from '../support/service-variables'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'

async function outputOf(verb: string, env: Record<string, string>) {
  const dir = join(temporaryFolder('environment'), 'state')
  const child = Bun.spawn([process.execPath, 'src/cli/main.ts', verb], {
    env: { ...process.env, SWITCHYARD_DIR: dir, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const text = (await Promise.all([child.stdout, child.stderr].map((out) => new Response(out).text()))).join('')
  return { code: await child.exited, text, dir }
}

testAll([
  ['PORT', '70000'],
  ['CONFIRMATIONS_BASE', 'many7'],
  ['MONGODB_URL', 'postgres://user:hunter2@example.com/x'],
  ['CORS_ORIGINS', '*.example.com'],
])('a wrong variable stops the demo before anything starts, and is named without its value', async (name, value) => {
  const { code, text, dir } = await outputOf('demo', { [name]: value })
  expect([code, existsSync(dir)]).toEqual([1, false])
  expect(text).toContain(`${name} must be`)
  expect(text.split(`${name} must be`).length).toBe(2)
  expect(text).not.toContain(value)
})

test('a wrong variable stops the service before it connects to anything', async () => {
  const { code, text } = await outputOf('start', { ...serviceVariables, PORT: '70000' })
  expect([code, text.trim()]).toEqual([1, 'PORT must be at most 65535'])
})

test('checking the variables that are set does not require the others', () => {
  expect(() => checkVariables({})).not.toThrow()
  expect(() => loadConfig({})).toThrow('ACCOUNT_REGISTRY_ADDRESS is required')
  expect(() => checkVariables({ RPC_URL_BASE: '', SWEEP_MS: '500' })).not.toThrow()
})
