import { afterAll, beforeAll, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import '../../../src/adapters/mongo/engine/broken-writes'

type Ask = { command(namespace: object, command: object, options: object): Promise<object> }
type Driver = { Connection: new (socket: Socket, options: object) => Ask }
type Names = { ns: (name: string) => object; HostAddress: new (address: string) => object }

const require = createRequire(import.meta.url)
const { Connection } = require('mongodb/lib/cmap/connection') as Driver
const { ns, HostAddress } = require('mongodb/lib/utils') as Names

let silent: Server
beforeAll(async () => {
  silent = createServer((socket) => void socket.pause().on('error', () => {}))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => void silent.close())

/** A socket to a server that reads and answers nothing. */
async function opened(): Promise<Socket> {
  const socket = connect((silent.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

const over = (socket: Socket, socketTimeoutMS = 200): Ask =>
  new Connection(socket, { id: 7, generation: 0, socketTimeoutMS, hostAddress: new HostAddress('127.0.0.1:1') })

const ping = { ping: 1 }
/** More than a socket's buffer. */
const large = { ping: 1, pad: 'x'.repeat(12_000_000) }
const failure = (connection: Ask, command: object): Promise<string> =>
  connection.command(ns('admin.$cmd'), command, {}).then(
    () => 'answered',
    (error: Error) => `${error.name}: ${error.message}`,
  )
const closed = /^MongoNetworkError: connection 7 to \S+ closed$/
const timedOut = /^MongoNetworkTimeoutError: connection 7 to \S+ timed out$/

test('a command fails on a socket that was closed before the driver had it', async () => {
  const socket = await opened()
  const isClosed = once(socket, 'close')
  socket.destroy()
  await isClosed
  expect(await failure(over(socket), ping)).toMatch(closed)
})

test('a command fails on a destroyed socket whose end was not reported yet', async () => {
  const socket = await opened()
  const connection = over(socket)
  socket.destroy()
  expect(await failure(connection, ping)).toMatch(closed)
})

test('a command fails if its socket is destroyed in the same turn', async () => {
  const socket = await opened()
  const failing = failure(over(socket), ping)
  socket.destroy()
  expect(await failing).toMatch(closed)
})

test('a large command that waits for its socket fails when that is destroyed', async () => {
  const socket = await opened()
  const failing = failure(over(socket, 600_000), large)
  while (socket.writableLength === 0) await new Promise(setImmediate)
  socket.destroy()
  expect(await failing).toMatch(closed)
})

test('an unread large command and an unanswered small one fail after the response timeout', async () => {
  const failing = [large, ping].map(async (command) => failure(over(await opened()), command))
  for (const failed of await Promise.all(failing)) expect(failed).toMatch(timedOut)
})
