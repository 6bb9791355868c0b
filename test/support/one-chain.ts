import { accounts } from '../../src/devnet/chains/accounts'
import { devnetContracts } from '../../src/devnet/chains/contracts'
import { genesisAgeSeconds } from '../../src/devnet/chains/deploy'
import { startDevChain } from '../../src/devnet/chains/dev-chain'
import { lifiRules } from '../../src/signer/route-rules'
import { temporaryFolder } from './temporary-folder'

/**
 * Starts one real chain with the contracts, and returns the service's settings for it. The other chains are
 * unreachable.
 */
export async function oneChain() {
  const dir = temporaryFolder('one-chain')
  const genesisTime = Math.floor(Date.now() / 1_000) - genesisAgeSeconds
  const chain = await startDevChain({ key: 'base', dir, genesisTime, blockTimeSeconds: 1, report: () => {} })
  const { registry, executor, recoveryExecutor, lens, guards } = devnetContracts()
  const url = `http://127.0.0.1:${chain.port}`
  const variables: Record<string, string> = {
    ACCOUNT_REGISTRY_ADDRESS: registry.address,
    ROUTE_EXECUTOR_ADDRESS: executor.address,
    RECOVERY_EXECUTOR_ADDRESS: recoveryExecutor.address,
    BALANCE_LENS_ADDRESS: lens.address,
    FEE_COLLECTOR_ADDRESS: accounts.collector.address,
    RELAYER_ADDRESSES: accounts.relayers.map(({ address }) => address).join(','),
    RELAYER_PRIVATE_KEYS: accounts.relayers.map(({ privateKey }) => privateKey).join(','),
    ROUTE_SIGNER_PRIVATE_KEY: accounts.routeSigner.privateKey,
    RPC_URL_BASE: url,
  }
  return { chain, url, variables, rules: lifiRules(), guards }
}
