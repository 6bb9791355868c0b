import type { Connection } from 'mongoose'
import type { NatsConnection, StreamInfo } from 'nats'
import { type ClockDifference, clockDifference, wallClock } from '../../adapters/clock'
import { connectMongo } from '../../adapters/mongo/engine/connection'
import { mongoStore } from '../../adapters/mongo/mongo-store'
import { connectNats } from '../../adapters/nats/connection'
import { type LogHead, type SignerLogState, signerLogId } from '../../domain/signer-log'
import type { Loaded } from '../process/base'
import { clockFinding } from './clock-finding'
import { type Area, about, codeOf, type Finding, findingsOf } from './finding'

const clockMaxMs = 1_000
const timeoutMs = 5_000

/**
 * Checks MongoDB: that it responds, its topology, its clock, whether its documents match this release, and what it
 * records of the signer's log.
 */
export function database({ config, secrets }: Loaded, signerLog: LogHead | undefined): Area {
  const reach = about('mongodb', 'MongoDB')

  async function examine(): Promise<Finding[]> {
    let connection: Connection
    try {
      connection = await connectMongo(secrets.mongoUrl, { poolMax: 2, database: config.mongoDatabase })
    } catch (error) {
      return [
        reach.bad(
          `${codeOf(error) === 'MongooseServerSelectionError' ? 'It does not respond' : 'It refuses our sign-in'} (${codeOf(error)}).`,
          'Check MONGODB_URL, that the server runs, the user and the password.',
        ),
      ]
    }
    const advice = 'Run the doctor again when the database answers.'
    try {
      const admin = connection.db!.admin()
      const results = await Promise.all([
        findingsOf(reach, advice, async () => {
          const { version } = (await admin.command({ buildInfo: 1 })) as { version: string }
          return reach.good(`It responds, with version ${version}.`)
        }),
        findingsOf(about('mongodb-replicas', 'MongoDB'), advice, async () =>
          replicas(await admin.command({ hello: 1 })),
        ),
        findingsOf(about('mongodb-clock', 'MongoDB'), advice, async () => {
          const time = async () => ((await admin.command({ hello: 1 })) as { localTime: Date }).localTime.getTime()
          return clockFinding(about('mongodb-clock', 'MongoDB'), await clockDifference(time), clockMaxMs)
        }),
        findingsOf(about('mongodb-durability', 'MongoDB'), advice, async () => {
          const [first] = await connection.db!.listCollections({}, { nameOnly: true }).toArray()
          return durability(first ? await connection.db!.command({ collStats: first.name }) : null)
        }),
        findingsOf(about('mongodb-migrations', 'MongoDB'), advice, async () => {
          const owed = await mongoStore(connection, `doctor-${process.pid}`, wallClock).migrations.owed()
          return migrations(owed)
        }),
        findingsOf(about('signer-log', 'Signer'), advice, async () => {
          const signerLogState = await mongoStore(connection, `doctor-${process.pid}`, wallClock).signerLogs.load(
            signerLogId,
          )
          return signerLogState ? signerLogFinding(signerLogState, signerLog) : []
        }),
      ])
      return results.flat()
    } finally {
      await connection.close()
    }
  }

  return { name: 'MongoDB', examine }
}

/** Compares the workers' record of the signer's log with the signer's current log, if the signer was queried. */
export function signerLogFinding({ count, other }: SignerLogState, now: LogHead | undefined): Finding {
  const { good, bad } = about('signer-log', 'Signer')
  const advice = 'See “When the signing log differs” in docs/operations/cluster.md.'
  if (other)
    return bad(`Workers refuse it: its log had ${count} entries, then ${other.count} or different ones.`, advice)
  if (now && now.count < count) return bad(`Its log had ${count} entries and now has ${now.count}.`, advice)
  return good(`Its log had ${count} entries at a worker’s last check.`)
}

type Hello = { setName?: string; hosts?: string[]; isWritablePrimary?: boolean; msg?: string }

/** Judges the topology: a sharded cluster, a single server, or a replica set that stops when it loses a member. */
export function replicas({ setName, hosts = [], isWritablePrimary, msg }: Hello): Finding {
  const { good, bad, unknown } = about('mongodb-replicas', 'MongoDB')
  if (msg === 'isdbgrid') return good('It is a sharded cluster.')
  if (isWritablePrimary === false)
    return bad('It has no primary that accepts writes.', 'Wait for the election, or check its replica set.')
  if (!setName || hosts.length < 2)
    return unknown(
      'It is one server: its data is lost with its disk.',
      'Run a replica set of three members, unless this is a trial.',
    )
  return hosts.length >= 3
    ? good(`It is a replica set of ${hosts.length} members.`)
    : bad(
        `It is a replica set of ${hosts.length} members, which stops when it loses one.`,
        'Add members until it has three.',
      )
}

/** Judges from a collection's statistics where it is stored. The service requests journaled writes on a majority. */
export function durability(stats: object | null): Finding {
  const { good, bad, unknown } = about('mongodb-durability', 'MongoDB')
  const advice = 'Check its own settings: acknowledged writes must be on a disk.'
  if (stats === null) return unknown('It has no collection yet, so its storage is unknown.', advice)
  if ('inMemory' in stats)
    return bad('It keeps its documents only in memory, and loses them when it stops.', 'Use the engine WiredTiger.')
  return 'wiredTiger' in stats
    ? good('It writes to a journal before it answers (WiredTiger).')
    : unknown('It does not report its storage. FerretDB, for example, stores in its PostgreSQL.', advice)
}

export function migrations(owed: readonly string[]): Finding {
  const { good, bad } = about('mongodb-migrations', 'MongoDB')
  return owed.length === 0
    ? good('Its documents match this release.')
    : bad(
        `It has documents of an earlier release (${owed.join(', ')}).`,
        'Run "npx switchyard migrate". The service may keep running.',
      )
}

/** NATS reports its time only in responses about a stream. */
export function natsClock(difference: ClockDifference): Finding {
  const line = about('nats-clock', 'NATS')
  if (!Number.isNaN(difference.aheadMs)) return clockFinding(line, difference, clockMaxMs)
  return line.unknown(
    'It has no stream yet, and reports its time only with streams.',
    'Run the doctor after the first start.',
  )
}

/** Whether each server writes a message to disk before acknowledging it. Only its monitoring reports that. */
async function syncing(monitors: readonly string[]): Promise<Finding> {
  const { good, bad, unknown } = about('nats-durability', 'NATS')
  if (monitors.length === 0)
    return unknown(
      'Only its monitoring shows whether it writes messages to disk before acknowledging them.',
      'Name the monitoring of each server: --nats-monitor http://127.0.0.1:8222. Without NATS, deposits are found later.',
    )
  const isSyncing = await Promise.all(
    monitors.map(async (url) => {
      const answer = await fetch(new URL('/varz', url), { signal: AbortSignal.timeout(timeoutMs) })
      const { jetstream } = (await answer.json()) as { jetstream?: { config?: { sync_always?: boolean } } }
      return jetstream?.config?.sync_always === true
    }),
  )
  const not = isSyncing.filter((each) => !each).length
  return not === 0
    ? good('Its servers write each message to disk before acknowledging it.')
    : bad(
        `${not} of its servers acknowledge messages that a power cut can lose.`,
        'Set "sync_interval: always" in the section jetstream of nats-server.',
      )
}

/** Checks NATS: that JetStream responds, and that each stream has the configured number of replicas. */
export function messages({ config, secrets }: Loaded, monitors: readonly string[]): Area {
  const reach = about('nats', 'NATS')

  async function examine(): Promise<Finding[]> {
    let connection: NatsConnection
    try {
      connection = await connectNats(secrets.natsUrl, { caFile: config.natsCaFile })
    } catch (error) {
      return [
        reach.bad(
          `It cannot be used (${codeOf(error)}).`,
          'Check NATS_URL and NATS_CA_FILE, and that the server has version 2.12 or newer and runs with JetStream.',
        ),
      ]
    }
    try {
      const { version, cluster } = (connection.info ?? {}) as { version?: string; cluster?: string }
      const findings = [reach.good(`It responds, with version ${version} and JetStream.`)]
      if (config.natsReplicas > 1 && !cluster)
        return [
          ...findings,
          about('nats-cluster', 'NATS').bad(
            `NATS_REPLICAS is ${config.natsReplicas}, but the server belongs to no cluster.`,
            'Name the servers of a cluster in NATS_URL, or set NATS_REPLICAS=1.',
          ),
        ]
      const advice = 'Check the NATS cluster.'
      const more = await Promise.all([
        findingsOf(about('nats-streams', 'NATS'), advice, async () => {
          const manager = await connection.jetstreamManager()
          return streamsOf(await manager.streams.list().next(), config.natsReplicas)
        }),
        findingsOf(about('nats-clock', 'NATS'), advice, async () => {
          const time = async () => {
            const answer = await connection.request('$JS.API.STREAM.LIST')
            return Date.parse(answer.json<{ streams?: { ts?: string }[] | null }>().streams?.[0]?.ts ?? '')
          }
          return natsClock(await clockDifference(time))
        }),
        findingsOf(about('nats-durability', 'NATS'), advice, () => syncing(monitors)),
      ])
      return [...findings, ...more.flat()]
    } finally {
      await connection.close()
    }
  }

  return { name: 'NATS', examine }
}

type Stream = {
  config: Pick<StreamInfo['config'], 'name' | 'num_replicas'>
  cluster?: { replicas?: { current: boolean }[] }
}

/** Reports streams with fewer replicas than configured, and servers that lag behind. */
export function streamsOf(all: readonly Stream[], replicas: number): Finding[] {
  const { good, bad } = about('nats-streams', 'NATS')
  const findings = all.flatMap(({ config: { name, num_replicas }, cluster }) => {
    const behind = (cluster?.replicas ?? []).filter(({ current }) => !current).length
    if (num_replicas < replicas)
      return bad(
        `The stream ${name} has ${num_replicas} replicas, but NATS_REPLICAS is ${replicas}.`,
        'Start the service once: it applies the configured number.',
      )
    return behind > 0
      ? bad(`${behind} servers lag behind in the stream ${name}.`, 'Check the servers of the cluster.')
      : []
  })
  if (findings.length > 0) return findings
  return [good(all.length === 0 ? 'Its streams will be created by the first start.' : 'Its streams are complete.')]
}
