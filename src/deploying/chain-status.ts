import type { Ask } from '../adapters/evm/rpc/json-rpc'
import { type ChainKey, chains } from '../domain/chain/chain'
import { type Address, sameAddress } from '../domain/chain/hex'
import { deploymentState } from './deployment-chain'
import type { DeploymentFile } from './deployment-file'
import { differences } from './differences'
import { EventsUnread } from './event-history'
import { type Pending, pendingOn } from './pending'
import { deployedContracts, type ProductContracts } from './product-contracts'
import { type SettingChange, settingChanges } from './setting-changes'
import { ofChain, roleNames, type Step, stepsOf } from './steps'
import { unnamedPowers } from './unnamed-powers'

/** The deployment state of a chain, compared with the deployment file. Times are seconds since 1970. */
export type ChainStatus = {
  chain: ChainKey
  chainId: number
  /** Time of the block that all of it was read at. */
  at: number
  contracts: { name: string; address: Address; isDeployed: boolean }[]
  modules: { name: string; address: Address; isInstalled: boolean }[]
  /** Empty before the registry is deployed. `is` states whether the file names the holder, and as which. */
  roles: { role: (typeof roleNames)[number]; holder: Address; is: 'LIVE' | 'GENESIS' | 'OTHER' }[]
  isPaused: boolean | null
  /** Caps, fee and powers; empty before the executor is deployed. `next` brings the chain nearer to the file. */
  settings: { name: string; is: string; wanted: string; next: Next | null }[]
  /** The open steps, in order. */
  steps: Next[]
  /** Changes that are pending and can still be executed; null if the node does not return the events. */
  pending: Pending[] | null
  /**
   * In sentences, including powers that the file does not name. Empty while something must still be deployed, and if
   * the chain matches the file.
   */
  differs: string[]
  /** Whether the node returns all events. Otherwise a power that the file never named stays undetected. */
  isHistoryRead: boolean
}

/** An open transaction. Any address may send it if `by` is null. */
type Next = Pick<Step, 'name' | 'status' | 'by' | 'readyAt'>

/** Reads the full state of one chain for an operator: existing contracts, next steps, and the addresses that act. */
export async function chainStatusOf(
  ask: Ask,
  key: ChainKey,
  file: DeploymentFile,
  contracts: ProductContracts,
): Promise<ChainStatus> {
  const state = await deploymentState(ask, contracts)
  const isThere = (address: Address) => state.hasCode.get(address.toLowerCase()) === true
  const all = deployedContracts(contracts).map(([name, { address }]) => ({
    name,
    address,
    isDeployed: isThere(address),
  }))
  const isWhole = all.every(({ isDeployed }) => isDeployed)
  const [changes, pending, differs, unnamed] = await Promise.all([
    isWhole ? settingChanges(ask, file.wanted[key], contracts, { unpause: true }) : [],
    nullWhereUnread(pendingOn(ask, contracts, state)),
    isWhole ? differences(ask, key, file, contracts) : [],
    isWhole ? nullWhereUnread(unnamedPowers(ask, key, file, contracts)) : [],
  ])
  const { executor, recoveryExecutor } = contracts
  return {
    chain: key,
    chainId: chains[key].id,
    at: state.time,
    contracts: all,
    modules: [
      { name: 'RouteExecutor', address: executor.address, isInstalled: state.modules.executor.isInstalled },
      { name: 'RecoveryExecutor', address: recoveryExecutor.address, isInstalled: state.modules.recovery.isInstalled },
    ],
    roles: rolesOf(state.holders, file),
    isPaused: isWhole ? changes.some(isPause) : null,
    settings: changes.filter((change) => !isPause(change)).map(settingOf),
    steps: stepsOf(ofChain(file, key), contracts, state)
      .filter(({ status }) => status !== 'DONE')
      .map(nextOf),
    pending,
    differs: [...differs, ...(unnamed ?? [])],
    isHistoryRead: pending !== null && unnamed !== null,
  }
}

const nullWhereUnread = <Value>(reading: Promise<Value>): Promise<Value | null> =>
  reading.catch((error) => {
    if (error instanceof EventsUnread) return null
    throw error
  })

const isPause = ({ name }: SettingChange): boolean => name === 'the pause'
const nextOf = ({ name, status, by, readyAt }: Step): Next => ({ name, status, by, readyAt })
const settingOf = ({ name, is, wanted, step }: SettingChange) => ({ name, is, wanted, next: step && nextOf(step) })

function rolesOf(
  holders: Record<(typeof roleNames)[number], Address> | null,
  file: DeploymentFile,
): ChainStatus['roles'] {
  if (!holders) return []
  return roleNames.map((role) => {
    const holder = holders[role]
    if (sameAddress(holder, file.liveHolders[role])) return { role, holder, is: 'LIVE' }
    return { role, holder, is: sameAddress(holder, file.settings.holders[role]) ? 'GENESIS' : 'OTHER' }
  })
}
