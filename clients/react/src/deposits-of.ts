import { ApiError, type Schema, type Switchyard } from '@switchyard/client'
import type { CardDeposit, DepositState } from './contract.js'

type Deposit = Schema<'Deposit'>
type Execution = Pick<Schema<'FullExecution'>, 'id' | 'status' | 'completedAt' | 'destinationTxHash' | 'funds' | 'next'>
export type Chains = Map<string, Pick<Schema<'Chain'>, 'name' | 'explorerUrl'>>
/** The money of a deposit: the execution that has it, where it is, and who acts next. */
type Money = Pick<Deposit, 'funds' | 'next'> & { execution: Execution | null; isTakenAlong: boolean }
type Find = (id: string) => Promise<Execution | null>

/** Longest chain of executions that is followed. Each takes over the money of the one before. */
const followedMax = 8

/**
 * Returns a user's newest deposits. `funds` and `next` decide: the status alone does not, because a refund also ends in
 * SUCCESS, and money can continue in another execution. Throws if anything cannot be read: unknown is never delivered.
 */
export async function depositsOf(client: Switchyard, userId: string, chains: Chains): Promise<CardDeposit[]> {
  const [deposits, executions] = await Promise.all([
    client.listDeposits({ userId }).page(),
    client.listExecutions({ userId }).page(),
  ])
  const known = new Map<string, Execution>(executions.items.map((execution) => [execution.id, execution]))
  const find: Find = async (id) => known.get(id) ?? (await client.getExecution(id).catch(nullIfHidden))
  const ids = new Set(deposits.items.map(({ id }) => id))
  const shown = deposits.items.filter((deposit) => isOwnRow(deposit, ids))
  return Promise.all(shown.map(async (deposit) => cardDeposit(deposit, await moneyOf(deposit, find), chains)))
}

/** False for a bridge's refund, and for a transfer that moved to another block: their money has another row. */
const isOwnRow = ({ stage, next }: Deposit, ids: Set<string>): boolean =>
  stage !== 'RETURNED' && !(stage === 'ORPHANED' && next.action === 'FOLLOW' && ids.has(next.executionId ?? ''))

function nullIfHidden(error: unknown): null {
  if (error instanceof ApiError && error.code === 'EXECUTION_NOT_FOUND') return null
  throw error
}

/** Follows the money of a deposit to the execution that has it now. */
async function moneyOf({ executionId, funds, next }: Deposit, find: Find): Promise<Money> {
  const execution = executionId === null ? null : await find(executionId)
  const own: Money = { execution, funds, next, isTakenAlong: false }
  let at = own
  for (let n = 0; at.next.action === 'FOLLOW'; n++) {
    const following = n < followedMax && at.next.executionId !== null ? await find(at.next.executionId) : null
    if (following === null) return { ...own, isTakenAlong: true }
    at = { execution: following, funds: following.funds, next: following.next, isTakenAlong: true }
  }
  return at
}

function stateOf(stage: string, { execution, funds, next }: Money): DepositState {
  if (execution?.status === 'SUCCESS' && funds.holder === 'RECIPIENT') return funds.refund ? 'REFUNDED' : 'DELIVERED'
  if (next.action === 'FOLLOW') return 'ON_ITS_WAY'
  if (stage === 'ORPHANED' || (execution !== null && execution.completedAt !== null)) return 'NEEDS_ATTENTION'
  const isAutomatic = next.actor === 'SERVICE' || next.actor === 'PROVIDER'
  if (stage === 'CONFIRMING') return isAutomatic ? 'SEEN' : 'NEEDS_ATTENTION'
  if (['WAITING_FOR_INTENT', 'QUEUED', 'PAUSED'].includes(stage) || execution?.status === 'FAILED') return 'WAITING'
  if (isAutomatic) return 'ON_ITS_WAY'
  return next.action === 'RESUME' ? 'WAITING' : 'NEEDS_ATTENTION'
}

function cardDeposit(deposit: Deposit, money: Money, chains: Chains): CardDeposit {
  const { execution, funds, next, isTakenAlong } = money
  const state = stateOf(deposit.stage, money)
  const from = chains.get(deposit.fromChainKey)
  const to = chains.get(funds.chainKey)
  const hasArrived = state === 'DELIVERED' || state === 'REFUNDED'
  const arrivalTxHash = hasArrived ? (execution?.destinationTxHash ?? null) : null
  return {
    id: deposit.id,
    state,
    stage: deposit.stage,
    status: execution?.status ?? null,
    createdAt: deposit.createdAt,
    completedAt: execution?.completedAt ?? null,
    amountIn: deposit.amountIn,
    fromTokenSymbol: deposit.fromTokenSymbol,
    fromTokenDecimals: deposit.fromTokenDecimals,
    fromChainName: from?.name ?? deposit.fromChainKey,
    confirmations: deposit.confirmations,
    confirmationsRequired: deposit.confirmationsRequired,
    depositTxHash: deposit.depositTxHash,
    depositTxUrl: urlOf(from, deposit.depositTxHash),
    isTakenAlong,
    holder: funds.holder,
    actor: next.actor,
    action: next.action,
    amountOut: hasArrived ? funds.amount : null,
    toTokenSymbol: hasArrived ? funds.tokenSymbol : null,
    toTokenDecimals: hasArrived ? funds.tokenDecimals : null,
    toChainName: hasArrived ? (to?.name ?? funds.chainKey) : null,
    arrivalTxHash,
    arrivalTxUrl: urlOf(to, arrivalTxHash),
  }
}

const urlOf = (chain: { explorerUrl: string } | undefined, hash: string | null): string | null =>
  chain && hash ? `${chain.explorerUrl}/tx/${hash}` : null
