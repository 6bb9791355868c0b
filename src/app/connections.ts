import { connectMongo } from '../adapters/mongo/engine/connection'
import { connectNats } from '../adapters/nats/connection'
import { readTokenList } from '../adapters/prices/token-list'
import type { loadConfig } from './config/config'
import type { Log } from './logging/log'
import { steadily } from './logging/outcome-log'

/** Opens MongoDB, NATS and the token list, on which everything else depends. Logs the loss of a connection. */
export async function connections({ config, secrets }: ReturnType<typeof loadConfig>, log: Log) {
  let isEnding = false
  const reporters = {
    mongodb: steadily(log, { back: 'MONGODB_BACK', lost: 'MONGODB_LOST' }),
    nats: steadily(log, { back: 'NATS_BACK', lost: 'NATS_LOST' }),
  }
  /** A connection that the process itself closes is not a loss. */
  const onChange = (name: keyof typeof reporters) => (isThere: boolean) => {
    if (!isEnding) reporters[name].changed(isThere)
  }
  const [tokens, connection, nats] = await Promise.all([
    readTokenList(config.tokenList),
    connectMongo(secrets.mongoUrl, { database: config.mongoDatabase, onChange: onChange('mongodb') }),
    connectNats(secrets.natsUrl, {
      caFile: config.natsCaFile,
      onWarning: (warning) => log.write('NATS_ADVICE', {}, warning),
    }),
  ])
  return {
    tokens,
    connection,
    nats,
    /** Call this when NATS stops or resumes acknowledging messages. */
    noteNats: onChange('nats'),
    async close(): Promise<void> {
      isEnding = true
      for (const each of Object.values(reporters)) each.stop()
      await nats.drain().catch(() => {})
      await connection.close()
    },
  }
}
