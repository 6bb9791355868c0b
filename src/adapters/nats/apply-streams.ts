import { type JetStreamManager, type NatsConnection, NatsError, type StreamConfig } from 'nats'
import {
  type ConsumerName,
  depositConsumer,
  ensureStreams,
  isNotFound,
  type StreamNames,
  streamsOf,
  wakeConsumers,
} from './streams'

/**
 * How long the calls are retried, in milliseconds. A stream that gains replicas or has lost a server has no leader for
 * some seconds, and does not answer until then. A server of a cluster may not know a stream that another has created.
 */
const patienceMs = 10_000
const againMs = 250

/**
 * Creates the missing streams, and brings existing streams and consumers to the configured number of replicas. Their
 * content is kept.
 *
 * @throws An error with instructions for the operator if the server cannot keep so many replicas, or a `NatsError` if
 * no server answers.
 */
export async function applyStreams(connection: NatsConnection, naming: StreamNames): Promise<void> {
  assureClustered(connection, naming)
  const manager = await patiently(() =>
    ensureStreams(connection, naming).catch((error) => {
      throw refused(naming, 'a stream', error)
    }),
  )
  for (const wanted of streamsOf(naming)) await patiently(() => applyStream(manager, naming, wanted))
  for (const name of [...wakeConsumers(naming), depositConsumer(naming)])
    await patiently(() => applyConsumer(manager, naming, name))
}

/** Whether no server answered. Any other error is an answer of the server. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof NatsError && (error.api_error?.code ?? 503) === 503

/** Whether the error passes once the servers of a cluster agree. */
const isPassing = (error: unknown): boolean => isUnanswered(error) || isNotFound(error)

/** Retries while no server answers, or while one does not know a stream that exists. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const until = performance.now() + patienceMs; ; )
    try {
      return await ask()
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error
      await Bun.sleep(againMs)
    }
}

/** A single server accepts any number of replicas for an existing stream, but keeps only one. */
function assureClustered({ info }: NatsConnection, { replicas }: StreamNames): void {
  const { cluster } = (info ?? {}) as { cluster?: string }
  if (replicas === 1 || cluster) return
  throw new Error(
    `NATS_REPLICAS is ${replicas}, but the NATS server belongs to no cluster and can keep only one replica: ` +
      'set NATS_REPLICAS=1, or name the servers of a cluster in NATS_URL.',
  )
}

async function applyStream(
  manager: JetStreamManager,
  naming: StreamNames,
  wanted: Partial<StreamConfig>,
): Promise<void> {
  const name = wanted.name!
  const isAsWanted = async () => {
    const { config } = await manager.streams.info(name)
    const hasSubjects = wanted.subjects!.every((subject) => config.subjects.includes(subject))
    return hasSubjects && config.num_replicas === wanted.num_replicas && config.allow_rollup_hdrs === true
  }
  if (await isAsWanted()) return
  const { num_replicas, subjects, allow_rollup_hdrs } = wanted as StreamConfig
  await manager.streams.update(name, { num_replicas, subjects, allow_rollup_hdrs }).catch(async (error) => {
    // Another process may have made the same change at the same time.
    if (!(await isAsWanted().catch(() => false))) throw refused(naming, `the stream ${name}`, error)
  })
}

/** A consumer has as many replicas as its stream, unless its own number was set. */
async function applyConsumer(manager: JetStreamManager, naming: StreamNames, name: ConsumerName): Promise<void> {
  const existing = await manager.consumers.info(name.stream, name.durable).catch((error) => {
    if (isNotFound(error)) return null
    throw error
  })
  const ownReplicas = existing?.config.num_replicas ?? 0
  if (ownReplicas === 0 || ownReplicas === naming.replicas) return
  await manager.consumers.update(name.stream, name.durable, { num_replicas: naming.replicas }).catch((error) => {
    throw refused(naming, `the consumer ${name.durable}`, error)
  })
}

function refused({ replicas }: StreamNames, what: string, cause: Error): Error {
  if (!(cause instanceof NatsError) || isPassing(cause)) return cause
  const wayOut =
    replicas === 1
      ? 'give its server more memory or disk space.'
      : `start ${replicas} servers of its cluster with space for it, or set NATS_REPLICAS to a lower number.`
  const copies = replicas === 1 ? what : `${replicas} replicas of ${what}`
  return new Error(`NATS refuses to keep ${copies} (${cause.message}): ${wayOut}`, { cause })
}
