import { decodeErrorResult, decodeFunctionData } from 'viem/utils'
import { accountRegistryAbi, recoveryExecutorAbi, routeExecutorAbi } from '../../contracts/artifacts/abi'
import { asAmount, asList, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import type { Holders } from '../domain/chain/account'
import type { Address, Hex } from '../domain/chain/hex'
import { roleNames, type Step } from './steps'

/** The result of a simulated step. For a handover, `gas` covers both votes. */
type Simulated = { gas: bigint; isGood: boolean; why: string | null }

/** Longer than a module waits between its schedule and its installation, in seconds. */
const waitSeconds = 4 * 86_400
/** A sender for steps that any address may send. */
const anybody: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * Simulates all open steps on a node, one after the other, as if the days between them had passed. The simulation runs
 * on the newest block and stores nothing (`eth_simulateV1`). Each step gets its own block.
 *
 * @returns The result of each open step; null if the node does not simulate.
 */
export async function simulateDeployment(
  ask: Ask,
  steps: readonly Step[],
  { holders, time }: { holders: Holders; time: number },
): Promise<Map<Step, Simulated> | null> {
  const open = steps.filter(({ status }) => status !== 'DONE')
  const current = { ...holders }
  let at = time
  let scheduledFor = time
  const blocks = open.map((step) => {
    // An old schedule lapses, so every step is simulated as early as possible.
    at = Math.max(at + 60, /^install /.test(step.name) ? (step.readyAt ?? scheduledFor) : 0)
    if (/^schedule /.test(step.name)) scheduledFor = at + waitSeconds
    const senders = sendersOf(step, current)
    const calls = senders.map((from) => ({ from, to: step.to, input: step.data }))
    return { blockOverrides: { time: toQuantity(at) }, calls }
  })
  if (blocks.length === 0) return new Map()
  const params = [{ blockStateCalls: blocks, validation: false }, 'latest']
  const answer = await ask('eth_simulateV1', params).then(asList, () => null)
  if (answer?.length !== blocks.length) return null
  return new Map(
    answer.map((block, n) => {
      const calls = asList(asObject(block)['calls']).map(asObject)
      const gas = calls.reduce((sum, { gasUsed }) => sum + asAmount(gasUsed), 0n)
      const failed = calls.find(({ status }) => status !== '0x1')
      return [open[n]!, { gas, isGood: !failed, why: failed ? errorIn(failed['returnData']) : null }]
    }),
  )
}

const errors = [accountRegistryAbi, routeExecutorAbi, recoveryExecutorAbi].flatMap((abi) =>
  abi.filter(({ type }) => type === 'error'),
)

/** The error of one of our contracts, or null. A refusal by the deployment proxy has none. */
function errorIn(returned: unknown): string | null {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: errors, data: returned as Hex })
    return `${errorName}(${args.map(String).join(', ')})`
  } catch {
    return null
  }
}

/** The senders of a step after the steps before it. A vote has two: the holders that are not replaced. */
function sendersOf(step: Step, current: Record<keyof Holders, Address>): Address[] {
  if (step.by === null) return [anybody]
  if (!step.isHandOver) return [current.admin]
  const { args } = decodeFunctionData({ abi: accountRegistryAbi, data: step.data })
  const [role, next] = args as unknown as [number, Address]
  const name = roleNames[role]!
  const voters = roleNames.filter((each) => each !== name).map((each) => current[each])
  current[name] = next
  return voters
}
