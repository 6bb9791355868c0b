import { encodeFunctionData } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../contracts/artifacts/abi'
import { deploymentProxy, type Holders } from '../domain/chain/account'
import type { ChainKey } from '../domain/chain/chain'
import { type Address, type Hex, sameAddress, zeroAddress } from '../domain/chain/hex'
import type { DeploymentFile } from './deployment-file'
import { deployedContracts, type ProductContracts } from './product-contracts'

/** The contracts that move the money of accounts. */
const moduleNames = ['executor', 'recovery'] as const
type ModuleName = (typeof moduleNames)[number]
const calledModules: Record<ModuleName, string> = {
  executor: 'the executor',
  recovery: 'the RecoveryExecutor',
}

/** The state of a deployment on a chain at one moment. */
export type DeploymentState = {
  /** Whether there is code at each address, in lower case. */
  hasCode: ReadonlyMap<string, boolean>
  /** The current holders; null before the registry exists. */
  holders: Holders | null
  modules: Record<ModuleName, { isInstalled: boolean; readyAt: number }>
  nativeCap: bigint | null
  /** The time of the newest block, in seconds since 1970. */
  time: number
}

/** The transaction of a step. `by` lists its possible senders. */
export type Step = {
  name: string
  status: 'DONE' | 'READY' | 'WAITS'
  /** Null if any address may send it. */
  by: readonly Address[] | null
  to: Address
  data: Hex
  /** When the step can be taken, in seconds since 1970; null unless it waits for its time. */
  readyAt: number | null
  /** Whether it gives a role to its live holder, which comes after everything else. */
  isHandOver: boolean
}

/** Time after which the registry drops a ready schedule, in seconds. */
export const moduleWindow = 14 * 86_400
export const roleNames = ['admin', 'guardian', 'recovery'] as const

/**
 * Every step of a deployment on one chain, in order, with the progress that the chain shows. Nothing else stores
 * progress, so an earlier run may have been interrupted anywhere.
 */
export function stepsOf(
  { liveHolders, nativeCap, deployedNativeCap }: ReturnType<typeof ofChain>,
  contracts: ProductContracts,
  state: DeploymentState,
): Step[] {
  const { registry, executor, recoveryExecutor } = contracts
  const steps: Step[] = []
  const isThere = (address: Address) => state.hasCode.get(address.toLowerCase()) === true
  const add = (
    name: string,
    isDone: boolean,
    rest: Pick<Step, 'by' | 'to' | 'data'> & { isHandOver?: true },
    readyAt: number | null = null,
  ) => {
    const isNext = steps.every(({ status }) => status === 'DONE')
    const status = isDone ? 'DONE' : isNext && (readyAt === null || readyAt <= state.time) ? 'READY' : 'WAITS'
    steps.push({ name, status, readyAt: isDone ? null : readyAt, isHandOver: false, ...rest })
  }

  const modules = { executor, recovery: recoveryExecutor }
  for (const [name, { address, bytes }] of deployedContracts(contracts))
    add(`deploy ${name}`, isThere(address), { by: null, to: deploymentProxy, data: bytes })

  const admin = state.holders ? [state.holders.admin] : []
  const ofModule = (functionName: 'scheduleModule' | 'installModule', name: ModuleName) => ({
    by: admin,
    to: registry.address,
    data: encodeFunctionData({ abi: accountRegistryAbi, functionName, args: [modules[name].address] }),
  })
  const scheduledAt = (name: ModuleName) => {
    const { readyAt } = state.modules[name]
    return readyAt > 0 && state.time <= readyAt + moduleWindow ? readyAt : null
  }
  for (const name of moduleNames) {
    const isDone = state.modules[name].isInstalled || scheduledAt(name) !== null
    add(`schedule ${calledModules[name]} as a module`, isDone, ofModule('scheduleModule', name))
  }
  for (const name of moduleNames)
    add(
      `install ${calledModules[name]}`,
      state.modules[name].isInstalled,
      ofModule('installModule', name),
      scheduledAt(name),
    )

  const lowered = encodeFunctionData({
    abi: routeExecutorAbi,
    functionName: 'lowerCap',
    args: [zeroAddress, nativeCap],
  })
  const isLow = (state.nativeCap ?? deployedNativeCap) <= nativeCap
  add('lower the cap of the native coin', isLow, { by: admin, to: executor.address, data: lowered })

  for (const [role, name] of [...roleNames.entries()].toReversed()) {
    const next = liveHolders[name]
    const isDone = state.holders !== null && sameAddress(state.holders[name], next)
    const others = state.holders ? roleNames.filter((each) => each !== name).map((each) => state.holders![each]) : []
    const data = encodeFunctionData({ abi: accountRegistryAbi, functionName: 'replace', args: [role, next] })
    add(`replace the ${name}, by the votes of two holders`, isDone, {
      by: others,
      to: registry.address,
      data,
      isHandOver: true,
    })
  }
  return steps
}

/** The parts of the file that the steps of one chain need. */
export function ofChain({ settings, liveHolders, nativeCaps, wanted }: DeploymentFile, key: ChainKey) {
  const now = wanted[key].caps.find(({ token }) => token === zeroAddress)!.limit
  // A cap that was raised since is not lowered again. A cap that should be lower now is a change of the settings.
  const deployedNativeCap = settings.caps.find(({ token }) => token === zeroAddress)!.limit
  return { liveHolders, nativeCap: now > nativeCaps[key] ? now : nativeCaps[key], deployedNativeCap }
}
