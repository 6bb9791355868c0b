import { beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { loadConfig } from '../../src/app/config/config'
import type { ProcessRole } from '../../src/app/config/config-keys'
import { createLog } from '../../src/app/logging/log'
import { freePort } from '../../src/devnet/servers/free-port'
import { type ChainId, chainIds, chainKeyOf } from '../../src/domain/chain/chain'
import { jsonRpcNode } from '../support/json-rpc-node'
import { mongoUrl, natsUrl } from '../support/servers'
import { serviceVariables } from '../support/service-variables'
import { tapped } from '../support/tapped'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

const keyVariables = {
  INTENT_MAC_KEY: `0x${'8e'.repeat(32)},0x${'9e'.repeat(32)}`,
  ROUTE_SIGNER_PRIVATE_KEY: `0x${'5e'.repeat(32)}`,
  RELAYER_PRIVATE_KEYS: `0x${'6e'.repeat(32)},0x${'7e'.repeat(32)}`,
  SIGNER_ACCESS_KEY: `0x${'ae'.repeat(32)},0x${'be'.repeat(32)}`,
  RECEIPT_KEY: `0x${'ce'.repeat(32)}`,
}
type KeyVariable = keyof typeof keyVariables
const names = Object.keys(keyVariables) as KeyVariable[]
const textsOf = (name: KeyVariable) => keyVariables[name].split(',')

type Kind = {
  role: ProcessRole
  /** Keys that the role may hold, repeated here independently of the code. */
  held: readonly KeyVariable[]
  /** Keys that it refuses to start with, because it could then move money alone. */
  refused?: readonly KeyVariable[]
  env?: Record<string, string>
}
const kinds: Record<string, Kind> = {
  'role api alone': { role: 'api', held: ['INTENT_MAC_KEY', 'RECEIPT_KEY'] },
  'role worker alone': { role: 'worker', held: ['ROUTE_SIGNER_PRIVATE_KEY', 'RELAYER_PRIVATE_KEYS', 'INTENT_MAC_KEY'] },
  'role worker beside a signer': {
    role: 'worker',
    held: ['RELAYER_PRIVATE_KEYS', 'SIGNER_ACCESS_KEY'],
    refused: ['ROUTE_SIGNER_PRIVATE_KEY', 'INTENT_MAC_KEY'],
    env: { SIGNER_URL: 'http://127.0.0.1:1' },
  },
  'role scanner alone': { role: 'scanner', held: [] },
  'role signer': {
    role: 'signer',
    held: ['ROUTE_SIGNER_PRIVATE_KEY', 'INTENT_MAC_KEY', 'SIGNER_ACCESS_KEY'],
    refused: ['RELAYER_PRIVATE_KEYS'],
    env: { SIGNER_LISTEN: '127.0.0.1:0', SIGNER_LOG_PATH: join(temporaryFolder('roles'), 'signing.log') },
  },
}
const withKeys = { ...serviceVariables, ...keyVariables }
const without = (env: Record<string, string>, gone: readonly string[]) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !gone.includes(name)))

const processes = Object.entries(kinds).map(([name, { role, held: needed, refused = [], env = {} }]) => {
  const idle = names.filter((name) => !needed.includes(name) && !refused.includes(name))
  return [name, { role, needed, refused, idle, all: { ...without(withKeys, refused), ...env, ROLES: role } }] as const
})

describe('a process of each role', () => {
  const testRoles = testAll(processes)

  testRoles(
    'reads only the keys that it needs, even if all are set, and lists the misplaced ones',
    (_name, { all, needed, idle }) => {
      const { config, secrets, keys, misplaced } = loadConfig(all)
      const read = JSON.stringify({ config, secrets, keys }, (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      )
      for (const name of names)
        for (const text of textsOf(name)) expect(read.includes(text), name).toBe(needed.includes(name))
      const rest = JSON.stringify({ config, secrets }, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
      for (const name of names) for (const text of textsOf(name)) expect(rest).not.toContain(text)
      expect(misplaced.toSorted()).toEqual(idle.toSorted())
    },
  )

  testRoles(
    'starts without the others’ keys, and refuses to start if one of its own is missing',
    (_name, { all, needed, idle }) => {
      const own = without(all, idle)
      expect(() => loadConfig(own)).not.toThrow()
      for (const name of needed.filter((each) => each !== 'RECEIPT_KEY'))
        expect(() => loadConfig(without(own, [name]))).toThrow(`${name} is required`)
    },
  )

  testRoles('refuses to start with a key that would let it move money alone', (_name, { all, refused }) => {
    for (const name of refused) {
      expect(() => loadConfig({ ...all, [name]: keyVariables[name] })).toThrow(`${name} must be left out`)
      expect(() => loadConfig({ ...all, [`${name}_FILE`]: '/no/such/file' })).toThrow(`${name} must be left out`)
    }
  })

  describe('once it listens', () => {
    const seen = new Map<string, Awaited<ReturnType<typeof started>>>()
    beforeAll(async () => {
      for (const [name, { all, role }] of processes) seen.set(name, await started(all, role))
    })

    testRoles('its environment has no key and its log has shown none', (kind, { idle }) => {
      const { said, found } = seen.get(kind)!
      expect(found).toEqual([])
      for (const name of names) {
        for (const text of textsOf(name)) expect(said).not.toContain(text.slice(2))
        expect(said.includes(`${name} is set but no role of this process needs it`), name).toBe(idle.includes(name))
      }
    })

    testRoles(
      'it serves the API only as an API, watches chains only as a scanner, and takes only its own messages',
      (kind, { role }) => {
        const { statuses, heard, watchesChains, readsLogs } = seen.get(kind)!
        const [isApi, isScanner] = [role === 'api', role === 'scanner']
        expect(statuses).toEqual({
          '/api/health': 200,
          '/ready': 200,
          '/metrics': 200,
          '/docs/json': isApi ? 200 : 404,
          '/api/chains': isApi ? 401 : 404,
          '/webhooks/alchemy': isApi ? 405 : 404,
        })
        expect(heard).toEqual({ api: [], worker: ['WAKE'], scanner: ['DEPOSITS'], signer: [] }[role])
        expect([watchesChains, readsLogs]).toEqual([isScanner, isScanner])
      },
    )
  })
})

test('a signer has no other role, and logs what it signs', () => {
  const { env } = kinds['role signer']!
  const own = { ...without(withKeys, ['RELAYER_PRIVATE_KEYS']), ...env }
  for (const ROLES of ['signer,worker', 'api,signer'])
    expect(() => loadConfig({ ...own, ROLES })).toThrow('ROLES must be signer alone')
  expect(() => loadConfig({ ...own, ROLES: 'signer', SIGNER_LOG_PATH: '' })).toThrow('SIGNER_LOG_PATH is required')
  expect(loadConfig({ ...withKeys, ROLES: 'all' }).config.roles).toEqual(['api', 'worker', 'scanner'])
})

test('a sender beside a signer is no API, which could seal its own intents', () => {
  const { env } = kinds['role worker beside a signer']!
  const own = { ...without(withKeys, ['ROUTE_SIGNER_PRIVATE_KEY']), ...env }
  for (const ROLES of ['all', 'api,worker', 'api,worker,scanner'])
    expect(() => loadConfig({ ...own, ROLES })).toThrow('ROLES must be without api if SIGNER_URL is set')
  const { config } = loadConfig({ ...without(own, ['INTENT_MAC_KEY']), ROLES: 'worker,scanner' })
  expect(config.roles).toEqual(['worker', 'scanner'])
  expect(() => loadConfig({ ...own, ROLES: 'api' })).not.toThrow()
})

test('only the API needs the relayers’ addresses, because it cannot derive them from keys', () => {
  const env = without(withKeys, ['RELAYER_ADDRESSES'])
  expect(() => loadConfig({ ...env, ROLES: 'api' })).toThrow('RELAYER_ADDRESSES is required')
  expect(() => loadConfig({ ...env, ROLES: 'api,worker' })).not.toThrow()
  expect(() => loadConfig({ ...env, RELAYER_ADDRESSES: '0x1', ROLES: 'api' })).toThrow(
    'RELAYER_ADDRESSES must be EVM addresses with valid checksums, separated by commas',
  )
})

test('a log line that would show a key shows only that there was one', async () => {
  const key = keyVariables.ROUTE_SIGNER_PRIVATE_KEY
  const program = `
    const { createLog } = await import('./src/app/logging/log')
    const log = createLog('info', { secrets: ['${key}'] })
    const hidden = new Error('it was ${key.toUpperCase().replace('0X', '')}')
    log.write('STEP_UNEXPECTED', { error: hidden, deep: { down: { here: '${key}' } } }, 'signing with ${key} failed')
    await log.close()`
  const child = Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe', stderr: 'inherit' })
  const said = await new Response(child.stdout).text()
  expect(said).toContain('signing with 0x[secret] failed')
  expect(said.toLowerCase()).not.toContain(key.slice(2))
  expect(createLog('silent')).toBeDefined()
})

/** A node of a chain without contracts. It serves an endless series of blocks and their logs. */
function emptyChain(id: ChainId) {
  let number = 1_000
  const hashOf = (text: string) => `0x${text.replace('0x', '').padStart(64, '0')}`
  return jsonRpcNode(({ method, params }) => {
    if (method === 'eth_chainId') return { result: `0x${id.toString(16)}` }
    if (method === 'eth_getLogs') return { result: [] }
    if (method !== 'eth_getBlockByNumber') return { error: { code: -32_000, message: 'not here' } }
    const text = params[0] === 'latest' ? `0x${(number++).toString(16)}` : String(params[0])
    const time = Math.floor(Date.now() / 1_000) - 2_000 + Number(text)
    const parent = `0x${(Number(text) - 1).toString(16)}`
    const block = { number: text, hash: hashOf(text), parentHash: hashOf(parent), timestamp: `0x${time.toString(16)}` }
    return { result: { ...block, transactions: [], baseFeePerGas: '0x1' } }
  })
}

/**
 * Runs the production program until its role works. Records its environment, its responses, the messages it requests,
 * and its use of the chains.
 */
async function started(env: Record<string, string>, role: ProcessRole) {
  const [port, nats, database] = [`${await freePort()}`, await tapped(await natsUrl()), await mongoUrl()]
  const nodes = chainIds.map((id) => ({ key: chainKeyOf(id), ...emptyChain(id) }))
  const urls = Object.fromEntries(nodes.map(({ key, url }) => [`RPC_URL_${key.toUpperCase()}`, url]))
  const notes = join(temporaryFolder('role'), 'noted')
  const paths = ['/api/health', '/ready', '/metrics', '/docs/json', '/api/chains', '/webhooks/alchemy']
  const program = `
    const { runProcess } = await import('./src/app/process/process')
    const { until } = await import('./test/support/until')
    void runProcess(process.env)
    const ask = (path) => fetch('http://127.0.0.1:${port}' + path).then(({ status }) => status, () => 0)
    await until('a healthy process', async (note) => note(await ask('/api/health')) === 200)
    const statuses = {}
    for (const path of ${JSON.stringify(paths)}) statuses[path] = await ask(path)
    const found = ${JSON.stringify(names)}.filter((name) => process.env[name] !== undefined)
    await Bun.write('${notes}', JSON.stringify({ found, statuses }))
  `
  const child = Bun.spawn([process.execPath, '-e', program], {
    env: {
      ...process.env,
      ...env,
      ...urls,
      CHAIN_POLL_MS: '500',
      PORT: port,
      LOG_LEVEL: 'info',
      SHUTDOWN_DELAY_MS: '0',
      MONGODB_URL: database,
      MONGODB_DATABASE: new URL(database).pathname.slice(1),
      NATS_URL: nats.url,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const connection = await connectMongo(database)
  const readsLogs = () => nodes.some(({ seen }) => seen.includes('eth_getLogs'))
  const held = () => connection.collection('chainLeases').countDocuments({ holder: { $ne: null } })
  const pulled = () => [
    ...new Set([...nats.sent().matchAll(/PUB \$JS\.API\.CONSUMER\.MSG\.NEXT\.(\w+)\./g)].map(([, stream]) => stream!)),
  ]
  const isAtWork = async (): Promise<boolean> => {
    if (role === 'worker') return pulled().length > 0
    if (role === 'scanner') return pulled().length > 0 && readsLogs() && (await held()) > 0
    return nodes.every(({ seen }) => seen.length > 0)
  }
  const said = new Response(child.stdout).text()
  await until(`a ${role} at work`, async (note) => {
    const chains = nodes.map(({ key, seen }) => [key, seen.length])
    note({ hasStarted: existsSync(notes), exitCode: child.exitCode, pulled: pulled(), held: await held(), chains })
    return existsSync(notes) && isAtWork()
  })
  const watchesChains = (await held()) > 0
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await connection.dropDatabase()
  await connection.close()
  nats.stop()
  for (const { stop } of nodes) stop()
  const noted = JSON.parse(readFileSync(notes, 'utf8')) as { found: string[]; statuses: Record<string, number> }
  return { said: await said, ...noted, heard: pulled(), watchesChains, readsLogs: readsLogs() }
}
