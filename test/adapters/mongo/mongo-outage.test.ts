import { join } from 'node:path'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { freePort } from '../../../src/devnet/servers/free-port'
import { startMongo } from '../../../src/devnet/servers/mongo'
import { hasOwnMongo } from '../../support/servers'
import { temporaryFolder } from '../../support/temporary-folder'
import { testOn } from '../../support/tools'
import { until } from '../../support/until'

const connectionsCount = 8
const requestsPerConnection = 10

/** A foreign server must not be killed. */
const onOwnDatabase = testOn('a database of the test’s own', hasOwnMongo)

onOwnDatabase('every client reconnects to a database that died during a query and returned', async () => {
  const [port, dataDir] = [await freePort(), join(temporaryFolder('mongo-outage'), 'mongo')]
  let server = await startMongo({ dataDir, port })
  const connections = await Promise.all(
    Array.from({ length: connectionsCount }, () => connectMongo(server.url, { database: 'outage' })),
  )
  let isOver = false
  const answeredAt = connections.map(() => 0)
  const asking = connections.flatMap((connection, n) =>
    Array.from({ length: requestsPerConnection }, async () => {
      while (!isOver) {
        const asked = connection.db!.collection<{ _id: string }>('things').findOne({ _id: 'one' })
        const isAnswered = await asked.then(
          () => true,
          () => false,
        )
        if (isAnswered) answeredAt[n] = performance.now()
        else await Bun.sleep(50)
      }
    }),
  )
  try {
    for (let kills = 0; kills < 2; kills++) {
      process.kill(server.pid!, 'SIGKILL')
      await server.exited
      server = await startMongo({ dataDir, port })
      const backAt = performance.now()
      await until('every connection is answered again', async (note) => {
        const silent = answeredAt.filter((at) => at < backAt)
        note({ silent, backAt })
        return silent.length === 0
      })
    }
  } finally {
    isOver = true
    await Promise.all(asking)
    await Promise.all(connections.map((connection) => connection.close()))
    await server.stop()
  }
})
