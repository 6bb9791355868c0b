import { type ChainKey, chainKeys, chains, network, networks, perChainKey } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { ProviderKey } from '../../domain/execution/provider'
import { retry } from '../../domain/execution/retry'
import { decodedText } from '../../domain/plain-text'
import { relaySolver, relayUrl } from '../../protocols/relay/relay-order'
import { headers, mongodb, natsServers, origins, readableFile, signerListen, signerPlace } from './config-forms'
import { address, addresses, keyNames, type ProcessRole, readKeys, roles } from './config-keys'
import { faucetObjections, isOutside, loopbackObjections, outsideObjections, proxies } from './config-outside'
import { retentionOf, retentionVariables } from './config-retention'
import {
  anyText,
  integer,
  matching,
  nodeUrls,
  type Objection,
  oneOf,
  optional,
  otherwise,
  readVariables,
  sentencesOf,
  that,
  url,
  type Variable,
} from './env-variable'

/** Settings of the signer: its address, how to connect to it, and what it may sign. */
const signerVariables = {
  SIGNER_URL: optional(signerPlace),
  SIGNER_ADDRESSES: optional(addresses),
  SIGNER_LISTEN: otherwise('127.0.0.1:3100', signerListen),
  SIGNER_TLS_CERT_FILE: optional(readableFile),
  SIGNER_TLS_KEY_FILE: optional(readableFile),
  SIGNER_TLS_CA_FILE: optional(readableFile),
  SIGNER_LOG_PATH: optional(anyText),
  SIGNER_HOURLY_PERCENT: otherwise(50, integer(1, 100)),
  SIGNER_ORGANIZATION_PERCENT: otherwise(50, integer(1, 100)),
}
type SignerValues = ReturnType<typeof readVariables<typeof signerVariables>>['values']

const tlsNames = ['SIGNER_TLS_CERT_FILE', 'SIGNER_TLS_KEY_FILE', 'SIGNER_TLS_CA_FILE'] as const

/** Objects to incomplete TLS settings: a process with certificates must not fall back to a connection without TLS. */
function signerObjections(read: SignerValues, { isSigner }: { isSigner: boolean }): Objection[] {
  const objections: Objection[] = isSigner && !read.SIGNER_LOG_PATH ? [{ name: 'SIGNER_LOG_PATH', expected: null }] : []
  const missing = tlsNames.filter((name) => read[name] === undefined)
  if (missing.length === tlsNames.length) return objections
  for (const name of missing) objections.push({ name, expected: null, why: 'if another file of SIGNER_TLS_… is set' })
  if (isSigner && read.SIGNER_LISTEN.startsWith('unix:'))
    objections.push({ name: 'SIGNER_LISTEN', expected: 'host:port if SIGNER_TLS_CERT_FILE is set' })
  if (read.SIGNER_URL && !read.SIGNER_URL.startsWith('https:'))
    objections.push({ name: 'SIGNER_URL', expected: 'https://host:port if SIGNER_TLS_CERT_FILE is set' })
  return objections
}

const signerConfigOf = (read: SignerValues) => ({
  signerUrl: read.SIGNER_URL ?? null,
  signerAddresses: (read.SIGNER_ADDRESSES?.split(',') ?? null) as Address[] | null,
  signerListen: read.SIGNER_LISTEN,
  signerTls:
    read.SIGNER_TLS_CERT_FILE && read.SIGNER_TLS_KEY_FILE && read.SIGNER_TLS_CA_FILE
      ? { certFile: read.SIGNER_TLS_CERT_FILE, keyFile: read.SIGNER_TLS_KEY_FILE, caFile: read.SIGNER_TLS_CA_FILE }
      : null,
  signerLogPath: read.SIGNER_LOG_PATH ?? null,
  signerHourlyPercent: read.SIGNER_HOURLY_PERCENT,
  signerOrganizationPercent: read.SIGNER_ORGANIZATION_PERCENT,
})

const integerOr = (value: number, least: number, most: number) => otherwise(value, integer(least, most))
/** In requests a day. Following one chain closely takes about 120,000. */
const rpcBudget = integer(1_000, 1_000_000_000_000)
/** A container gets 40 seconds to stop. After this delay, work in progress may use 15 of them. */
export const shutdownDelayMsMax = 20_000
const atLeast = (length: number, expected: string) => that((text) => text.length >= length, expected)

/** An absent variable takes its default. An invalid one stops the start. */
const variables = {
  NETWORK: otherwise('mainnet', oneOf(networks)),
  PORT: integerOr(3_000, 0, 65_535),
  HOST: otherwise('127.0.0.1', matching(/^[\w.:-]+$/, 'a host name or an address')),
  ROLES: otherwise(
    'all',
    matching(
      /^(all|(api|worker|scanner|signer)(,(api|worker|scanner|signer))*)$/,
      'all, or some of api, worker, scanner, or signer',
    ),
  ),
  ...signerVariables,
  GCP_KMS_URL: otherwise('https://cloudkms.googleapis.com', url),
  MONGODB_URL: otherwise('mongodb://127.0.0.1:27017/switchyard?replicaSet=rs0', matching(mongodb, 'a mongodb:// URL')),
  MONGODB_DATABASE: optional(matching(/^[A-Za-z0-9_-]{1,38}$/, 'a database name')),
  NATS_URL: otherwise('nats://127.0.0.1:4222', natsServers),
  NATS_CA_FILE: optional(readableFile),
  NATS_REPLICAS: otherwise('1', oneOf(['1', '3', '5'])),
  LOG_LEVEL: otherwise('info', oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])),
  TOKEN_LIST: optional(anyText),
  PUBLIC_URL: optional(url),
  TRUSTED_PROXIES: optional(proxies),
  REGISTRATION: otherwise('invitation', oneOf(['invitation', 'open'])),
  AUTH_SECRET: optional(atLeast(32, '32 characters or more')),
  SMTP_URL: optional(matching(/^smtps?:\/\/\S+$/, 'an smtp:// URL')),
  MAIL_FROM: otherwise('Switchyard <no-reply@localhost>', matching(/\S@\S/, 'an e-mail address')),
  FAUCET_URL: optional(url),
  WEBHOOKS_TO_LOOPBACK: otherwise('false', oneOf(['true', 'false'])),
  // LI.FI serves no test network.
  LIFI_URL: network === 'testnet' ? optional(url) : otherwise('https://li.quest/v1', url),
  LIFI_API_KEY: optional(anyText),
  LIFI_REQUESTS_PER_MINUTE: optional(integer(1, 1_000_000)),
  RELAY_URL: optional(url),
  RELAY_API_KEY: optional(anyText),
  RELAY_REQUESTS_PER_MINUTE: optional(integer(1, 1_000_000)),
  RELAY_PRICES_URL: otherwise(relayUrl, url),
  RELAY_SOLVER_ADDRESS: otherwise(relaySolver, address),
  CCTP_URL: optional(url),
  ALCHEMY_NOTIFY_URL: otherwise('https://dashboard.alchemy.com/api', url),
  ALCHEMY_AUTH_TOKEN: optional(anyText),
  ALCHEMY_WEBHOOK_URL: optional(url),
  ACCOUNT_REGISTRY_ADDRESS: address,
  ROUTE_EXECUTOR_ADDRESS: address,
  FORMER_EXECUTOR_ADDRESSES: optional(addresses),
  FORMER_RECEIPT_ADDRESSES: optional(addresses),
  RECOVERY_EXECUTOR_ADDRESS: optional(address),
  FORMER_RECOVERY_EXECUTOR_ADDRESSES: optional(addresses),
  BALANCE_LENS_ADDRESS: address,
  FEE_COLLECTOR_ADDRESS: address,
  CONCURRENCY: integerOr(64, 1, 1_000),
  SWEEP_MS: integerOr(500, 50, 60_000),
  TEND_MS: integerOr(2_000, 100, 60_000),
  CHAIN_POLL_MS: optional(integer(20, 60_000)),
  RPC_BUDGET_PER_DAY: optional(rpcBudget),
  QUOTE_TIMEOUT_MS: integerOr(8_000, 100, 14_000),
  RETRIES_MAX: integerOr(retry.retriesMax, 0, 100),
  RETRY_BASE_MS: integerOr(retry.baseMs, 1, 600_000),
  RETRY_MAX_MS: integerOr(retry.maxMs, 1, 86_400_000),
  RETRY_PROVIDER_MAX_MS: integerOr(retry.providerMaxMs, 1, 86_400_000),
  HEAD_STALE_SECONDS: integerOr(60, 2, 3_600),
  ORDER_SECONDS: integerOr(150, 10, 3_000),
  ORDERS_PER_TRANSACTION: integerOr(1, 1, 20),
  CONFIRM_QUORUM_USD: integerOr(10_000, 0, 1_000_000_000),
  DUST_FLOOR_USD_CENTS: integerOr(1, 0, 10_000),
  ...retentionVariables,
  CORS_ORIGINS: optional(origins),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(url),
  OTEL_EXPORTER_OTLP_HEADERS: optional(headers),
  OTEL_SERVICE_NAME: otherwise('switchyard', matching(/^[\w.-]{1,64}$/, 'a name of letters, digits, dots and dashes')),
  OTEL_TRACES_SAMPLER_ARG: otherwise('1', matching(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'a share from 0 to 1')),
  SHUTDOWN_DELAY_MS: integerOr(5_000, 0, shutdownDelayMsMax),
  METRICS_TOKEN: optional(atLeast(16, 'a token of 16 characters or more')),
}

const suffix = (key: ChainKey) => key.toUpperCase()
const perKey = <V>(prefix: string, make: (key: ChainKey) => V): Record<string, V> =>
  Object.fromEntries(chainKeys.map((key) => [`${prefix}_${suffix(key)}`, make(key)]))

/** One variable per kind and chain, named after the chain's key in the chain table. */
const chainVariables: Record<string, Variable<unknown, unknown>> = {
  ...perKey('RPC_URL', () => nodeUrls),
  ...perKey('RPC_BUDGET_PER_DAY', () => optional(rpcBudget)),
  ...perKey('CONFIRMATIONS', (key) => integerOr(chains[key].confirmations, 1, 10_000)),
  ...perKey('ALCHEMY_SIGNING_KEY', () => optional(atLeast(8, 'at least length 8'))),
  ...perKey('ALCHEMY_RPC_URL', () => optional(url)),
}

export const variableNames: readonly string[] = [variables, chainVariables].flatMap(Object.keys).concat(keyNames)

export type Secrets = ReturnType<typeof loadConfig>['secrets']

/** An invalid configuration, which the operator must fix. Its message is shown unchanged, without a stack. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Checks the variables that are set, before anything starts. Missing variables are not reported, because they may still
 * be set later.
 *
 * @throws {ConfigError}
 */
export function checkVariables(env: Env): void {
  const wrong = readEnvironment(env).objections.filter(({ expected }) => expected !== null)
  if (wrong.length > 0) throw new ConfigError(sentencesOf(wrong))
}

type Env = Record<string, string | undefined>
function readEnvironment(env: Env) {
  const read = readVariables(variables, env)
  const perChain = readVariables(chainVariables, env)
  const of = rolesOf(read.values.ROLES)
  const keys = readKeys(of, env, { hasSigner: of.includes('worker') && read.values.SIGNER_URL !== undefined })
  const isApi = of.includes('api')
  const outside = isApi ? outsideObjections(read.values) : []
  const faucet = [
    ...faucetObjections(read.values.FAUCET_URL, perChain.values),
    ...loopbackObjections(read.values.WEBHOOKS_TO_LOOPBACK === 'true', perChain.values),
  ]
  const signer = signerObjections(read.values, { isSigner: of.includes('signer') })
  const objections = [...read.objections, ...outside, ...faucet, ...signer, ...keys.objections, ...perChain.objections]
  return { read: read.values, perChain: perChain.values, keys, objections }
}

const rolesOf = (text = 'all'): ProcessRole[] => (text === 'all' ? [...roles] : (text.split(',') as ProcessRole[]))

/** @throws {ConfigError} naming every wrong variable in one message, but never a value, which might be secret. */
export function loadConfig(env: Env) {
  const { read, perChain, keys, objections } = readEnvironment(env)
  if (objections.length > 0) throw new ConfigError(sentencesOf(objections))
  return {
    config: { ...configOf(read, perChain), relayerAddresses: keys.relayerAddresses },
    secrets: secretsOf(read, perChain),
    /** Separate from the settings: only the code that signs or seals receives keys. */
    keys: keys.keys,
    /** Keys that are set but that this process does not need. */
    misplaced: keys.misplaced,
  }
}

type Environment = ReturnType<typeof readEnvironment>
type ConfigValues = Environment['read']
type PerChain = Environment['perChain']

const ofChains = <Value>(values: PerChain, prefix: string): Record<ChainKey, Value> =>
  perChainKey((key) => values[`${prefix}_${suffix(key)}`] as Value)

const lists = (values: PerChain, prefix: string): Record<ChainKey, string[]> =>
  Object.fromEntries(
    Object.entries(ofChains<string | undefined>(values, prefix)).map(([key, text]) => [
      key,
      text ? text.split(',').map((part) => part.trim()) : [],
    ]),
  ) as Record<ChainKey, string[]>

const isSubscription = (url: string): boolean => /^wss?:/i.test(url)
const only = (urls: Record<ChainKey, string[]>, isIt: (url: string) => boolean) =>
  Object.fromEntries(Object.entries(urls).map(([key, each]) => [key, each.filter(isIt)])) as Record<ChainKey, string[]>

const givenOnes = (values: PerChain, prefix: string): Partial<Record<ChainKey, string>> =>
  Object.fromEntries(
    Object.entries(ofChains<string | undefined>(values, prefix)).filter(([, text]) => text !== undefined),
  )

/** The request budget of each chain, or the general budget if the chain has none. */
const rpcBudgetsOf = (read: ConfigValues, perChain: PerChain): Record<ChainKey, number | null> =>
  Object.fromEntries(
    Object.entries(ofChains<number | undefined>(perChain, 'RPC_BUDGET_PER_DAY')).map(([key, own]) => [
      key,
      own ?? read.RPC_BUDGET_PER_DAY ?? null,
    ]),
  ) as Record<ChainKey, number | null>

function configOf(read: ConfigValues, perChain: PerChain) {
  return {
    port: read.PORT,
    host: read.HOST,
    roles: rolesOf(read.ROLES),
    ...signerConfigOf(read),
    gcpKmsUrl: read.GCP_KMS_URL,
    mongoDatabase: read.MONGODB_DATABASE ?? null,
    natsCaFile: read.NATS_CA_FILE ?? null,
    natsReplicas: Number(read.NATS_REPLICAS),
    logLevel: read.LOG_LEVEL,
    tokenList: read.TOKEN_LIST ?? null,
    publicUrl: read.PUBLIC_URL ?? null,
    trustedProxies: read.TRUSTED_PROXIES?.split(',') ?? [],
    registration: read.REGISTRATION,
    isOutside: isOutside(read),
    shutdownDelayMs: read.SHUTDOWN_DELAY_MS,
    corsOrigins: read.CORS_ORIGINS?.split(',') ?? [],
    mailFrom: read.MAIL_FROM,
    faucetUrl: read.FAUCET_URL ?? null,
    webhooksToLoopback: read.WEBHOOKS_TO_LOOPBACK === 'true',
    lifiUrl: read.LIFI_URL ?? null,
    relayUrl: read.RELAY_URL ?? null,
    relayPricesUrl: read.RELAY_PRICES_URL,
    relaySolver: read.RELAY_SOLVER_ADDRESS,
    cctpUrl: read.CCTP_URL ?? null,
    requestsPerMinute: {
      lifi: read.LIFI_REQUESTS_PER_MINUTE ?? null,
      relay: read.RELAY_REQUESTS_PER_MINUTE ?? null,
      cctp: null, // null: CCTP has no key and the same limit for everyone
    } satisfies Record<ProviderKey, number | null>,
    alchemyNotifyUrl: read.ALCHEMY_NOTIFY_URL,
    alchemyWebhookUrl: read.ALCHEMY_WEBHOOK_URL ?? (read.PUBLIC_URL ? `${read.PUBLIC_URL}/webhooks/alchemy` : null),
    registry: read.ACCOUNT_REGISTRY_ADDRESS,
    executor: read.ROUTE_EXECUTOR_ADDRESS,
    formerExecutors: [read.FORMER_EXECUTOR_ADDRESSES, read.FORMER_RECOVERY_EXECUTOR_ADDRESSES].flatMap(
      (listed) => (listed?.split(',') ?? []) as Address[],
    ),
    formerReceiptSigners: (read.FORMER_RECEIPT_ADDRESSES?.split(',') ?? []) as Address[],
    recoveryExecutor: read.RECOVERY_EXECUTOR_ADDRESS ?? null,
    lens: read.BALANCE_LENS_ADDRESS,
    collector: read.FEE_COLLECTOR_ADDRESS,
    concurrency: read.CONCURRENCY,
    sweepMs: read.SWEEP_MS,
    tendMs: read.TEND_MS,
    chainPollMs: read.CHAIN_POLL_MS ?? null,
    rpcBudgets: rpcBudgetsOf(read, perChain),
    quoteTimeoutMs: read.QUOTE_TIMEOUT_MS,
    headStaleMs: read.HEAD_STALE_SECONDS * 1_000,
    orderSeconds: read.ORDER_SECONDS,
    ordersPerTransaction: read.ORDERS_PER_TRANSACTION,
    quorumUsd: BigInt(read.CONFIRM_QUORUM_USD) * 100_000_000n,
    dustFloorUsd: BigInt(read.DUST_FLOOR_USD_CENTS) * 1_000_000n,
    retry: {
      ...retry,
      retriesMax: read.RETRIES_MAX,
      baseMs: read.RETRY_BASE_MS,
      maxMs: read.RETRY_MAX_MS,
      providerMaxMs: read.RETRY_PROVIDER_MAX_MS,
    },
    retentionDays: retentionOf(read),
    confirmations: ofChains<number>(perChain, 'CONFIRMATIONS'),
    traces: tracesOf(read),
  }
}

/** URLs are secrets too, because they carry passwords and keys. */
function secretsOf(read: ConfigValues, perChain: PerChain) {
  const nodes = lists(perChain, 'RPC_URL')
  return {
    mongoUrl: read.MONGODB_URL,
    natsUrl: read.NATS_URL,
    metricsToken: read.METRICS_TOKEN ?? null,
    traceHeaders: headersIn(read.OTEL_EXPORTER_OTLP_HEADERS),
    authSecret: read.AUTH_SECRET ?? null,
    smtpUrl: read.SMTP_URL ?? null,
    lifiApiKey: read.LIFI_API_KEY ?? null,
    relayApiKey: read.RELAY_API_KEY ?? null,
    alchemyAuthToken: read.ALCHEMY_AUTH_TOKEN ?? null,
    alchemyRpcUrls: givenOnes(perChain, 'ALCHEMY_RPC_URL'),
    rpcUrls: only(nodes, (url) => !isSubscription(url)),
    /** The nodes that push new heads. */
    subscriptionUrls: only(nodes, isSubscription),
    alchemySigningKeys: lists(perChain, 'ALCHEMY_SIGNING_KEY'),
  }
}

/**
 * The URL that receives spans, or null if tracing is off. OpenTelemetry requires the path of the signal to be appended.
 */
const tracesUrl = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: TracesEnvironment): string | null =>
  endpoint ? `${endpoint.replace(/\/+$/, '')}/v1/traces` : null

type TracesEnvironment = { OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined }

type Tracing = TracesEnvironment & { OTEL_SERVICE_NAME: string; OTEL_TRACES_SAMPLER_ARG: string }

const tracesOf = (read: Tracing) => ({
  url: tracesUrl(read),
  serviceName: read.OTEL_SERVICE_NAME,
  ratio: Number(read.OTEL_TRACES_SAMPLER_ARG),
})

/** Parses `name=value,name=value` as OpenTelemetry specifies it; values may be percent-encoded. */
function headersIn(text: string | undefined): Record<string, string> {
  const parts = (text ?? '').split(',').filter((part) => part.includes('='))
  return Object.fromEntries(
    parts.map((part) => {
      const [name = '', ...value] = part.trim().split('=')
      return [name, decodedText(value.join('='))]
    }),
  )
}
