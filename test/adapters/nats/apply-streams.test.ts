import { expect, test } from 'bun:test'
import { type NatsConnection, NatsError, type StreamConfig } from 'nats'
import { applyStreams } from '../../../src/adapters/nats/apply-streams'
import { streamsOf } from '../../../src/adapters/nats/streams'

const naming = { prefix: 'T_', replicas: 3 }
const notFound = () =>
  Object.assign(new NatsError('stream not found', '404'), {
    api_error: { code: 404, err_code: 10_059, description: 'stream not found' },
  })

/** A cluster whose answers about streams are those of a server that lags. It forgets each stream once. */
function laggingCluster() {
  const streams = new Map<string, Partial<StreamConfig>>()
  const asked = new Map<string, number>()
  const manager = {
    streams: {
      async info(name: string) {
        const times = (asked.get(name) ?? 0) + 1
        asked.set(name, times)
        if (!streams.has(name) || times === 2) throw notFound()
        return { config: streams.get(name) }
      },
      async add(config: StreamConfig) {
        streams.set(config.name, config)
      },
    },
    consumers: {
      async info() {
        throw notFound()
      },
    },
  }
  const connection = { info: { cluster: 'c' }, jetstreamManager: async () => manager }
  return { connection: connection as unknown as NatsConnection, asked }
}

test('at its start a process queries a stream again while one server of a cluster lacks it', async () => {
  const { connection, asked } = laggingCluster()
  await applyStreams(connection, naming)
  expect([...asked]).toEqual(streamsOf(naming).map(({ name }) => [name!, 3]))
})
