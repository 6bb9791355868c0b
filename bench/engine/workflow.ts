import type { Address, Hash } from '../../src/domain/chain/hex'
import { depositIdOf, type Execution, newExecution } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { defaultPolicy, type Order, type Route, routeIdOf } from '../../src/domain/execution/route'
import type { Steps } from '../../src/routing/engine/step'
import { takeLane } from '../../src/routing/steps/take-lane'

type Stores = Parameters<typeof takeLane>[0]

const hashOf = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const addressOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`
const [chainId, token] = [8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bDA02913'] as const
const target = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'
const organizationsCount = 40
/** The length of the calldata of a LI.FI route by Across. */
const data = `0x${'5c'.repeat(1_000)}` as const

/** The n-th deposit, with its own account in one of forty organizations. Its time gives its position in the order. */
export function depositRecord(n: number, at: number): Execution {
  const account = addressOf(0xac_0000_0000 + n)
  const txHash = hashOf(n)
  const deposit = {
    lane: laneId(account, chainId, token),
    account,
    chainId,
    token,
    symbol: 'USDC',
    decimals: 6,
    amountRaw: '1000000',
    block: n,
    txHash,
    logIndex: 0,
    fromAddress: addressOf(0x5e),
    detectedBy: ['SCANNER' as const],
    detectedAt: at,
  }
  const [organizationId, userId] = [`org_${n % organizationsCount}`, `user-${n}`]
  return newExecution({ id: depositIdOf(chainId, txHash, 0), organizationId, userId, deposit, machineVersion: '1' }, at)
}

/** The record of that deposit once its execution has ended. */
export function endedRecord(n: number, at: number): Execution {
  const record = depositRecord(n, at)
  const { route, fees, intent, routeId, order, quotaKey, spent } = factsOf(record, at)
  const facts = { intent, routeId, policy: defaultPolicy, route, fees, order, quotaKey, spent }
  const entry = { seq: 2, at, event: 'funds delivered', from: 'RUNNING', to: 'SUCCESS', note: null }
  return {
    ...record,
    facts,
    state: 'SUCCESS',
    status: 'SUCCESS',
    version: 1,
    dueAt: null,
    createdAt: at,
    completedAt: at,
    seq: 2,
    history: [...record.history, { ...entry, status: 'SUCCESS' }],
  }
}

/** Quotes, prices, signatures and confirmations cost nothing here, but all stored data are as large as real ones. */
export function workflowSteps(stores: Stores): Steps {
  const { executions, now } = stores
  return {
    matchIntent: async (execution) => {
      const { intent, routeId } = factsOf(execution, now())
      return { type: 'intent matched', facts: { intent, routeId } }
    },
    screenDeposit: async () => ({ type: 'deposit screened' }),
    takeLane: takeLane(stores),
    verifyBalance: async ({ deposit: { lane, amountRaw, block } }) => {
      await executions.unspentIn(lane)
      return { type: 'balance verified', facts: { balance: { totalReceivedRaw: amountRaw, block } } }
    },
    findRoute: async (execution) => ({
      type: 'route found',
      facts: { policy: defaultPolicy, route: factsOf(execution, now()).route },
    }),
    priceFees: async (execution) => ({ type: 'fees priced', facts: { fees: factsOf(execution, now()).fees } }),
    signOrder: async (execution) => {
      const { order, quotaKey } = factsOf(execution, now())
      return { type: 'order signed', facts: { order, quotaKey } }
    },
    submitOrder: async (execution) => {
      const { spent } = factsOf(execution, now())
      const sent = { hash: spent.hash, nonce: execution.deposit.block, sender: 'key', at: now() }
      return { type: 'transaction mined', facts: { transactions: [sent], spent } }
    },
    confirmDelivery: async () => ({ type: 'funds delivered' }),
  }
}

function factsOf({ id, organizationId, userId, deposit, facts: known }: Execution, at: number) {
  const { account, amountRaw, block: n } = deposit
  const recipient = addressOf(0xbe)
  const intent = {
    version: 1,
    apiKeyId: 'key_1',
    targetChainId: 42161 as const,
    targetTokenAddress: target as Address,
    targetAddress: recipient,
    protocolFeeBps: 50,
    sponsoredGas: false,
  }
  const routeId = known.routeId ?? routeIdOf({ organizationId, userId, executionId: id, intent })
  const amountForSwapRaw = '985000'
  const route: Route = {
    provider: 'lifi',
    kind: 'BRIDGE',
    amountIn: amountForSwapRaw,
    amountOutExpected: '984000',
    amountOutMin: '980000',
    expectedSeconds: 10,
    hops: 1,
    slippageBps: 50,
    reference: 'across',
    quotedAt: at,
    call: { target: recipient, spender: recipient, data, nativeFee: '0' },
  }
  const fees = {
    totalReceivedRaw: amountRaw,
    protocolFeeRaw: '5000',
    protocolFeeEffective: '5000',
    protocolFeeForgiven: '0',
    gasFeeRaw: '10000',
    amountForSwapRaw,
    gasFeeSkipReason: 'NONE' as const,
  }
  const order: Order = {
    id: hashOf(n),
    routeId,
    accountSalt: hashOf(n),
    account,
    chainId,
    kind: 'BRIDGE',
    token,
    amountIn: amountRaw,
    minSpent: amountForSwapRaw,
    protocolFee: '5000',
    gasFee: '10000',
    collector: recipient,
    intent: { toChainId: 42161, tokenOut: target, recipient, minOut: '980000' },
    target: recipient,
    spender: recipient,
    nativeFee: '0',
    minGas: '400000',
    deadline: 0,
    data,
    signature: `0x${'51'.repeat(65)}`,
    gasLimit: '600000',
  }
  const spent = { hash: hashOf(n), block: n, amountRaw, at }
  return { intent, routeId, route, fees, order, spent, quotaKey: `${organizationId}:bench` }
}
