import { connectMongo } from './adapters/mongo/connection'
import { connectNats } from './adapters/nats/connection'
import { readTokenList } from './adapters/token-list'
import type { loadConfig } from './config'
import type { Log } from './log'
import type { LogEvent } from './log-lines'

/** What is there before anything else: the record, the bell and the tokens. That one of them was lost is said. */
export async function connections({ config, secrets }: ReturnType<typeof loadConfig>, log: Log) {
  let isEnding = false
  /** Whoever ends closes its connections itself. */
  const told = (back: LogEvent, lost: LogEvent) => (isThere: boolean) => {
    if (!isEnding) log.say(isThere ? back : lost)
  }
  const [tokens, connection, nats] = await Promise.all([
    readTokenList(config.tokenList),
    connectMongo(secrets.mongoUrl, { onChange: told('MONGODB_BACK', 'MONGODB_LOST') }),
    connectNats(secrets.natsUrl, {
      onWarning: (warning) => log.say('NATS_ADVICE', {}, warning),
      onChange: told('NATS_BACK', 'NATS_LOST'),
    }),
  ])
  return {
    tokens,
    connection,
    nats,
    async close(): Promise<void> {
      isEnding = true
      await nats.drain().catch(() => {})
      await connection.close()
    },
  }
}
