import type { Connection } from 'mongoose'
import { databaseClock } from '../../adapters/clock'
import { accountHistory } from '../../adapters/evm/account-history'
import { evmChain } from '../../adapters/evm/chain-client'
import { connectMongo } from '../../adapters/mongo/engine/connection'
import { databaseTime } from '../../adapters/mongo/mongo-store'
import { mongoAuditQueries } from '../../adapters/mongo/queries/audit-queries'
import { noTelemetry } from '../../adapters/no-telemetry'
import { readTokenList } from '../../adapters/prices/token-list'
import { type ChainId, perChain } from '../../domain/chain/chain'
import type { TokenList } from '../../domain/money/token'
import type { Telemetry } from '../../ports/observing'
import { loadConfig } from '../config/config'
import { type AuditPorts, type AuditReport, audit } from './audit'
import type { Audited } from './auditing'
import type { WatchedChain } from './changes-since'

const timeoutMs = 30_000
/** A page of a busy account has many records. */
const databaseWithinMs = 120_000

type Installed = {
  connection: Connection
  clients: Record<ChainId, WatchedChain['client']>
  tokens: TokenList
  telemetry?: Telemetry
}

/** What the audit reads of an installation. */
export function auditedOf(
  { config, secrets }: Pick<ReturnType<typeof loadConfig>, 'config' | 'secrets'>,
  { connection, clients, tokens, telemetry = noTelemetry }: Installed,
): Audited {
  const { executor, recoveryExecutor, formerExecutors, collector } = config
  const executors = [executor, ...(recoveryExecutor ? [recoveryExecutor] : []), ...formerExecutors]
  const chains = perChain((chainId, key) => ({
    client: clients[chainId],
    history: accountHistory({ chainId, rpcUrls: secrets.rpcUrls[key], executors, timeoutMs, telemetry }),
  }))
  return { queries: mongoAuditQueries(connection), chains, tokens, collector }
}

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
  const { registry, executor, recoveryExecutor, formerExecutors, lens, confirmations } = config
  const tokens = await readTokenList(config.tokenList)
  const database = { database: config.mongoDatabase, poolMax: 2, answerWithinMs: databaseWithinMs }
  const connection = await connectMongo(secrets.mongoUrl, database)
  try {
    const { now } = await databaseClock(databaseTime(connection))
    const clients = perChain((chainId, key) =>
      evmChain({
        ...{ chainId, rpcUrls: secrets.rpcUrls[key], timeoutMs, registry, executor, lens, recoveryExecutor },
        ...{ formerExecutors, confirmations: confirmations[key], now },
      }),
    )
    const audited = auditedOf({ config, secrets }, { connection, clients, tokens })
    return await audit({ ...audited, ...(onPage && { onPage }) })
  } finally {
    await connection.close()
  }
}
