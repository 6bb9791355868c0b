// What a page shows of a user's deposits, from the API's facts. `funds` and `next` decide: the status alone does not,
// because a refund also ends in SUCCESS, and money can continue in another execution.

/** Longest chain of executions that is followed. Each takes over the money of the one before. */
const followedMax = 8

/** Returns the user's newest deposits. Throws if anything cannot be read: unknown is never shown as delivered. */
export async function depositsOf(client, userId, chains) {
  const [deposits, executions] = await Promise.all([
    client.listDeposits({ userId }).page(),
    client.listExecutions({ userId }).page(),
  ])
  const known = new Map(executions.items.map((execution) => [execution.id, execution]))
  const find = async (id) => known.get(id) ?? (await client.getExecution(id).catch(nullIfHidden))
  const ids = new Set(deposits.items.map(({ id }) => id))
  const shown = deposits.items.filter((deposit) => isOwnRow(deposit, ids))
  return Promise.all(shown.map(async (deposit) => shownOf(deposit, await moneyOf(deposit, find), chains)))
}

/** A bridge's refund belongs to an earlier deposit, and a transfer that moved to another block to that block's. */
const isOwnRow = ({ stage, next }, ids) =>
  stage !== 'RETURNED' && !(stage === 'ORPHANED' && next.action === 'FOLLOW' && ids.has(next.executionId))

function nullIfHidden(error) {
  if (error.code === 'EXECUTION_NOT_FOUND') return null
  throw error
}

/** Follows the money of a deposit to the execution that has it now. */
async function moneyOf({ executionId, funds, next }, find) {
  const first = executionId === null ? null : await find(executionId)
  const own = { execution: first, funds, next, isTakenAlong: false }
  let at = own
  for (let n = 0; at.next.action === 'FOLLOW'; n++) {
    const execution = n < followedMax ? await find(at.next.executionId) : null
    if (execution === null) return { ...own, isTakenAlong: true }
    at = { execution, funds: execution.funds, next: execution.next, isTakenAlong: true }
  }
  return at
}

function stateOf(stage, { execution, funds, next }) {
  if (execution?.status === 'SUCCESS' && funds.holder === 'RECIPIENT') return funds.refund ? 'REFUNDED' : 'DELIVERED'
  if (next.action === 'FOLLOW') return 'ON_ITS_WAY'
  if (stage === 'ORPHANED' || (execution !== null && execution.completedAt !== null)) return 'NEEDS_ATTENTION'
  const isAutomatic = next.actor === 'SERVICE' || next.actor === 'PROVIDER'
  if (stage === 'CONFIRMING') return isAutomatic ? 'SEEN' : 'NEEDS_ATTENTION'
  if (['WAITING_FOR_INTENT', 'QUEUED', 'PAUSED'].includes(stage) || execution?.status === 'FAILED') return 'WAITING'
  if (isAutomatic) return 'ON_ITS_WAY'
  return next.action === 'RESUME' ? 'WAITING' : 'NEEDS_ATTENTION'
}

function shownOf(deposit, money, chains) {
  const { execution, funds, next, isTakenAlong } = money
  const state = stateOf(deposit.stage, money)
  const from = chains.get(deposit.fromChainKey)
  const to = chains.get(funds.chainKey)
  const hasArrived = state === 'DELIVERED' || state === 'REFUNDED'
  const arrivalTxHash = hasArrived ? execution.destinationTxHash : null
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

const urlOf = (chain, hash) => (chain && hash ? `${chain.explorerUrl}/tx/${hash}` : null)
