import { expect, test } from 'bun:test'
import { checkVariables, loadConfig } from '../../src/app/config/config'
import { serviceVariables } from '../support/service-variables'
import { testAll } from '../support/test-all'

const key = `0x${'a'.repeat(64)}`
const said = (env: Record<string, string>): string => {
  try {
    loadConfig({ ...serviceVariables, ...env })
    return 'right'
  } catch (error) {
    return (error as Error).message
  }
}

testAll([
  ['PORT', '5.0', 'must be a well-formed integer string'],
  ['PORT', '-0', 'must be a well-formed integer string'],
  ['PORT', '-1', 'must be non-negative'],
  ['PORT', '65536', 'must be at most 65535'],
  ['CHAIN_POLL_MS', '19', 'must be at least 20'],
  [
    'SWEEP_MS',
    '99999999999999999999',
    'must be an integer in the range Number.MIN_SAFE_INTEGER to Number.MAX_SAFE_INTEGER',
  ],
  ['CONFIRMATIONS_BASE', '0', 'must be at least 1'],
  ['ROLES', 'api,sweeper', 'must be all, or some of api, worker, scanner, or signer'],
  ['LOG_LEVEL', 'loud-hunter2', 'must be "debug", "error", "fatal", "info", "silent" or "warn"'],
  ['MONGODB_URL', 'postgres://user:hunter2@example.com/x', 'must be a mongodb:// URL'],
  ['HOST', 'no host', 'must be a host name or an address'],
  ['MAIL_FROM', 'Switchyard', 'must be an e-mail address'],
  ['NATS_URL', 'nats://a b', 'must be a nats:// URL'],
  ['NATS_CA_FILE', '/no/such/authority.pem', 'must be the path of a file that this process can read'],
  ['SIGNER_TLS_CA_FILE', '/no/such/authority.pem', 'must be the path of a file that this process can read'],
  ['PUBLIC_URL', 'switchyard', 'must be an http:// or https:// URL'],
  ['RELAY_URL', 'localhost:3000', 'must be an http:// or https:// URL'],
  ['ALCHEMY_RPC_URL_POLYGON', '//host', 'must be an http:// or https:// URL'],
  ...['notaurl', 'hunter2@host', 'http://one,,http://two', 'ftp://node', 'http://a b', 'http://one,wss//two'].map(
    (text) =>
      ['RPC_URL_BASE', text, 'must be http://, https://, ws:// or wss:// URLs with commas between them'] as const,
  ),
  [
    'RPC_URL_BASE',
    'wss://hunter2@node',
    'must be a list with an http:// or https:// URL as well: ws:// and wss:// only push new blocks',
  ],
  ...['free', 'free:29', 'gold:90', 'free:90:', 'free:90,free:60'].map(
    (text) =>
      [
        'ORDER_RETENTION',
        text,
        'must be plan:days or plan:days:days in the archive, with commas between several plans, and at least 30 days',
      ] as const,
  ),
  ['NATS_URL', 'nats://one:port', 'must be a nats:// URL'],
  ['NATS_URL', 'nats://one,', 'must be a nats:// URL'],
  ...['0', '2', '03', 'three'].map((text) => ['NATS_REPLICAS', text, 'must be "1", "3" or "5"'] as const),
  ['MONGODB_URL', 'mongodb://:::', 'must be a mongodb:// URL'],
  ['MONGODB_URL', 'mongodb:///switchyard', 'must be a mongodb:// URL'],
  [
    'CORS_ORIGINS',
    'https://app.example.com:443',
    'must be origins like https://app.example.com with commas between them',
  ],
  ['CORS_ORIGINS', 'https://a:b:c', 'must be origins like https://app.example.com with commas between them'],
  ...[`0x${'a'.repeat(41)}`, `0x${'0'.repeat(40)}`, '0x25fa55D9f052CB3b815bB1E09504f9F448f2Fa9C'].map(
    (text) =>
      [
        'FEE_COLLECTOR_ADDRESS',
        text,
        'must be an EVM address with a valid checksum, and not the zero address',
      ] as const,
  ),
  [
    'ROUTE_SIGNER_PRIVATE_KEY',
    `0x${'0'.repeat(64)}`,
    'must be a private key, or aws-kms: or gcp-kms: with the name of a key',
  ],
  [
    'RELAYER_PRIVATE_KEYS',
    `0x${'f'.repeat(64)}`,
    'must be private keys with commas between them, or aws-kms: or gcp-kms: with names of keys',
  ],
  ['ROUTE_SIGNER_PRIVATE_KEY', `${key}\n`, 'must be a private key, or aws-kms: or gcp-kms: with the name of a key'],
  [
    'RELAYER_PRIVATE_KEYS',
    `${key}, ${key}`,
    'must be private keys with commas between them, or aws-kms: or gcp-kms: with names of keys',
  ],
  ['AUTH_SECRET', 'hunter2', 'must be 32 characters or more'],
  ['METRICS_TOKEN', 'hunter2', 'must be a token of 16 characters or more'],
  ['ALCHEMY_SIGNING_KEY_BASE', 'hunter2', 'must be at least length 8'],
  ['RPC_URL_BASE', '', 'is required'],
])(
  'an error about a wrong value names its variable and the requirement, without the value',
  (name, value, sentence) => {
    expect(said({ [name]: value })).toBe(`${name} ${sentence}`)
  },
)

test('a service reachable from other machines needs its URL and its own secret, and a local one does not', () => {
  const why = 'if other machines can reach the service (HOST, PUBLIC_URL)'
  expect(said({ HOST: '0.0.0.0' }).split('\n')).toEqual([
    `AUTH_SECRET is required ${why}`,
    `PUBLIC_URL is required ${why}`,
  ])
  expect(said({ PUBLIC_URL: 'https://switchyard.example' })).toBe(`AUTH_SECRET is required ${why}`)
  expect(said({ HOST: '::', ROLES: 'worker' })).toBe('right')
  for (const HOST of ['127.0.0.1', '::1', 'localhost', '127.3.2.1'])
    expect(said({ HOST, PUBLIC_URL: 'http://127.0.0.1:3000' })).toBe('right')
  expect(said({ TRUSTED_PROXIES: '10.0.0.0/8,::1,192.0.2.7' })).toBe('right')
  for (const text of ['10.0.0.0/33', 'proxy', '10.0.0.1/', '10.0.0.0/8/8'])
    expect(said({ TRUSTED_PROXIES: text })).toBe('TRUSTED_PROXIES must be addresses or CIDRs with commas between them')
})

test('all wrong and missing variables are reported together', () => {
  expect(said({ PORT: 'x', RPC_URL_BASE: '', METRICS_TOKEN: 'x', ROUTE_EXECUTOR_ADDRESS: '' }).split('\n')).toEqual([
    'PORT must be a well-formed integer string',
    'ROUTE_EXECUTOR_ADDRESS is required',
    'METRICS_TOKEN must be a token of 16 characters or more',
    'RPC_URL_BASE is required',
  ])
})

test('an absent or empty variable has its default, and a given one is read', () => {
  const { config, secrets, keys } = loadConfig({
    ...serviceVariables,
    PORT: '',
    ROLES: 'api,worker',
    CHAIN_POLL_MS: '60000',
    CONFIRMATIONS_BASE: '7',
    RPC_URL_BASE: 'http://one, wss://three/key,http://two',
    RELAYER_PRIVATE_KEYS: `${key},${key}`,
    CONFIRM_QUORUM_USD: '5',
    PUBLIC_URL: 'https://switchyard.example/',
    AUTH_SECRET: 'x'.repeat(32),
    LIFI_URL: 'https://li.quest/v1/',
  })
  expect(config).toMatchObject({
    port: 3_000,
    host: '127.0.0.1',
    roles: ['api', 'worker'],
    logLevel: 'info',
    chainPollMs: 60_000,
    relayUrl: null,
    cctpUrl: null,
    lifiUrl: 'https://li.quest/v1',
    publicUrl: 'https://switchyard.example',
    corsOrigins: [],
    quorumUsd: 500_000_000n,
    ordersPerTransaction: 1,
    alchemyWebhookUrl: 'https://switchyard.example/webhooks/alchemy',
  })
  expect(config.confirmations.base).toBe(7)
  expect(secrets.rpcUrls.base).toEqual(['http://one', 'http://two'])
  expect([secrets.subscriptionUrls.base, secrets.subscriptionUrls.polygon]).toEqual([['wss://three/key'], []])
  expect<string[]>(keys.relayers!).toEqual([key, key])
  expect(secrets.alchemySigningKeys.base).toEqual([])
})

testAll([
  ['MONGODB_URL', 'mongodb://user:p%40ss@one:27017,two:27018/switchyard?replicaSet=rs0&authSource=admin'],
  ['MONGODB_URL', 'mongodb+srv://user:secret@cluster.example.com/?retryWrites=true'],
  ['MONGODB_URL', 'mongodb://127.0.0.1:27017'],
  ['MONGODB_URL', 'mongodb://[::1]:27017/switchyard'],
  ['NATS_URL', 'tls://user:secret@one:4222,nats://two:4222,three'],
  ['NATS_REPLICAS', '5'],
  ['RPC_URL_BASE', 'https://user:secret@node.example.com/v2/key, http://127.0.0.1:8545'],
  ['FEE_COLLECTOR_ADDRESS', '0x25fa55d9f052cb3b815bb1e09504f9f448f2fa9c'],
])('a valid value is accepted', (name, value) => {
  expect(said({ [name]: value })).toBe('right')
})

test('signing up without an invitation is possible only with the exact setting', () => {
  const registration = (env: Record<string, string>) => loadConfig({ ...serviceVariables, ...env }).config.registration
  expect([registration({}), registration({ REGISTRATION: '' })]).toEqual(['invitation', 'invitation'])
  expect(registration({ REGISTRATION: 'open' })).toBe('open')
  for (const REGISTRATION of ['OPEN', 'true', 'yes']) expect(said({ REGISTRATION })).toContain('REGISTRATION')
})

test('the given settings are checked before the rest exists', () => {
  expect(() => checkVariables({ LOG_LEVEL: 'info' })).not.toThrow()
  expect(() => checkVariables({ LOG_LEVEL: 'x' })).toThrow('LOG_LEVEL must be')
})

test('a faucet is accepted only if it and every node are on this machine', () => {
  const refused = /^FAUCET_URL must be a URL on this machine, and every RPC_URL must be on this machine too/m
  const here = 'http://127.0.0.1:4000'
  expect(said({})).toBe('right')
  for (const url of [here, 'http://localhost:4000', 'http://[::1]:4000'])
    expect(said({ FAUCET_URL: url })).toBe('right')
  for (const url of ['http://faucet.example', 'http://127.0.0.1.example', 'http://10.0.0.1:4000'])
    expect(said({ FAUCET_URL: url })).toMatch(refused)
  for (const url of ['https://base.example', `${here},https://base.example`, `${here},wss://base.example`])
    expect(said({ FAUCET_URL: here, RPC_URL_POLYGON: url })).toMatch(refused)
})

test('every setting that is read is also used', async () => {
  const { config, secrets } = loadConfig(serviceVariables)
  const sources = new Bun.Glob('src/**/*.ts').scan({ cwd: `${import.meta.dir}/../..` })
  const texts: string[] = []
  for await (const path of sources)
    if (!path.startsWith('src/app/config/')) texts.push(await Bun.file(`${import.meta.dir}/../../${path}`).text())
  const all = texts.join('\n')
  const settings = [...Object.keys(config), ...Object.keys(secrets)]
  expect(settings.filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([])
})

test('the key of receipts is a separate key, and is optional', () => {
  const receipt = (RECEIPT_KEY: string) => said({ RECEIPT_KEY })
  const { ROUTE_SIGNER_PRIVATE_KEY: routeSigner = '', RELAYER_PRIVATE_KEYS: relayers = '' } = serviceVariables
  const keyOf = (env: object) => loadConfig({ ...serviceVariables, ...env }).keys.receipt
  expect([keyOf({}), keyOf({ RECEIPT_KEY: `0x${'7e'.repeat(32)}` })]).toEqual([null, `0x${'7e'.repeat(32)}`])
  expect(receipt('0x12')).toStartWith('RECEIPT_KEY must be a private key')
  for (const other of [routeSigner, relayers.split(',')[0]!, routeSigner.toUpperCase().replace('0X', '0x')])
    expect(receipt(other)).toStartWith('RECEIPT_KEY must be a key that no other variable names')
  expect(said({ FORMER_RECEIPT_ADDRESSES: '0x12' })).toStartWith('FORMER_RECEIPT_ADDRESSES must be EVM addresses')
})

test('the signer’s certificates must be complete, and are accepted only for a connection that uses them', () => {
  const file = import.meta.path
  const [ROLES, SIGNER_ACCESS_KEY] = ['worker', key]
  const asks = { ROLES, SIGNER_ACCESS_KEY, ROUTE_SIGNER_PRIVATE_KEY: '', INTENT_MAC_KEY: '' }
  const tls = { SIGNER_TLS_CERT_FILE: file, SIGNER_TLS_KEY_FILE: file, SIGNER_TLS_CA_FILE: file }
  const https = { ...asks, SIGNER_URL: 'https://signer:3100' }
  expect([said({ ...https, ...tls }), said(https)]).toEqual(['right', 'right'])
  expect(loadConfig({ ...serviceVariables, ...https, ...tls }).config.signerTls?.caFile).toBe(file)
  expect(said({ ...https, ...tls, SIGNER_TLS_KEY_FILE: '' })).toStartWith('SIGNER_TLS_KEY_FILE is required')
  for (const SIGNER_URL of ['http://signer:3100', 'unix:/run/signer.sock'])
    expect(said({ ...https, ...tls, SIGNER_URL })).toStartWith('SIGNER_URL must be https://host:port')
  const signs = { ROLES: 'signer', SIGNER_ACCESS_KEY, RELAYER_PRIVATE_KEYS: '', SIGNER_LOG_PATH: '/tmp/signing.log' }
  expect(said({ ...signs, ...tls })).toBe('right')
  const socket = { ...signs, ...tls, SIGNER_LISTEN: 'unix:/run/signer.sock' }
  expect(said(socket)).toStartWith('SIGNER_LISTEN must be host:port')
})

test('orders are kept permanently unless a plan has a retention', () => {
  const keptWith = (env: Record<string, string>) =>
    loadConfig({ ...serviceVariables, ...env }).config.retentionDays.orders
  expect(keptWith({})).toEqual({})
  expect(keptWith({ ORDER_RETENTION: 'free:90:365, growth:400,custom:30:0' })).toEqual({
    free: { days: 90, archiveDays: 365 },
    growth: { days: 400, archiveDays: null },
    custom: { days: 30, archiveDays: 0 },
  })
})
