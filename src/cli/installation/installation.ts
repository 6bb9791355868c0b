import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { wallClock } from '../../adapters/clock'
import { type Devnet, startDevnet } from '../../devnet/devnet'
import { freePort, type HeldPort, holdPort } from '../../devnet/servers/free-port'
import { startMongo } from '../../devnet/servers/mongo'
import { startNats } from '../../devnet/servers/nats'
import { externalServer, type Report, type Server } from '../../devnet/servers/server'
import { type Change, type Supervised, supervise } from '../../devnet/servers/supervise'
import type { Seals } from '../../domain/seals'
import type { SeededKeys } from '../demo/seed'
import { type DashboardAccount, seedDashboard } from '../demo/seed-dashboard'
import { seedDatabase } from '../demo/seed-database'
import { Failure } from '../terminal/failure'
import { dropDatabase, dropDemoDatabases, withDatabase } from './database'
import { sealsWith } from './seals'
import { startService } from './service-process'

const defaultPort = 3_000
const webhookPath = '/webhooks/alchemy'

type NatsCluster = { kind: string; servers: readonly Server[]; restart(n: number): Promise<void> }

export type InstallationOptions = {
  /** The folder for data, logs and settings of everything started. */
  dir: string
  /** The port of the API, which must be free. If absent, the default port is used, or any free one. */
  port?: number | undefined
  /** A running MongoDB, such as the one in MONGODB_URL. */
  mongodbUrl?: string
  /** Variables of the service that override all others. */
  env?: Record<string, string>
  /** Whether USDC may use the devnet's CCTP, which then takes every route between native USDC. */
  cctp?: boolean
  /** Whether webhooks report every account, registered or not. Tests that count webhooks need this. */
  watchesAll?: boolean
  /** Starts several NATS servers instead of one. */
  natsCluster?: (options: { dataDir: string; report: Report }) => Promise<NatsCluster>
  /** Block interval of a chain with traffic, in seconds. Without it, 0.1 seconds. */
  blockTimeSeconds?: number
  onChange?: (change: Change) => void
}

/** The servers, the five chains and the service on this machine: started one by one, kept running, stopped together. */
export class Installation {
  readonly database: string
  readonly intentMacKey: string
  port = 0
  devnet!: Devnet
  keys!: SeededKeys
  dashboard!: DashboardAccount
  private readonly supervised = new Map<string, Supervised>()
  private readonly externalMongodbUrl: string | undefined
  private held: HeldPort | null = null
  private stopping: Promise<void> | null = null

  constructor(private readonly options: InstallationOptions) {
    mkdirSync(options.dir, { recursive: true })
    this.externalMongodbUrl = options.mongodbUrl ?? process.env['MONGODB_URL']
    const unique = `${wallClock().toString(36)}${process.pid.toString(36)}`
    this.intentMacKey = process.env['INTENT_MAC_KEY'] || `0x${randomBytes(32).toString('hex')}`
    this.database = process.env['MONGODB_DATABASE'] || `switchyard_demo_${unique}`
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Reserves the service's port before any slow work, to report a port in use immediately. */
  async choosePort(): Promise<void> {
    const { port } = this.options
    const held = (await holdPort(port ?? defaultPort)) ?? (port ? null : await holdPort(0))
    if (!held)
      throw new Failure(
        `Port ${port} is in use: stop the program that listens there, or choose another port with --port or PORT.`,
      )
    this.held = held
    this.port = held.port
  }

  /** First removes the streams of earlier runs, because their messages concern chains that no longer exist. */
  async startNats(report: Report): Promise<string> {
    const dataDir = join(this.options.dir, 'nats')
    rmSync(join(dataDir, 'jetstream'), { recursive: true, force: true })
    const { natsCluster } = this.options
    if (natsCluster) return this.keepCluster(await natsCluster({ dataDir, report }))
    const port = await freePort()
    const { server } = await this.keep('nats', () => startNats({ dataDir, port, report }))
    return server.kind
  }

  private async keepCluster(cluster: NatsCluster): Promise<string> {
    const started = cluster.servers.map((first, n) => {
      let next: Server | null = first
      return this.keep(`nats-${n}`, async () => {
        if (!next) await cluster.restart(n)
        const server = next ?? cluster.servers[n]!
        next = null
        return server
      })
    })
    await Promise.all(started)
    return cluster.kind
  }

  async startMongo(report: Report): Promise<string> {
    const dataDir = join(this.options.dir, 'mongodb')
    const port = await freePort()
    const externalUrl = this.externalMongodbUrl
    const start = async () => (externalUrl ? externalServer(externalUrl) : startMongo({ dataDir, port, report }))
    const { server } = await this.keep('mongodb', start)
    return server.kind
  }

  async startDevnet(report: Report): Promise<string> {
    const devnet = await startDevnet({
      dir: this.options.dir,
      report,
      webhookUrl: this.webhookUrl,
      watchesAll: this.options.watchesAll ?? false,
      ...(this.options.blockTimeSeconds !== undefined && { blockTimeSeconds: this.options.blockTimeSeconds }),
    })
    this.devnet = devnet
    if (this.stopping) await devnet.stop()
    return Object.values(devnet.chains)
      .map(({ key }) => key)
      .join(', ')
  }

  async seed(): Promise<string> {
    const stale = this.externalMongodbUrl ? null : dropDemoDatabases(this.mongodbUrl, this.database)
    this.keys = await seedDatabase(this.mongodbUrlWithDatabase, this.devnet.contracts.registry, this.seals)
    this.dashboard = await seedDashboard(this.mongodbUrlWithDatabase, this.apiUrl)
    await stale
    return `${Object.keys(this.keys).length} keys`
  }

  /** Releases the reserved port just before the service, or a service started elsewhere, takes it. */
  async releasePort(): Promise<void> {
    await this.held?.release()
    this.held = null
  }

  async startService(): Promise<string> {
    const log = join(this.options.dir, 'service.log')
    await this.releasePort()
    await this.keep('service', () => startService({ env: this.serviceEnv(), port: this.port, log }))
    return this.apiUrl
  }

  /** The service's environment on this devnet. Variables of our own environment override the installation's. */
  serviceEnv(): Record<string, string | undefined> {
    const { MONGODB_URL: _, MONGODB_DATABASE: __, NATS_URL: ___, PORT: ____, ...given } = process.env
    return { ...given, ...this.installationEnv(), ...this.options.env }
  }

  /** The variables that this installation sets for the service. */
  installationEnv(): Record<string, string> {
    return {
      CHAIN_POLL_MS: process.env['CHAIN_POLL_MS'] || '100',
      SWEEP_MS: process.env['SWEEP_MS'] || '200',
      RETRY_BASE_MS: process.env['RETRY_BASE_MS'] || '100',
      RETRY_MAX_MS: process.env['RETRY_MAX_MS'] || '1000',
      RETRY_PROVIDER_MAX_MS: process.env['RETRY_PROVIDER_MAX_MS'] || process.env['RETRY_MAX_MS'] || '1000',
      SHUTDOWN_DELAY_MS: process.env['SHUTDOWN_DELAY_MS'] || '0',
      ...this.devnet.serviceEnv(),
      ...(this.options.cctp && { CCTP_URL: this.devnet.cctpUrl }),
      INTENT_MAC_KEY: this.intentMacKey,
      PORT: `${this.port}`,
      MONGODB_URL: this.mongodbUrlWithDatabase,
      MONGODB_DATABASE: this.database,
      NATS_URL: this.natsUrl,
      ...(this.natsServers.length > 1 && { NATS_REPLICAS: `${this.natsServers.length}` }),
    }
  }

  get seals(): Seals {
    return sealsWith(this.intentMacKey)
  }

  get natsUrl(): string {
    return this.natsServers.map(({ url }) => url).join(',')
  }

  /** The NATS servers running now. */
  get natsServers(): Server[] {
    return [...this.supervised].filter(([name]) => name.startsWith('nats')).map(([, { server }]) => server)
  }

  get mongodbUrl(): string {
    return this.server('mongodb').url
  }

  get mongodbUrlWithDatabase(): string {
    return withDatabase(this.mongodbUrl, this.database)
  }

  get webhookUrl(): string {
    return `${this.apiUrl}${webhookPath}`
  }

  server(name: 'nats' | 'mongodb' | 'service'): Server {
    const supervised = this.supervised.get(name)
    if (!supervised) throw new Error(`${name} is not started`)
    return supervised.server
  }

  /** The ids of all our processes by name. Excludes a server that was already running. */
  processes(): Record<string, number> {
    const own = [...this.supervised].flatMap(([name, { server }]) => (server.pid === null ? [] : [[name, server.pid]]))
    return { ...Object.fromEntries(own), ...this.devnet?.processes }
  }

  /** Stops everything once, even if called repeatedly. The service drains first, then the servers stop. */
  stop(): Promise<void> {
    this.stopping ??= (async () => {
      await this.releasePort()
      await this.supervised.get('service')?.stop()
      const isSeeded = this.keys !== undefined
      if (this.externalMongodbUrl && isSeeded && !process.env['MONGODB_DATABASE'])
        await dropDatabase(this.mongodbUrlWithDatabase).catch(() => {})
      const rest = [...this.supervised].filter(([name]) => name !== 'service').map(([, server]) => server.stop())
      await Promise.allSettled([this.devnet?.stop(), ...rest])
    })()
    return this.stopping
  }

  private async keep(name: string, start: () => Promise<Server>): Promise<Supervised> {
    if (this.stopping) throw new Failure('The installation was stopped while it was starting.')
    const supervised = await supervise(name, start, (change) => this.options.onChange?.(change))
    this.supervised.set(name, supervised)
    if (this.stopping) await supervised.stop()
    return supervised
  }
}
