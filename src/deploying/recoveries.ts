import { decodeFunctionResult, encodeFunctionData } from 'viem/utils'
import { accountRegistryAbi, recoveryExecutorAbi } from '../../contracts/artifacts/abi'
import { recoveryCheck } from '../adapters/evm/recovery-check'
import { asBytes, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import type { Address, Hash, Hex } from '../domain/chain/hex'
import type { ProductContracts } from './product-contracts'
import type { Recovery } from './recovery-file'
import { roleNames, type Step } from './steps'

export const recoveryActs = ['approve', 'withdraw', 'veto', 'carryOut'] as const
export type RecoveryAct = (typeof recoveryActs)[number]

/** A holder by role, and when they approved, in seconds since 1970; null while their approval does not count. */
type Approval = { role: 'admin' | 'guardian' | 'recovery'; address: Address; approvedAt: number | null }

/** The state of a recovery on the chain. Times are seconds since 1970. */
export type RecoveryState = {
  id: Hash
  isDone: boolean
  approvals: Approval[]
  /** Times between which it may be executed; null while it is not scheduled. */
  open: { from: number; until: number } | null
  /** Whether the guardian must be among the approving holders. */
  needsGuardian: boolean
  time: number
}

/** How long an approval counts, and how long a recovery may be executed, in seconds: the contract's `WINDOW`. */
const windowSeconds = 14 * 86_400

/** Reads the progress of a recovery, at the newest block. */
export async function recoveryState(
  ask: Ask,
  recovery: Recovery,
  { registry, executor, recoveryExecutor }: ProductContracts,
): Promise<RecoveryState> {
  const latest = asObject(await ask('eth_getBlockByNumber', ['latest', false]))
  const [block, time] = [toQuantity(asNumber(latest['number'])), asNumber(latest['timestamp'])]
  const call = async (to: Address, data: Hex) => asBytes(await ask('eth_call', [{ to, data }, block]))
  const question = { abi: recoveryExecutorAbi, functionName: 'status', args: [recovery] } as const
  const [id, readyAt, approvedAt] = decodeFunctionResult({
    ...question,
    data: await call(recoveryExecutor.address, encodeFunctionData(question)),
  })
  const ofRegistry = async (functionName: 'holder' | 'routeUsed', args: readonly unknown[]) => {
    const query = { abi: accountRegistryAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0]
    const data = await call(registry.address, encodeFunctionData(query))
    return decodeFunctionResult({ ...query, data } as Parameters<typeof decodeFunctionResult>[0]) as unknown
  }
  const addresses = (await Promise.all([0n, 1n, 2n].map((role) => ofRegistry('holder', [role])))) as Address[]
  const open = readyAt === 0n ? null : { from: Number(readyAt), until: Number(readyAt) + windowSeconds }
  const contracts = { executor: executor.address, recoveryExecutor: recoveryExecutor.address }
  return {
    id,
    time,
    isDone: (await ofRegistry('routeUsed', [recovery.accountSalt, id])) === true,
    approvals: roleNames.map((role, n) => {
      const at = Number(approvedAt[n]!)
      const counts = at > 0 && (open !== null || time <= at + windowSeconds)
      return { role, address: addresses[n]!, approvedAt: counts ? at : null }
    }),
    open,
    needsGuardian: !(await recoveryCheck(ask, contracts)(recovery.asset)),
  }
}

/** Why an act cannot be done now, in a sentence; null if it can. */
export function objectionTo(act: RecoveryAct, state: RecoveryState): string | null {
  const { isDone, open, approvals, needsGuardian, time } = state
  if (isDone) return 'It was already carried out.'
  const isLapsed = open !== null && time > open.until
  switch (act) {
    case 'approve':
      return approvals.every(({ approvedAt }) => approvedAt !== null) && !isLapsed ? 'All three have approved.' : null
    case 'withdraw':
      return approvals.every(({ approvedAt }) => approvedAt === null) ? 'No holder has approved it.' : null
    case 'veto':
      return open ? null : 'It is not scheduled, so there is nothing to veto.'
    case 'carryOut':
      if (!open) return 'Two holders must approve it first.'
      if (isLapsed) return 'It has expired. Two holders must approve it again.'
      if (needsGuardian && approvals[1]!.approvedAt === null)
        return 'The guardian must be one of the approving holders.'
      return null
  }
}

/** The transaction of an act, and the addresses that may send it. */
export function recoveryStep(act: RecoveryAct, recovery: Recovery, state: RecoveryState, to: Address): Step {
  const { approvals, open, time } = state
  const isLapsed = open !== null && time > open.until
  const by = approvals.filter(({ role, approvedAt }) => {
    if (act === 'approve') return approvedAt === null || isLapsed
    if (act === 'withdraw') return approvedAt !== null
    return act === 'carryOut' || role !== 'recovery'
  })
  const functionName = act === 'carryOut' ? 'recover' : act
  const readyAt = act === 'carryOut' ? open!.from : null
  return {
    name: act === 'carryOut' ? 'carry out the recovery' : `${act} the recovery`,
    status: readyAt === null || readyAt <= time ? 'READY' : 'WAITS',
    by: by.map(({ address }) => address),
    to,
    data: encodeFunctionData({ abi: recoveryExecutorAbi, functionName, args: [recovery] }),
    readyAt,
    isHandOver: false,
  }
}
