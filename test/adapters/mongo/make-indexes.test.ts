import { expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { makeIndexes } from '../../../src/adapters/mongo/engine/make-indexes'
import { newDatabase } from '../../support/new-database'
import { mongoUrl } from '../../support/servers'

const connection = await newDatabase()
const database = connection.name
const { hostname, port } = new URL(await mongoUrl())

/** Forwards everything, but delays what follows a command. */
function slowAt(command: string, ms: number) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let heldUntil = 0
    client.on('data', (bytes) => {
      if (bytes.includes(command)) heldUntil = performance.now() + ms
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => setTimeout(() => client.write(bytes), Math.max(0, heldUntil - performance.now())))
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
  })
  return new Promise<{ url: string; stop: () => void }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      const stop = () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
      resolve({ url: `mongodb://127.0.0.1:${port}/?directConnection=true`, stop })
    })
  })
}

const byName = (found: { name: string }[]) => found.map(({ name }) => name).toSorted()

test('creating an index may take longer than the response timeout', async () => {
  const proxy = await slowAt('createIndexes', 1_200)
  const impatient = await connectMongo(proxy.url, { database, answerWithinMs: 400 })
  try {
    await makeIndexes(impatient.db!.collection('slow') as never, [
      { key: { at: 1 } },
      { key: { who: 1 }, unique: true },
    ])
    const found = await connection.db!.collection('slow').indexes()
    expect(byName(found as { name: string }[])).toEqual(['_id_', 'at_1', 'who_1'])
  } finally {
    await impatient.close()
    proxy.stop()
  }
})

test('any other late response is abandoned', async () => {
  const slow = await slowAt('countThis', 3_000)
  const impatient = await connectMongo(slow.url, { database, answerWithinMs: 400 })
  try {
    await expect(impatient.db!.collection('countThis').findOne({})).rejects.toThrow(/timed out/)
  } finally {
    await impatient.close()
    slow.stop()
  }
})

test('an index that existing rows violate stops the start, with the name of its collection', async () => {
  const twice = connection.db!.collection('twice')
  await twice.insertMany([{ who: 'one' }, { who: 'one' }])
  await expect(makeIndexes(twice as never, [{ key: { who: 1 }, unique: true }])).rejects.toThrow(
    /^The indexes of twice could not be created: /,
  )
})
