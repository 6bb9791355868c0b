import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { Connection } from 'mongoose'
import { createPublicClient, http, type PublicClient, parseEventLogs } from 'viem'
import { routeExecutorAbi } from '../../contracts/artifacts/abi'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { type MongoStore, mongoStore } from '../../src/adapters/mongo/mongo-store'
import { Api, type IntentAnswer } from '../../src/cli/client/api'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { Installation, type InstallationOptions } from '../../src/cli/installation/installation'
import { tokenOf } from '../../src/devnet/chains/tokens'
import type { Devnet } from '../../src/devnet/devnet'
import { runProgram } from '../../src/devnet/servers/run-program'
import { type ChainKey, chainKeys, chains } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { isTerminal, terminalStatuses } from '../../src/domain/execution/status'
import { type Counts, startFleet } from './fleet'
import { mongoUrl } from './servers'
import { temporaryFolder } from './temporary-folder'
import { until } from './until'

export type Posted = { body: string; signature: string }

export type EnvironmentOptions = Partial<InstallationOptions> & {
  hasOwnMongo?: boolean
  withRelay?: boolean
  /** Host and port that the test's own database connection uses, if the service's connection will be cut. */
  askedAt?: string
  /** The folder of another release. It makes the organizations and keys, and the test starts its service. */
  former?: string
  /** Starts processes with the API behind a load balancer, instead of one process with every role. */
  processes?: Counts
}

export type Target = { to: ChainKey; receive: string; refundAddress?: Address }

/** No test waits for a block here, and slower polling leaves processor time to the other tests. */
const calm = { CHAIN_POLL_MS: '500', SWEEP_MS: '500' }

/** Starts the whole of Switchyard on this machine: servers, five chains, and the service as a separate process. */
export type Environment = Awaited<ReturnType<typeof startEnvironment>>

/**
 * @param options.hasOwnMongo Starts a separate database that the test can kill. Otherwise uses the test run's server.
 */
export async function startEnvironment({
  hasOwnMongo = false,
  withRelay = false,
  askedAt,
  former,
  processes,
  ...options
}: EnvironmentOptions = {}) {
  const dir = join(temporaryFolder('e2e'), 'state')
  const given = hasOwnMongo ? {} : { mongodbUrl: await mongoUrl() }
  // One provider only, unless a test needs more. With a second one, its faults would go unnoticed.
  const env = { ...calm, ...(!withRelay && { RELAY_URL: '' }), ...options.env }
  const installation = new Installation({ dir, port: 0, ...given, watchesAll: true, ...options, env })
  const silent = () => {}
  await installation.choosePort()
  const started = [installation.startNats(silent), installation.startMongo(silent), installation.startDevnet(silent)]
  await Promise.all(started)
  if (former) installation.keys = await seededBy(former, installation)
  else await installation.seed()
  const { devnet, webhookUrl } = installation
  const posted: Posted[] = []
  const recorder = recordAndPassOn(webhookUrl, posted)
  devnet.setWebhookUrl(`http://127.0.0.1:${recorder.port}`)
  const fleet = processes ? await startFleet(installation, dir, processes) : null
  if (former) await installation.releasePort()
  else if (!fleet) await installation.startService()

  const asked = new URL(installation.mongodbUrlWithDatabase)
  if (askedAt) asked.host = askedAt
  const connection = await connectMongo(String(asked))
  const store = mongoStore(connection, `test-${process.pid}`, Date.now)
  const api = new Api(installation.apiUrl, installation.keys.client)
  const clients = Object.fromEntries(
    Object.values(devnet.chains).map(({ key, rpcUrl }) => [
      key,
      createPublicClient({ transport: http(rpcUrl), pollingInterval: 50 }),
    ]),
  ) as Record<ChainKey, PublicClient>
  let users = 0

  return {
    installation,
    /** Processes behind the load balancer, if there is one. */
    members: fleet?.members ?? [],
    devnet,
    dir,
    api,
    store,
    connection,
    clients,
    /** Every webhook that the devnet has posted, unchanged. */
    posted,
    newUserId: (name = 'user') => `${name}-${++users}`,
    /** Creates an intent for a new or an existing user. */
    intend: (userId: string, { to, receive, ...more }: Target): Promise<IntentAnswer> =>
      api.createIntent({
        userId,
        targetChainId: chains[to].id,
        targetTokenAddress: tokenOf(chains[to].id, receive)!.address,
        targetAddress: recipientOf(userId),
        ...more,
      }),
    executionsOf: (userId: string) => executionsOf(store, userId),
    /** Waits until a user has `count` ended executions, and returns them oldest first. */
    ended: (userId: string, count: number) =>
      until(
        `${count} ended executions of ${userId}`,
        async (note) => {
          const all = await executionsOf(store, userId)
          note(all.map(({ state, facts, cause }) => ({ state, waiting: facts.waiting, cause: cause?.code })))
          const ended = all.filter(({ state }) => isTerminal(state))
          return ended.length >= count ? ended : null
        },
        { everyMs: databasePollMs },
      ),
    /**
     * Waits until every chain has been scanned. The first scan starts at the current block. A deposit sent before it is
     * found by its balance and has no hash.
     */
    everyChainScanned: () =>
      until('every chain is scanned', async (note) => {
        const cursors = await Promise.all(chainKeys.map((key) => store.scanCursors.load(key).catch(() => null)))
        note(Object.fromEntries(cursors.map((cursor, n) => [chainKeys[n], cursor])))
        return cursors.every((cursor) => cursor !== null)
      }),
    /** Number of ended executions of all users. */
    countEnded: () => connection.db!.collection('executions').countDocuments({ state: { $in: [...terminalStatuses] } }),
    postWebhook: (body: string, signature: string | null) =>
      fetch(webhookUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(signature && { 'x-alchemy-signature': signature }) },
        body,
      }),
    /** Waits for the webhook that reports a transaction. */
    webhookOf: (hash: Hash) =>
      until(`a webhook of ${hash}`, async (note) => {
        note(posted.map(({ body }) => body.slice(0, 200)))
        return posted.find(({ body }) => body.includes(hash))
      }),
    sign: (key: ChainKey, body: string) => signatureOf(devnet, key, body),
    routesExecuted: () => routesExecuted(devnet, clients),
    countDocuments: () => countDocuments(connection),
    async stop() {
      await connection.close()
      await fleet?.stop()
      await installation.stop()
      recorder.stop(true)
    },
  }
}

/** Runs the seeding code of another release in its own process. */
async function seededBy(folder: string, { mongodbUrlWithDatabase, devnet, intentMacKey }: Installation) {
  const program = `
    import { seedDatabase } from './src/cli/demo/seed-database'
    import { sealsWith } from './src/cli/installation/seals'
    const [url, registry, key] = process.argv.slice(-3)
    console.log(JSON.stringify(await seedDatabase(url, registry, sealsWith(key))))
    process.exit(0)`
  await Bun.write(join(folder, 'seed.ts'), program)
  const command = ['seed.ts', mongodbUrlWithDatabase, devnet.contracts.registry, intentMacKey]
  const text = await runProgram([process.execPath, ...command], { cwd: folder, env: { PATH: process.env['PATH'] } })
  return JSON.parse(text.trim().split('\n').at(-1)!) as Installation['keys']
}

/** Poll interval for the database. Each poll costs as much as a step of a deposit. */
export const databasePollMs = 100

function recordAndPassOn(url: string, posted: Posted[]) {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text()
      const signature = request.headers.get('x-alchemy-signature') ?? ''
      posted.push({ body, signature })
      return fetch(url, { method: 'POST', headers: request.headers, body }).catch(
        () => new Response(null, { status: 502 }),
      )
    },
  })
}

const signatureOf = ({ webhookSigningKeys }: Devnet, key: ChainKey, body: string): string =>
  createHmac('sha256', webhookSigningKeys[key]).update(body).digest('hex')

async function executionsOf({ executionQueries, organizations }: MongoStore, userId: string): Promise<Execution[]> {
  const sandbox = (await organizations.all()).find(({ slug }) => slug === 'sandbox')!
  const found = await executionQueries.list({ organizationId: sandbox.id, userId }, { limit: 100 })
  return found.toReversed()
}

export type Executed = { key: ChainKey; routeId: Hash; account: Address; token: Address; spent: bigint }

/** Returns every route that the executors of all chains have carried out, according to the chains. */
async function routesExecuted(devnet: Devnet, clients: Record<ChainKey, PublicClient>): Promise<Executed[]> {
  const perChain = await Promise.all(
    chainKeys.map(async (key) => {
      const { executor, recoveryExecutor } = devnet.contracts
      const range = { address: [executor, recoveryExecutor], fromBlock: 0n, toBlock: 'latest' as const }
      const logs = await clients[key].getLogs(range)
      return parseEventLogs({ abi: routeExecutorAbi, eventName: 'RouteExecuted', logs }).map(({ args }) => ({
        key,
        routeId: args.routeId,
        account: args.account,
        token: args.token,
        spent: args.spent,
      }))
    }),
  )
  return perChain.flat()
}

/** Counts the documents of every collection, except the scanners' cursors, which change with the chains. */
async function countDocuments(connection: Connection): Promise<Record<string, number>> {
  const collections = await connection.db!.listCollections().toArray()
  const names = collections
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('system.') && name !== 'scanCursors')
  const counts = names.map(async (name) => [name, await connection.db!.collection(name).countDocuments()] as const)
  return Object.fromEntries(await Promise.all(counts))
}
