import type { Type } from 'arktype'
import { type ChainKey, chainKeys, chains } from './domain/chain'
import type { Address, Hex } from './domain/hex'
import { relaySolver } from './domain/relay-order'
import { retry } from './domain/retry'
import { type } from './domain/schema'

const integer = (least: number, most: number, otherwise: number) =>
  type('string.integer.parse').to(type.number.atLeast(least).atMost(most)).default(String(otherwise))
const Url = type('string.url').describe('a URL')
const AddressText = type(/^0x[0-9a-fA-F]{40}$/)
  .describe('an EVM address')
  .as<Address>()
const originForm = /^https?:\/\/[^/,\s@?#]+$/
/** As a browser sends it: no path, no default port, lower case. Never all of them. */
const Origins = type('string')
  .narrow((text) => text.split(',').every((origin) => originForm.test(origin) && new URL(origin).origin === origin))
  .describe('origins like https://app.example.com with commas between them')
const PrivateKey = type(/^0x[0-9a-fA-F]{64}$/)
  .describe('a private key')
  .as<Hex>()
const PrivateKeys = type(/^0x[0-9a-fA-F]{64}(,0x[0-9a-fA-F]{64})*$/).describe('private keys with commas between them')

const roles = ['api', 'worker', 'scanner'] as const
export type ProcessRole = (typeof roles)[number]

const suffix = (key: ChainKey) => key.toUpperCase()
const perKey = <Value>(prefix: string, make: (key: ChainKey) => Value) =>
  Object.fromEntries(chainKeys.map((key) => [`${prefix}_${suffix(key)}`, make(key)]))

/** Absent means the default. Present but invalid stops the start. */
const Environment = type({
  PORT: integer(0, 65_535, 3_000),
  HOST: "string = '127.0.0.1'",
  ROLES: type(/^(all|(api|worker|scanner)(,(api|worker|scanner))*)$/)
    .describe('all, or some of api, worker, scanner')
    .default('all'),
  MONGODB_URL: type(/^mongodb(\+srv)?:\/\/\S+$/)
    .describe('a mongodb:// URL')
    .default('mongodb://127.0.0.1:27017/switchyard?replicaSet=rs0'),
  MONGODB_DATABASE: type(/^[A-Za-z0-9_-]{1,38}$/)
    .describe('a database name')
    .default('switchyard'),
  NATS_URL: type(/^(nats|tls):\/\/\S+$/)
    .describe('a nats:// URL')
    .default('nats://127.0.0.1:4222'),
  LOG_LEVEL: type("'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent'").default('info'),
  'TOKEN_LIST?': type('string > 0').describe('a path to a token list'),
  'PUBLIC_URL?': Url,
  'AUTH_SECRET?': type('string >= 32').describe('32 characters or more'),
  'SMTP_URL?': type(/^smtps?:\/\/\S+$/).describe('an smtp:// URL'),
  MAIL_FROM: "string = 'Switchyard <no-reply@localhost>'",
  LIFI_URL: Url.default('https://li.quest/v1'),
  'LIFI_API_KEY?': 'string > 0',
  'RELAY_URL?': Url,
  'RELAY_API_KEY?': 'string > 0',
  RELAY_SOLVER_ADDRESS: AddressText.default(relaySolver),
  ALCHEMY_NOTIFY_URL: Url.default('https://dashboard.alchemy.com/api'),
  'ALCHEMY_AUTH_TOKEN?': 'string > 0',
  'ALCHEMY_WEBHOOK_URL?': Url,
  ACCOUNT_REGISTRY_ADDRESS: AddressText,
  ROUTE_EXECUTOR_ADDRESS: AddressText,
  BALANCE_LENS_ADDRESS: AddressText,
  FEE_COLLECTOR_ADDRESS: AddressText,
  ROUTE_SIGNER_PRIVATE_KEY: PrivateKey,
  RELAYER_PRIVATE_KEYS: PrivateKeys,
  CONCURRENCY: integer(1, 1_000, 64),
  SWEEP_MS: integer(50, 60_000, 500),
  TEND_MS: integer(100, 60_000, 2_000),
  'CHAIN_POLL_MS?': type('string.integer.parse').to('20 <= number <= 60000'),
  QUOTE_TIMEOUT_MS: integer(100, 14_000, 8_000),
  RETRIES_MAX: integer(0, 100, retry.retriesMax),
  RETRY_BASE_MS: integer(1, 600_000, retry.baseMs),
  RETRY_MAX_MS: integer(1, 86_400_000, retry.maxMs),
  HEAD_STALE_SECONDS: integer(2, 3_600, 60),
  ORDER_SECONDS: integer(10, 3_000, 150),
  CONFIRM_QUORUM_USD: integer(0, 1_000_000_000, 10_000),
  DUST_FLOOR_USD_CENTS: integer(0, 10_000, 1),
  'CORS_ORIGINS?': Origins,
  'METRICS_TOKEN?': type('string >= 16').describe('a token of 16 characters or more'),
})

const optional = (key: ChainKey) => `ALCHEMY_SIGNING_KEY_${suffix(key)}?`
const alchemyRpc = (key: ChainKey) => `ALCHEMY_RPC_URL_${suffix(key)}?`
const webhookPath = '/webhooks/alchemy'

/** One variable per chain and kind, named after the row of the chain table. */
const ChainEnvironment = type({
  ...perKey('RPC_URL', () => type('string > 0').describe('RPC URLs with commas between them')),
  ...perKey('CONFIRMATIONS', (key) => integer(1, 10_000, chains[key].confirmations)),
  ...Object.fromEntries(chainKeys.map((key) => [optional(key), type('string >= 8')])),
  ...Object.fromEntries(chainKeys.map((key) => [alchemyRpc(key), Url])),
} as Record<string, Type<unknown>>)

export type Config = ReturnType<typeof loadConfig>['config']
export type Secrets = ReturnType<typeof loadConfig>['secrets']

/** What the operator of the service has to mend: said as it is, without a stack. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** What is set is looked at before anything is started; what is not set yet may still come. @throws {ConfigError} */
export function checkGiven(env: Record<string, string | undefined>): void {
  const wrong = objections(env).filter(({ code }) => code !== 'required')
  if (wrong.length > 0) throw new ConfigError(sentencesOf(wrong))
}

const givenIn = (env: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))

const objections = (env: Record<string, string | undefined>) =>
  [Environment(givenIn(env)), ChainEnvironment(givenIn(env))].flatMap((part) =>
    part instanceof type.errors ? [...part] : [],
  )

const sentencesOf = (wrong: ReturnType<typeof objections>): string =>
  wrong
    .map(({ path, expected, code }) => `${path} ${code === 'required' ? 'is required' : `must be ${expected}`}`)
    .join('\n')

/** @throws {ConfigError} naming every wrong variable at once, and never its value: it may be a secret. */
export function loadConfig(env: Record<string, string | undefined>) {
  const given = givenIn(env)
  const read = Environment(given)
  const perChain = ChainEnvironment(given)
  if (read instanceof type.errors || perChain instanceof type.errors)
    throw new ConfigError(sentencesOf(objections(env)))
  const of = <Value>(prefix: string): Record<ChainKey, Value> =>
    Object.fromEntries(
      chainKeys.map((key) => [key, (perChain as Record<string, unknown>)[`${prefix}_${suffix(key)}`]]),
    ) as Record<ChainKey, Value>
  const lists = (texts: Record<ChainKey, string | undefined>) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, text ? text.split(',').map((part) => part.trim()) : []]),
    ) as Record<ChainKey, string[]>
  const givenOnes = (prefix: string): Partial<Record<ChainKey, string>> =>
    Object.fromEntries(Object.entries(of<string | undefined>(prefix)).filter(([, url]) => url !== undefined))
  return {
    config: {
      port: read.PORT,
      host: read.HOST,
      roles: read.ROLES === 'all' ? [...roles] : (read.ROLES.split(',') as ProcessRole[]),
      mongoDatabase: read.MONGODB_DATABASE,
      logLevel: read.LOG_LEVEL,
      tokenList: read.TOKEN_LIST ?? null,
      publicUrl: read.PUBLIC_URL ?? null,
      corsOrigins: read.CORS_ORIGINS?.split(',') ?? [],
      mailFrom: read.MAIL_FROM,
      lifiUrl: read.LIFI_URL,
      relayUrl: read.RELAY_URL ?? null,
      relaySolver: read.RELAY_SOLVER_ADDRESS,
      alchemyNotifyUrl: read.ALCHEMY_NOTIFY_URL,
      alchemyWebhookUrl: read.ALCHEMY_WEBHOOK_URL ?? (read.PUBLIC_URL ? `${read.PUBLIC_URL}${webhookPath}` : null),
      registry: read.ACCOUNT_REGISTRY_ADDRESS,
      executor: read.ROUTE_EXECUTOR_ADDRESS,
      lens: read.BALANCE_LENS_ADDRESS,
      collector: read.FEE_COLLECTOR_ADDRESS,
      concurrency: read.CONCURRENCY,
      sweepMs: read.SWEEP_MS,
      tendMs: read.TEND_MS,
      chainPollMs: read.CHAIN_POLL_MS ?? null,
      quoteTimeoutMs: read.QUOTE_TIMEOUT_MS,
      headStaleMs: read.HEAD_STALE_SECONDS * 1_000,
      orderSeconds: read.ORDER_SECONDS,
      quorumUsd: BigInt(read.CONFIRM_QUORUM_USD) * 100_000_000n,
      dustFloorUsd: BigInt(read.DUST_FLOOR_USD_CENTS) * 1_000_000n,
      retry: { ...retry, retriesMax: read.RETRIES_MAX, baseMs: read.RETRY_BASE_MS, maxMs: read.RETRY_MAX_MS },
      confirmations: of<number>('CONFIRMATIONS'),
    },
    /** URLs too: they carry passwords and keys. */
    secrets: {
      mongoUrl: read.MONGODB_URL,
      natsUrl: read.NATS_URL,
      metricsToken: read.METRICS_TOKEN ?? null,
      authSecret: read.AUTH_SECRET ?? null,
      smtpUrl: read.SMTP_URL ?? null,
      lifiApiKey: read.LIFI_API_KEY ?? null,
      relayApiKey: read.RELAY_API_KEY ?? null,
      alchemyAuthToken: read.ALCHEMY_AUTH_TOKEN ?? null,
      alchemyRpcUrls: givenOnes('ALCHEMY_RPC_URL'),
      routeSignerPrivateKey: read.ROUTE_SIGNER_PRIVATE_KEY,
      relayerPrivateKeys: read.RELAYER_PRIVATE_KEYS.split(',') as Hex[],
      rpcUrls: lists(of<string>('RPC_URL')),
      alchemySigningKeys: lists(of<string | undefined>('ALCHEMY_SIGNING_KEY')),
    },
  }
}
