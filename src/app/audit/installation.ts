import { databaseClock } from '../../adapters/clock'
import { accountHistory } from '../../adapters/evm/account-history'
import { evmChain } from '../../adapters/evm/chain-client'
import { connectMongo } from '../../adapters/mongo/engine/connection'
import { databaseTime } from '../../adapters/mongo/mongo-store'
import { mongoAuditQueries } from '../../adapters/mongo/queries/audit-queries'
import { readTokenList } from '../../adapters/prices/token-list'
import { perChain } from '../../domain/chain/chain'
import { loadConfig } from '../config/config'
import { type AuditPorts, type AuditReport, audit } from './audit'

const timeoutMs = 30_000
/** A page of a busy account has many records. */
const databaseWithinMs = 120_000

/**
 * Audits the installation that the environment describes. It needs no key, and writes nothing.
 *
 * @throws {ConfigError} naming every wrong variable.
 */
export async function auditInstallation(
  env: Record<string, string | undefined>,
  onPage?: AuditPorts['onPage'],
): Promise<AuditReport> {
  // The scanner is the role without keys.
  const { config, secrets } = loadConfig({ ...env, ROLES: 'scanner' })
  const { registry, executor, recoveryExecutor, formerExecutors, lens, collector, confirmations } = config
  const executors = [executor, ...(recoveryExecutor ? [recoveryExecutor] : []), ...formerExecutors]
  const tokens = await readTokenList(config.tokenList)
  const database = { database: config.mongoDatabase, poolMax: 2, answerWithinMs: databaseWithinMs }
  const connection = await connectMongo(secrets.mongoUrl, database)
  try {
    const { now } = await databaseClock(databaseTime(connection))
    const chains = perChain((chainId, key) => {
      const nodes = { chainId, rpcUrls: secrets.rpcUrls[key], timeoutMs }
      const contracts = { registry, executor, lens, recoveryExecutor, formerExecutors }
      return {
        client: evmChain({ ...nodes, ...contracts, confirmations: confirmations[key], now }),
        history: accountHistory({ ...nodes, executors }),
      }
    })
    const queries = mongoAuditQueries(connection)
    return await audit({ queries, chains, tokens, collector, ...(onPage && { onPage }) })
  } finally {
    await connection.close()
  }
}
