import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Devnet, startDevnet } from '../../devnet/devnet'
import { freePort, type HeldPort, holdPort } from '../../devnet/servers/free-port'
import { startMongo } from '../../devnet/servers/mongo'
import { startNats } from '../../devnet/servers/nats'
import { externalServer, type Report, type Server } from '../../devnet/servers/server'
import { type Change, type Supervised, supervise } from '../../devnet/servers/supervise'
import type { Seals } from '../../ports/seals'
import type { SeededKeys } from '../demo/seed'
import { type DashboardAccount, seedDashboard } from '../demo/seed-dashboard'
import { seedDatabase } from '../demo/seed-database'
import { Failure } from '../terminal/failure'
import { dropDatabase, dropDemoDatabases, withDatabase } from './database'
import { sealsWith } from './seals'
import { startService } from './service-process'

export const defaultPort = 3_000
const webhookPath = '/webhooks/alchemy'

export type InstallationOptions = {
  /** Data, logs and settings of everything that is started. */
  dir: string
  /** The API's port, which must be free; otherwise the usual one if that is free, else any. */
  port?: number | undefined
  /** A MongoDB that runs already, as MONGODB_URL names one. */
  mongodbUrl?: string
  /** For the service, over everything else. */
  env?: Record<string, string>
  /** Webhooks tell of every account, registered or not: for tests that count them. */
  watchesAll?: boolean
  onChange?: (change: Change) => void
}

/** Servers, five chains and the service on this machine: started part by part, kept up, stopped as one. */
export class Installation {
  readonly database: string
  readonly intentMacKey: string
  port = 0
  devnet!: Devnet
  keys!: SeededKeys
  dashboard!: DashboardAccount
  private readonly kept = new Map<string, Supervised>()
  private readonly givenMongodbUrl: string | undefined
  private held: HeldPort | null = null
  private stopping: Promise<void> | null = null

  constructor(private readonly options: InstallationOptions) {
    mkdirSync(options.dir, { recursive: true })
    this.givenMongodbUrl = options.mongodbUrl ?? process.env['MONGODB_URL']
    const unique = `${Date.now().toString(36)}${process.pid.toString(36)}`
    this.intentMacKey = process.env['INTENT_MAC_KEY'] || `0x${randomBytes(32).toString('hex')}`
    this.database = process.env['MONGODB_DATABASE'] || `switchyard_demo_${unique}`
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Before anything slow: a taken port is said at once, and a free one is kept for the service. */
  async choosePort(): Promise<void> {
    const { port } = this.options
    const held = (await holdPort(port ?? defaultPort)) ?? (port ? null : await holdPort(0))
    if (!held)
      throw new Failure(`Port ${port} is taken: stop what listens there, or choose another with --port or PORT.`)
    this.held = held
    this.port = held.port
  }

  /** What earlier runs left in the streams is of other chains. */
  async startNats(report: Report): Promise<string> {
    const dataDir = join(this.options.dir, 'nats')
    rmSync(join(dataDir, 'jetstream'), { recursive: true, force: true })
    const port = await freePort()
    const { server } = await this.keep('nats', () => startNats({ dataDir, port, report }))
    return server.kind
  }

  async startMongo(report: Report): Promise<string> {
    const dataDir = join(this.options.dir, 'mongodb')
    const port = await freePort()
    const given = this.givenMongodbUrl
    const start = async () => (given ? externalServer(given) : startMongo({ dataDir, port, report }))
    const { server } = await this.keep('mongodb', start)
    return server.kind
  }

  async startDevnet(report: Report): Promise<string> {
    const devnet = await startDevnet({
      dir: this.options.dir,
      report,
      webhookUrl: this.webhookUrl,
      watchesAll: this.options.watchesAll ?? false,
    })
    this.devnet = devnet
    if (this.stopping) await devnet.stop()
    return Object.values(devnet.chains)
      .map(({ key }) => key)
      .join(', ')
  }

  async seed(): Promise<string> {
    const stale = this.givenMongodbUrl ? null : dropDemoDatabases(this.mongodbUrl, this.database)
    this.keys = await seedDatabase(this.mongodbUrlWithDatabase, this.devnet.contracts.registry, this.seals)
    this.dashboard = await seedDashboard(this.mongodbUrlWithDatabase, this.apiUrl)
    await stale
    return `${Object.keys(this.keys).length} keys`
  }

  /** For a service that is not ours, or just before ours. */
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

  /** The environment of the service on this devnet: what is set in ours wins. */
  serviceEnv(): Record<string, string | undefined> {
    const { MONGODB_URL: _, MONGODB_DATABASE: __, NATS_URL: ___, PORT: ____, ...given } = process.env
    return { ...given, ...this.madeEnv(), ...this.options.env }
  }

  /** What is made for the service here, and nothing else. */
  madeEnv(): Record<string, string> {
    return {
      CHAIN_POLL_MS: process.env['CHAIN_POLL_MS'] || '100',
      SWEEP_MS: process.env['SWEEP_MS'] || '200',
      RETRY_BASE_MS: process.env['RETRY_BASE_MS'] || '100',
      RETRY_MAX_MS: process.env['RETRY_MAX_MS'] || '1000',
      ...this.devnet.serviceEnv(),
      INTENT_MAC_KEY: this.intentMacKey,
      PORT: `${this.port}`,
      MONGODB_URL: this.mongodbUrlWithDatabase,
      MONGODB_DATABASE: this.database,
      NATS_URL: this.natsUrl,
    }
  }

  get seals(): Seals {
    return sealsWith(this.intentMacKey)
  }

  get natsUrl(): string {
    return this.server('nats').url
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
    const supervised = this.kept.get(name)
    if (!supervised) throw new Error(`${name} is not started`)
    return supervised.server
  }

  /** Every process of ours by name; a server that was given has none. */
  processes(): Record<string, number> {
    const kept = [...this.kept].flatMap(([name, { server }]) => (server.pid === null ? [] : [[name, server.pid]]))
    return { ...Object.fromEntries(kept), ...this.devnet?.processes }
  }

  /** However often it is asked: the service drains first, then everything under it goes. */
  stop(): Promise<void> {
    this.stopping ??= (async () => {
      await this.releasePort()
      await this.kept.get('service')?.stop()
      const isSeeded = this.keys !== undefined
      if (this.givenMongodbUrl && isSeeded && !process.env['MONGODB_DATABASE'])
        await dropDatabase(this.mongodbUrlWithDatabase).catch(() => {})
      const rest = ['nats', 'mongodb'].map((name) => this.kept.get(name)?.stop())
      await Promise.allSettled([this.devnet?.stop(), ...rest])
    })()
    return this.stopping
  }

  private async keep(name: string, start: () => Promise<Server>): Promise<Supervised> {
    if (this.stopping) throw new Failure('Stopped while starting.')
    const supervised = await supervise(name, start, (change) => this.options.onChange?.(change))
    this.kept.set(name, supervised)
    if (this.stopping) await supervised.stop()
    return supervised
  }
}
