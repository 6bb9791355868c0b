import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats'
import { bucketsMax } from '../../domain/execution/execution'

export type StreamNames = {
  /** Prefix of every stream and subject, which lets several installations share a server. */
  prefix: string
  /** Number of servers of a cluster that keep each stream and each consumer: 1, 3 or 5. */
  replicas: number
}

export const wakeStream = ({ prefix }: StreamNames) => `${prefix}WAKE`
export const wakeSubject = ({ prefix }: StreamNames, bucket: number | '*') => `${prefix}wake.${bucket}`
export const depositStream = ({ prefix }: StreamNames) => `${prefix}DEPOSITS`
export const depositSubject = ({ prefix }: StreamNames, chainId: number | '*') => `${prefix}deposit.${chainId}`
/** Subject of the probes, which no consumer reads. The stream keeps one message of it. */
export const probeSubject = ({ prefix }: StreamNames, stream: string) => `${prefix}probe.${stream.slice(prefix.length)}`

/**
 * The stream keeps one copy of a wake-up in this time, in milliseconds, although every sweep sends it. A later copy is
 * a new message.
 */
const dedupeMs = 15_000
const ackWaitMs = 30_000
const pointersRetainedMs = 7 * 24 * 60 * 60_000
/** Far more than one process holds, so the messages of a dead process do not block the others. */
const ackPendingMax = 2_048
const wakesMax = 2_000_000
const wakeBytesMax = 128 * 2 ** 20

export function streamsOf(naming: StreamNames): Partial<StreamConfig>[] {
  const common = {
    num_replicas: naming.replicas,
    duplicate_window: nanos(dedupeMs),
    allow_rollup_hdrs: true, // each probe replaces the previous one
  }
  return [
    {
      ...common,
      name: wakeStream(naming),
      subjects: [wakeSubject(naming, '*'), probeSubject(naming, wakeStream(naming))],
      // Every wake-up is due in a record and the sweeper repeats it, so waiting for a disk gains nothing.
      storage: StorageType.Memory,
      retention: RetentionPolicy.Workqueue,
      discard: DiscardPolicy.Old, // wake-ups are all alike, and the sweeper repeats the dropped ones
      max_msgs: wakesMax,
      max_bytes: wakeBytesMax,
    },
    {
      ...common,
      name: depositStream(naming),
      subjects: [depositSubject(naming, '*'), probeSubject(naming, depositStream(naming))],
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      discard: DiscardPolicy.Old,
      max_age: nanos(pointersRetainedMs),
    },
  ]
}

export type ConsumerName = { stream: string; durable: string; subject: string }

export const wakeConsumers = (naming: StreamNames): ConsumerName[] =>
  Array.from({ length: bucketsMax }, (_, bucket) => ({
    stream: wakeStream(naming),
    durable: `wake-${bucket}`,
    subject: wakeSubject(naming, bucket),
  }))

export const depositConsumer = (naming: StreamNames): ConsumerName => ({
  stream: depositStream(naming),
  durable: 'intake',
  subject: depositSubject(naming, '*'),
})

const configOf = ({ durable, subject }: ConsumerName): Partial<ConsumerConfig> => ({
  durable_name: durable,
  filter_subject: subject,
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  ack_wait: nanos(ackWaitMs),
  max_deliver: -1, // a record decides when to give up, never the stream
  max_ack_pending: ackPendingMax,
})

/** Time limit of a management request, in milliseconds. If none responds, the stream or consumer has no leader. */
const apiMs = 2_000

export const isNotFound = (error: unknown): boolean => error instanceof NatsError && error.api_error?.code === 404

/** Creates both streams if they are missing, also on a server that lost everything. */
export async function ensureStreams(connection: NatsConnection, naming: StreamNames): Promise<JetStreamManager> {
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: apiMs })
  for (const config of streamsOf(naming)) {
    const existing = await manager.streams.info(config.name!).catch((error) => {
      if (isNotFound(error)) return null
      throw error
    })
    if (!existing) await manager.streams.add(config)
  }
  return manager
}

export async function ensureConsumer(
  connection: NatsConnection,
  naming: StreamNames,
  name: ConsumerName,
): Promise<void> {
  const manager = await ensureStreams(connection, naming)
  const existing = await manager.consumers.info(name.stream, name.durable).catch((error) => {
    if (isNotFound(error)) return null
    throw error
  })
  if (!existing) await manager.consumers.add(name.stream, configOf(name))
}
