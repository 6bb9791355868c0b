import { accounts } from './chains/accounts'
import type { Devnet } from './devnet-type'

/** Two blocks are enough where reorganizations come only when asked for, and enough to show one. */
const confirmations = '2'
/** Blocks come every tenth of a second while there is traffic, on chains that really take 12 seconds too. */
const chainPollMs = '100'
/** The stand-ins allow as much as anybody asks, unless a limit is switched on. */
const plenty = '1000000'

/** The service's environment on the devnet: its names, with this devnet's values, less what is set already. */
export function serviceEnv(devnet: Omit<Devnet, 'serviceEnv'>): Record<string, string> {
  const { contracts, keys } = devnet
  const env: Record<string, string> = {
    FAUCET_URL: devnet.controlUrl,
    LIFI_URL: devnet.lifiUrl,
    RELAY_URL: devnet.relayUrl,
    RELAY_PRICES_URL: devnet.relayUrl,
    LIFI_REQUESTS_PER_MINUTE: plenty,
    RELAY_REQUESTS_PER_MINUTE: plenty,
    RELAY_SOLVER_ADDRESS: accounts.relaySolver.address,
    ACCOUNT_REGISTRY_ADDRESS: contracts.registry,
    ROUTE_EXECUTOR_ADDRESS: contracts.executor,
    BALANCE_LENS_ADDRESS: contracts.lens,
    FEE_COLLECTOR_ADDRESS: keys.collector,
    ROUTE_SIGNER_PRIVATE_KEY: keys.routeSigner,
    RELAYER_PRIVATE_KEYS: keys.relayers.join(','),
    RELAYER_ADDRESSES: accounts.relayers.map(({ address }) => address).join(','),
    TOKEN_LIST: devnet.tokenListPath,
    CHAIN_POLL_MS: chainPollMs,
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
