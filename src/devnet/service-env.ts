import { accounts } from './chains/accounts'
import type { Devnet } from './devnet-type'

/** Two blocks are enough, because reorganizations come only on request here, and enough to show one. */
const confirmations = '2'
/** While there is traffic, every chain makes ten blocks a second, even a chain with 12 seconds per block in reality. */
const chainPollMs = '100'
/** All simultaneous orders share a transaction here. By default, each order gets its own. */
const ordersPerTransaction = '10'
/** The stand-ins allow any number of requests, unless a limit is active. */
const plenty = '1000000'

/**
 * The service's environment variables with their values for this devnet. A variable that is already set keeps its
 * value.
 */
export function serviceEnv(devnet: Omit<Devnet, 'serviceEnv'>): Record<string, string> {
  const { contracts, keys } = devnet
  const env: Record<string, string> = {
    FAUCET_URL: devnet.controlUrl,
    WEBHOOKS_TO_LOOPBACK: 'true',
    LIFI_URL: devnet.lifiUrl,
    RELAY_URL: devnet.relayUrl,
    RELAY_PRICES_URL: devnet.relayUrl,
    LIFI_REQUESTS_PER_MINUTE: plenty,
    RELAY_REQUESTS_PER_MINUTE: plenty,
    RELAY_SOLVER_ADDRESS: accounts.relaySolver.address,
    ACCOUNT_REGISTRY_ADDRESS: contracts.registry,
    ROUTE_EXECUTOR_ADDRESS: contracts.executor,
    RECOVERY_EXECUTOR_ADDRESS: contracts.recoveryExecutor,
    BALANCE_LENS_ADDRESS: contracts.lens,
    FEE_COLLECTOR_ADDRESS: keys.collector,
    ROUTE_SIGNER_PRIVATE_KEY: keys.routeSigner,
    RELAYER_PRIVATE_KEYS: keys.relayers.join(','),
    RELAYER_ADDRESSES: accounts.relayers.map(({ address }) => address).join(','),
    RECEIPT_KEY: accounts.receipts.privateKey,
    TOKEN_LIST: devnet.tokenListPath,
    CHAIN_POLL_MS: chainPollMs,
    ORDERS_PER_TRANSACTION: ordersPerTransaction,
    REGISTRATION: 'open',
    ...(devnet.registration && {
      ALCHEMY_NOTIFY_URL: devnet.alchemyUrl,
      ALCHEMY_AUTH_TOKEN: devnet.alchemyToken,
      ALCHEMY_WEBHOOK_URL: devnet.registration.webhookUrl,
    }),
  }
  for (const { key, rpcUrl } of Object.values(devnet.chains)) {
    const name = key.toUpperCase()
    env[`RPC_URL_${name}`] = rpcUrl
    env[`ALCHEMY_SIGNING_KEY_${name}`] = devnet.webhookSigningKeys[key]
    env[`CONFIRMATIONS_${name}`] = confirmations
    if (devnet.registration) env[`ALCHEMY_RPC_URL_${name}`] = devnet.alchemyRpcUrls[key]
  }
  for (const name of Object.keys(env)) {
    const given = process.env[name]
    if (given) env[name] = given
  }
  return env
}
