import {
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionData,
  pad,
  parseAbi,
  toEventSelector,
} from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../contracts/artifacts/abi'
import { ruleKey } from '../adapters/evm/deployment'
import { asBytes, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import type { Holders } from '../domain/chain/account'
import { type Address, type Hash, type Hex, sameAddress, zeroAddress } from '../domain/chain/hex'
import { blockSince, type PastEvent, pastEvents } from './event-history'
import type { ProductContracts } from './product-contracts'
import { recoveryState } from './recoveries'
import { type DeploymentState, moduleWindow, roleNames } from './steps'

/** A pending change on a chain, with the addresses that may finish it and its times in seconds. */
export type Pending = {
  what: string
  /** The addresses that may execute it, or whose vote is missing. */
  by: Address[]
  /** Time from which it can be executed; null while a vote is missing. */
  readyAt: number | null
  /** Time until which it can be executed; after that it must be started again. */
  until: number
}

const abi = parseAbi([
  'event ModuleScheduled(address indexed module, bytes32 codeHash, uint64 readyAt)',
  'event ReplacementAsked(uint8 indexed role, address indexed next, address by)',
  'event ReplacementWithdrawn(uint8 indexed role, address indexed next, address by)',
  'event RoleReplaced(uint8 indexed role, address from, address to)',
  'event Scheduled(bytes32 indexed id, uint64 readyAt, bytes call)',
  'struct Recovery { bytes32 accountSalt; uint8 kind; address asset; uint256 id; uint256 amount; address to; bytes32 label; }',
  'event RecoveryApproved(bytes32 indexed id, Recovery recovery, address by)',
])
const kinds = abi.map((event) => toEventSelector(event))
/** The contracts' `DELAY`, `WINDOW` and `VOTE_WINDOW`, in seconds. */
const [settingDelay, settingWindow, voteWindow] = [2 * 86_400, 14 * 86_400, 14 * 86_400]
/** Longer than anything can be pending without an event: a module waits three days and may be installed for 14. */
const pendingLongest = 18 * 86_400
/** The item under which a stop of each change is recorded. */
const items: Record<string, number> = {
  unpause: 0,
  addRelayer: 1,
  addSigner: 2,
  addCollector: 3,
  addRule: 4,
  setCap: 5,
  setMaxNativeFee: 6,
}

/**
 * Everything that is pending on a chain, also if the deployment file does not name it: modules, settings, votes for a
 * holder and recoveries. It is read from the events that started them, and includes only changes that can still be
 * executed.
 */
export async function pendingOn(ask: Ask, contracts: ProductContracts, state: DeploymentState): Promise<Pending[]> {
  const { registry, executor, recoveryExecutor } = contracts
  const { holders } = state
  if (!holders) return []
  const block = asNumber(asObject(await ask('eth_getBlockByNumber', ['latest', false]))['number'])
  const places = [registry, executor, recoveryExecutor].map(({ address }) => address)
  // Earlier changes have lapsed, so the node need not return its whole history.
  const first = await blockSince(ask, state.time - pendingLongest, block)
  const timelockEvents = (await pastEvents(ask, places, kinds, { first, last: block })).flatMap(decodedOf)
  const view = viewsOf(ask, toQuantity(block))
  const [modules, settings, recoveries] = await Promise.all([
    pendingModules(timelockEvents, view, contracts, holders),
    pendingSettings(timelockEvents, view, executor.address, holders),
    pendingRecoveries(timelockEvents, ask, contracts),
  ])
  const votes = await pendingVotes(timelockEvents, ask, holders)
  const isOpen = ({ until }: Pending) => state.time <= until
  return [...modules, ...settings, ...votes, ...recoveries].filter(isOpen)
}

type TimelockEvent = ReturnType<typeof decodeEventLog<typeof abi>> & { block: number }

const decodedOf = ({ topics, data, block }: PastEvent): TimelockEvent[] => [
  { ...decodeEventLog({ abi, topics: topics as [Hash, ...Hash[]], data }), block },
]

type View = (to: Address, of: readonly unknown[], functionName: string, args: readonly unknown[]) => Promise<unknown>

const viewsOf =
  (ask: Ask, block: Hex): View =>
  async (to, of, functionName, args) => {
    const question = { abi: of, functionName, args } as Parameters<typeof encodeFunctionData>[0]
    const data = asBytes(await ask('eth_call', [{ to, data: encodeFunctionData(question) }, block]))
    return decodeFunctionResult({ ...question, data } as Parameters<typeof decodeFunctionResult>[0])
  }

async function pendingModules(
  timelockEvents: readonly TimelockEvent[],
  view: View,
  contracts: ProductContracts,
  holders: Holders,
) {
  const { registry, executor, recoveryExecutor } = contracts
  const nameOf = (module: Address) =>
    sameAddress(module, executor.address)
      ? 'the executor'
      : sameAddress(module, recoveryExecutor.address)
        ? 'the RecoveryExecutor'
        : `${module}, which the file does not name,`
  const scheduled = timelockEvents.flatMap((each) => (each.eventName === 'ModuleScheduled' ? [each.args.module] : []))
  const pending = [...new Set(scheduled)].map(async (module): Promise<Pending | null> => {
    const [, at] = (await view(registry.address, accountRegistryAbi, 'pendingModule', [module])) as [Hash, bigint]
    const readyAt = Number(at)
    if (readyAt === 0) return null
    return { what: `${nameOf(module)} as a module`, by: [holders.admin], readyAt, until: readyAt + moduleWindow }
  })
  return (await Promise.all(pending)).filter((each) => each !== null)
}

/** A change that was stopped since is void and can never be applied. */
async function pendingSettings(
  timelockEvents: readonly TimelockEvent[],
  view: View,
  executor: Address,
  { admin }: Holders,
) {
  const calls = new Map(
    timelockEvents.flatMap((each) => (each.eventName === 'Scheduled' ? [[each.args.id, each.args.call] as const] : [])),
  )
  const pending = [...calls].map(async ([id, call]): Promise<Pending | null> => {
    const readyAt = Number(await view(executor, routeExecutorAbi, 'readyAt', [id]))
    if (readyAt === 0) return null
    const { what, item, key } = changeOf(call)
    const stoppedAt =
      item === null ? 0n : ((await view(executor, routeExecutorAbi, 'stoppedAt', [item, key])) as bigint)
    if (BigInt(readyAt - settingDelay) <= stoppedAt) return null
    return { what, by: [admin], readyAt, until: readyAt + settingWindow }
  })
  return (await Promise.all(pending)).filter((each) => each !== null)
}

type Rule = { target: Address; selector: Hex; spender: Address; guard: Address }

/** The effect of a scheduled call, and the item and key that record a stop of it. */
function changeOf(call: Hex): { what: string; item: number | null; key: Hex } {
  const none = pad('0x', { size: 32 })
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi: routeExecutorAbi, data: call })
    const [first] = args as readonly unknown[]
    const item = items[functionName] ?? null
    if (functionName === 'addRule') {
      const { target, selector, spender, guard } = first as Rule
      const what = `addRule(${target}, ${selector}, spender ${spender}, guard ${guard})`
      return { what, item, key: ruleKey({ target, selector, spender }) }
    }
    const isOfAddress = item !== null && item > 0 && item < 6
    return {
      what: `${functionName}(${args.map(wordOf).join(', ')})`,
      item,
      key: isOfAddress ? pad(first as Hex) : none,
    }
  } catch {
    return { what: `a call unknown to this release, ${call.slice(0, 10)}`, item: null, key: none }
  }
}

const wordOf = (word: unknown): string => (word === zeroAddress ? 'the native coin' : String(word))

/** The registry has no view of votes, so its events are followed; a replacement ends all of them. */
async function pendingVotes(timelockEvents: readonly TimelockEvent[], ask: Ask, holders: Holders): Promise<Pending[]> {
  const votes = new Map<string, { role: number; next: Address; by: Address; block: number }>()
  for (const each of timelockEvents) {
    if (each.eventName === 'RoleReplaced') votes.clear()
    if (each.eventName !== 'ReplacementAsked' && each.eventName !== 'ReplacementWithdrawn') continue
    const { role, next, by } = each.args
    const key = `${role} ${next} ${by}`
    if (each.eventName === 'ReplacementAsked') votes.set(key, { role, next, by, block: each.block })
    else votes.delete(key)
  }
  return Promise.all(
    [...votes.values()].map(async ({ role, next, by, block }) => {
      const { timestamp } = asObject(await ask('eth_getBlockByNumber', [toQuantity(block), false]))
      const others = roleNames.filter((name, n) => n !== role && !sameAddress(holders[name], by))
      return {
        what: `${next} as the ${roleNames[role]}, with a vote by ${by}`,
        by: others.map((name) => holders[name]),
        readyAt: null,
        until: asNumber(timestamp) + voteWindow,
      }
    }),
  )
}

async function pendingRecoveries(
  timelockEvents: readonly TimelockEvent[],
  ask: Ask,
  contracts: ProductContracts,
): Promise<Pending[]> {
  const recoveries = new Map(
    timelockEvents.flatMap((each) =>
      each.eventName === 'RecoveryApproved' ? [[each.args.id, each.args.recovery] as const] : [],
    ),
  )
  const pending = [...recoveries.values()].map(async (recovery): Promise<Pending | null> => {
    const { isDone, open, approvals, id } = await recoveryState(ask, recovery, contracts)
    const given = approvals.flatMap(({ approvedAt }) => (approvedAt === null ? [] : [approvedAt]))
    if (isDone || given.length === 0) return null
    const { asset, amount, to } = recovery
    const thing = asset === zeroAddress ? 'of the native coin' : `of ${asset}`
    const what = `recovery ${id}: ${amount} ${thing} to ${to}`
    const missing = approvals.filter(({ approvedAt }) => open !== null || approvedAt === null)
    const until = open ? open.until : Math.max(...given) + voteWindow
    return { what, by: missing.map(({ address }) => address), readyAt: open?.from ?? null, until }
  })
  return (await Promise.all(pending)).filter((each) => each !== null)
}
