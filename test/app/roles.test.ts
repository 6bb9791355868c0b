import { describe, expect, test } from 'bun:test'
import { loadConfig } from '../../src/app/config/config'
import type { ProcessRole } from '../../src/app/config/config-keys'
import { createLog } from '../../src/app/logging/log'
import { freePort } from '../../src/devnet/servers/free-port'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'

const keyVariables = {
  INTENT_MAC_KEY: `0x${'8e'.repeat(32)},0x${'9e'.repeat(32)}`,
  ROUTE_SIGNER_PRIVATE_KEY: `0x${'5e'.repeat(32)}`,
  RELAYER_PRIVATE_KEYS: `0x${'6e'.repeat(32)},0x${'7e'.repeat(32)}`,
}
type KeyVariable = keyof typeof keyVariables
const names = Object.keys(keyVariables) as KeyVariable[]
const textsOf = (name: KeyVariable) => keyVariables[name].split(',')

/** Which keys each role may hold, said once more than in the code. */
const held: Record<ProcessRole, readonly KeyVariable[]> = {
  api: ['INTENT_MAC_KEY'],
  worker: ['ROUTE_SIGNER_PRIVATE_KEY', 'RELAYER_PRIVATE_KEYS', 'INTENT_MAC_KEY'],
  scanner: [],
}
const alone = Object.keys(held) as ProcessRole[]
const withKeys = { ...serviceVariables, ...keyVariables }
const without = (env: Record<string, string>, gone: readonly string[]) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !gone.includes(name)))

describe.each(alone)('a process of the role %s alone', (role) => {
  const needed = held[role]
  const idle = names.filter((name) => !needed.includes(name))

  test('reads the keys that it needs and no other, though all are set, and says which are misplaced', () => {
    const { config, secrets, keys, misplaced } = loadConfig({ ...withKeys, ROLES: role })
    const all = JSON.stringify({ config, secrets, keys }, (_, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    )
    for (const name of names)
      for (const text of textsOf(name)) expect(all.includes(text), name).toBe(needed.includes(name))
    const rest = JSON.stringify({ config, secrets }, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    for (const name of names) for (const text of textsOf(name)) expect(rest).not.toContain(text)
    expect(misplaced.toSorted()).toEqual(idle.toSorted())
  })

  test('starts without the others’ keys, and with one of its own missing it does not', () => {
    const own = without(withKeys, idle)
    expect(() => loadConfig({ ...own, ROLES: role })).not.toThrow()
    for (const name of needed)
      expect(() => loadConfig({ ...without(own, [name]), ROLES: role })).toThrow(`${name} is required`)
  })

  test('once it listens, its environment has no key and its log has shown none', async () => {
    const { said, found } = await started({ ...withKeys, ROLES: role })
    expect(found).toEqual([])
    for (const name of names) {
      for (const text of textsOf(name)) expect(said).not.toContain(text.slice(2))
      expect(said.includes(`${name} is set but no role of this process needs it`), name).toBe(idle.includes(name))
    }
  }, 60_000)
})

test('who only answers how it is has no API: a worker serves no tenant', async () => {
  const { statuses } = await started({ ...withKeys, ROLES: 'worker' })
  expect(statuses).toEqual({ '/api/health': 200, '/metrics': 200, '/docs/json': 404, '/api/chains': 404 })
}, 60_000)

test('the API alone is told the relayers’ addresses, for it cannot make them from keys', () => {
  const env = without(withKeys, ['RELAYER_ADDRESSES'])
  expect(() => loadConfig({ ...env, ROLES: 'api' })).toThrow('RELAYER_ADDRESSES is required')
  expect(() => loadConfig({ ...env, ROLES: 'api,worker' })).not.toThrow()
  expect(() => loadConfig({ ...env, RELAYER_ADDRESSES: '0x1', ROLES: 'api' })).toThrow(
    'RELAYER_ADDRESSES must be EVM addresses with valid checksums, separated by commas',
  )
})

test('a line of the log that would show a key shows that there was one', async () => {
  const key = keyVariables.ROUTE_SIGNER_PRIVATE_KEY
  const program = `
    const { createLog } = await import('./src/app/logging/log')
    const log = createLog('info', { secrets: ['${key}'] })
    const hidden = new Error('it was ${key.toUpperCase().replace('0X', '')}')
    log.say('STEP_UNEXPECTED', { error: hidden, deep: { down: { here: '${key}' } } }, 'signing with ${key} failed')
    await log.close()`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const said = await new Response(child.stdout).text()
  expect(said).toContain('signing with 0x[secret] failed')
  expect(said.toLowerCase()).not.toContain(key.slice(2))
  expect(createLog('silent')).toBeDefined()
})

/** The program of production, and what it finds in its own environment when it listens. */
async function started(env: Record<string, string>) {
  const port = `${await freePort()}`
  const program = `
    const { runProcess } = await import('./src/app/process/process')
    void runProcess(process.env)
    const ask = (path) => fetch('http://127.0.0.1:${port}' + path).then(({ status }) => status, () => 0)
    while ((await ask('/api/health')) !== 200) await Bun.sleep(5)
    const statuses = {}
    for (const path of ['/api/health', '/metrics', '/docs/json', '/api/chains']) statuses[path] = await ask(path)
    const found = ${JSON.stringify(names)}.filter((name) => process.env[name] !== undefined)
    console.error(JSON.stringify({ found, statuses }))
    process.kill(process.pid, 'SIGTERM')
  `
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: {
      ...process.env,
      ...env,
      PORT: port,
      LOG_LEVEL: 'info',
      SHUTDOWN_DELAY_MS: '0',
      MONGODB_URL: await mongoUrl(),
      NATS_URL: await natsUrl(),
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [said, last] = await Promise.all([child.stdout, child.stderr].map((out) => new Response(out).text()))
  return { said: said!, ...(JSON.parse(last!) as { found: string[]; statuses: Record<string, number> }) }
}
