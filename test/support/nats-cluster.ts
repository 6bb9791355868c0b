import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { connect, type NatsConnection } from 'nats'
import { freePort } from '../../src/devnet/servers/free-port.ts'
import { runNats } from '../../src/devnet/servers/nats.ts'
import { natsProgram } from '../../src/devnet/servers/nats-program.ts'
import type { Report, Server } from '../../src/devnet/servers/server.ts'
import { until } from './until'

export interface NatsCluster {
  readonly kind: string
  /** The URLs of all servers, separated by commas, as `NATS_URL` takes them. */
  readonly url: string
  /** The current servers. A killed server stays here until it is restarted. */
  readonly servers: readonly Server[]
  /** Restarts a server that has ended, on its data and its ports. */
  restart(n: number): Promise<void>
  /** Waits until every server holds all of its streams and consumers again. */
  untilWhole(): Promise<unknown>
  stop(): Promise<void>
}

type Options = { readonly dataDir: string; readonly count?: number; readonly report?: Report }

/** Starts several NATS servers with JetStream on this machine that form one cluster. */
export async function startNatsCluster({ dataDir, count = 3, report = () => {} }: Options): Promise<NatsCluster> {
  const { kind, path } = await natsProgram(report)
  const places: Place[] = []
  for (let n = 0; n < count; n++) {
    const folder = resolve(dataDir, `nats-${n}`)
    places.push({ folder, name: `nats-${n}`, port: await freePort(), routePort: await freePort() })
  }
  const routes = places.map(({ routePort }) => `nats://127.0.0.1:${routePort}`)
  const run = async (place: Place): Promise<Server> => {
    await mkdir(place.folder, { recursive: true })
    const settings = join(place.folder, 'nats.conf')
    await writeFile(settings, configuration(place, routes))
    return runNats({ kind, path }, { settings, folder: place.folder, port: place.port })
  }
  const servers = await Promise.all(places.map(run))
  const url = servers.map((server) => server.url).join(',')
  const cluster: NatsCluster = {
    kind,
    url,
    servers,
    async restart(n) {
      servers[n] = await run(places[n]!)
    },
    untilWhole: () =>
      until('the NATS cluster is complete', async (note) => {
        const missing = note(await missingNow(url, count).catch((error: Error) => error.message))
        return missing === null
      }),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
  await cluster.untilWhole()
  return cluster
}

type Place = { folder: string; name: string; port: number; routePort: number }

const configuration = (
  { folder, name, port, routePort }: Place,
  routes: string[],
): string => `listen: "127.0.0.1:${port}"
server_name: ${name}
max_payload: 1MB
cluster {
  name: switchyard
  listen: "127.0.0.1:${routePort}"
  routes: ${JSON.stringify(routes)}
}
jetstream {
  store_dir: ${JSON.stringify(folder)}
  sync_interval: always
  max_memory_store: 256MB
  max_file_store: 10GB
}
`

type Info = { name: string; cluster?: Peers | undefined }
type Peers = { leader?: string; replicas?: { name: string; current: boolean; offline?: boolean }[] }

/**
 * Returns the missing part in words, or null. The cluster accepts no new stream until all of its servers have joined.
 */
async function missingNow(url: string, count: number): Promise<string | null> {
  const nats = await connect({ servers: url.split(','), timeout: 1_000, maxReconnectAttempts: 0 })
  try {
    const absent = await absentServers(nats, url.split(','), count)
    if (absent !== null) return absent
    const manager = await nats.jetstreamManager({ checkAPI: false, timeout: 1_000 })
    const streams = await manager.streams.list().next()
    for (const { config, cluster } of streams) {
      const behind = behindOf({ name: config.name, cluster: cluster as Peers }, config.num_replicas)
      if (behind !== null) return behind
      for (const consumer of await manager.consumers.list(config.name).next()) {
        const { num_replicas } = consumer.config
        const info = { name: `${config.name}/${consumer.name}`, cluster: consumer.cluster as Peers }
        const late = behindOf(info, num_replicas || config.num_replicas)
        if (late !== null) return late
      }
    }
    return null
  } finally {
    await nats.close()
  }
}

/** Returns the number of missing servers in words, or null. Each server sends a client the servers that it sees. */
async function absentServers(nats: NatsConnection, urls: string[], count: number): Promise<string | null> {
  const seen = new Set((nats.info as { connect_urls?: string[] } | undefined)?.connect_urls ?? [])
  const absent = urls.filter((url) => !seen.has(url.replace('nats://', '')))
  if (absent.length > 0) return `${absent.length} of ${count} servers are unreachable`
  // The cluster's own leader is elected last, and nothing can be stored before that.
  await (await nats.jetstreamManager({ checkAPI: false, timeout: 1_000 })).getAccountInfo()
  return null
}

function behindOf({ name, cluster }: Info, replicas: number): string | null {
  if (!cluster?.leader) return `${name} has no leader`
  const current = (cluster.replicas ?? []).filter((peer) => peer.current && !peer.offline)
  return current.length + 1 < replicas ? `${name} has ${current.length + 1} of ${replicas} replicas` : null
}
