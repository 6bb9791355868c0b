import { afterAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { Events, headers, JsHeaders } from 'nats'
import { connectNats, objectionTo } from '../../../src/adapters/nats/connection'
import { natsMessages } from '../../../src/adapters/nats/nats-messages'
import { depositStream, wakeStream } from '../../../src/adapters/nats/streams'
import { freePort } from '../../../src/devnet/servers/free-port'
import { startNats } from '../../../src/devnet/servers/nats'
import { readWake } from '../../../src/domain/wake-messages'
import { hashOf } from '../../support/deposits'
import { natsUrl } from '../../support/servers'
import { silentAtFirst } from '../../support/silent-at-first'
import { temporaryFolder } from '../../support/temporary-folder'
import { testAll } from '../../support/test-all'

const rollup = headers()
rollup.set(JsHeaders.RollupHdr, JsHeaders.RollupValueSubject)
const id = (n: number) => `8453:${hashOf(n)}:0`
const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

test('a NATS server that was killed and lost everything receives and delivers wake-ups again', async () => {
  const [dataDir, port] = [temporaryFolder('nats-outage'), await freePort()]
  const first = await startNats({ dataDir, port })
  const changes: boolean[] = []
  const connection = await connectNats(first.url, { onChange: (isConnected) => changes.push(isConnected) })
  closing.push(
    () => first.stop(),
    () => connection.close(),
  )
  const messages = natsMessages(connection)
  const heard = new Set<string>()
  let look = () => {}
  const wakeOf = (text: string) =>
    new Promise<void>((resolve) => {
      look = () => heard.has(text) && resolve()
      look()
    })
  const listening = messages.wakes.wakes(8).subscribe((wake) => {
    heard.add(readWake(wake.data)!.id)
    wake.ack()
    look()
  })
  closing.push(() => listening.unsubscribe())
  // the first caller that needs the streams creates them
  await messages.wakes.wake({ id: id(1), version: 1, bucket: 3 })
  await wakeOf(id(1))

  process.kill(first.pid!, 'SIGKILL')
  await first.exited
  for (let n = 0; n < 5_000; n++) await messages.wakes.wake({ id: id(n), version: 2, bucket: n % 8 })
  await expect(messages.pointers.publish([{ chainId: 8453, txHash: hashOf(1), seenAt: 1 }])).rejects.toThrow()

  await rm(dataDir, { recursive: true, force: true })
  const second = await startNats({ dataDir, port })
  closing.push(() => second.stop())
  const waking = setInterval(() => void messages.wakes.wake({ id: id(7_000), version: 3, bucket: 5 }), 100)
  await wakeOf(id(7_000))
  clearInterval(waking)
  expect(changes).toEqual([false, true])
  await messages.pointers.publish([{ chainId: 8453, txHash: hashOf(1), seenAt: 1 }])
})

test('readiness checks leave one probe in each stream, for any number of checks', async () => {
  const connection = await connectNats(await natsUrl())
  closing.push(() => connection.close())
  const prefix = `probed_${process.pid}_`
  const messages = natsMessages(connection, { prefix })
  await messages.ensureStreams()
  for (let n = 0; n < 50; n++) await messages.assureAnswering()
  const manager = await connection.jetstreamManager()
  for (const name of [wakeStream, depositStream].map((named) => named({ prefix, replicas: 1 }))) {
    expect((await manager.streams.info(name)).state).toMatchObject({ messages: 1, last_seq: 1 })
    await connection.jetstream().publish(`${prefix}probe.${name.slice(prefix.length)}`, '', { headers: rollup })
    expect((await manager.streams.info(name)).state).toMatchObject({ messages: 1, last_seq: 2 })
    await manager.streams.delete(name)
  }
})

testAll([
  ['2.11.9', true, 'NATS 2.11.9 is too old: 2.12 or newer is needed'],
  ['2.12.0', true, null],
  ['3.0.0-beta.1', true, null],
  ['2.14.5', false, 'The NATS server runs without JetStream'],
])('a NATS that is too old or has no JetStream is reported', (version, hasJetStream, objection) => {
  expect(objectionTo(version, hasJetStream)).toBe(objection)
})

test('the start fails immediately with an error if there is no server', async () => {
  await expect(connectNats(`nats://127.0.0.1:${await freePort()}`)).rejects.toThrow()
})

test('the start connects to a server that is silent at first', async () => {
  const { hostname, port } = new URL(await natsUrl())
  const proxy = await silentAtFirst(hostname, Number(port || 4222))
  closing.push(proxy.stop)
  const connection = await connectNats(`nats://${proxy.host}`)
  closing.push(() => connection.close())
  expect(proxy.connections()).toBe(2)
})

test('a server that refuses our credentials for a while is connected to again', async () => {
  const info = JSON.stringify({
    version: '2.12.0',
    proto: 1,
    jetstream: true,
    max_payload: 1_000_000,
    auth_required: true,
  })
  let connections = 0
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => void socket.write(`INFO ${info}\r\n`),
      data(socket, data) {
        if (!data.toString().includes('PING')) return
        connections += 1
        const isRefused = connections > 1 && connections < 5
        socket.write(isRefused ? "-ERR 'Authorization Violation'\r\n" : 'PONG\r\n')
        if (isRefused || connections === 1) setImmediate(() => socket.end())
      },
    },
  })
  closing.push(() => server.stop(true))
  const connection = await connectNats(`nats://127.0.0.1:${server.port}`)
  closing.push(() => connection.close())
  const back = (async () => {
    for await (const { type } of connection.status()) if (type === Events.Reconnect) return 'back'
    return 'closed'
  })()
  expect(await Promise.race([back, connection.closed().then(() => 'closed')])).toBe('back')
})
