import { randomBytes } from 'node:crypto'
import { databaseClock } from '../../adapters/clock'
import { databaseTime, mongoStore } from '../../adapters/mongo/mongo-store'
import { natsMessages } from '../../adapters/nats/nats-messages'
import { natsSignal } from '../../adapters/nats/nats-signal'
import { ownWakesFirst } from '../../adapters/own-wakes'
import { network } from '../../domain/chain/chain'
import { ownMarks } from '../../events/own-marks'
import type { loadConfig } from '../config/config'
import { connections } from '../connections'
import { openLog } from '../logging/open-log'
import { rateLimitedLog } from '../logging/outcome-log'
import { version } from '../version'

const indexesLateMs = 3_000

export type Loaded = ReturnType<typeof loadConfig>
export type Base = Awaited<ReturnType<typeof openBase>>

/** Opens what everything else needs: the log, the database with its clock, and NATS messaging. */
export async function openBase(loaded: Loaded) {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}`
  const { log, ...observability } = await openLog(loaded, name)
  const { telemetry } = observability
  log.write('STARTING', { roles: loaded.config.roles, version })
  const connected = await connections(loaded, log)
  const { now, keep } = await databaseClock(databaseTime(connected.connection))
  const store = mongoStore(connected.connection, name, now)
  await store.claimNetwork(network)
  const fault = rateLimitedLog(log, now)
  const { wakes, ...messages } = natsMessages(connected.nats, {
    replicas: loaded.config.natsReplicas,
    prefix: network === 'testnet' ? 'testnet_' : '',
    onTrouble: (error) => fault('nats', error),
    onChange: connected.noteNats,
    telemetry,
  })
  const own = { ...messages, wakes: ownWakesFirst(wakes, telemetry) }
  const lateIndexes = setTimeout(() => log.write('INDEXES_LATE'), indexesLateMs)
  await Promise.all([store.ensureIndexes(), messages.ensureStreams()])
  clearTimeout(lateIndexes)
  const owed = await store.migrations.owed()
  if (owed.length > 0) log.write('MIGRATION_OWED', { migrations: owed })
  const subjects = network === 'testnet' ? 'switchyard.testnet.events' : 'switchyard.events'
  const signals = {
    marked: natsSignal(connected.nats, `${subjects}.marked`),
    appended: natsSignal(connected.nats, `${subjects}.appended`),
    own: ownMarks(),
  }
  store.onMarked((marks) => {
    signals.own.note(marks)
    signals.marked.send()
  })
  return { name, log, observability, connected, store, now, keepTime: keep, fault, signals, messages: own }
}
