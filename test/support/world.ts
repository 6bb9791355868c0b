import { lastValueFrom } from 'rxjs'
import type { IntentSnapshot } from '../../src/domain/deposit/deposit-intent'
import type { Departure, Execution, RelayerTransaction } from '../../src/domain/execution/execution'
import type { Order } from '../../src/domain/execution/route'
import type { Fees } from '../../src/domain/money/fees'
import { advance } from '../../src/routing/engine/advance'
import type { Steps, StoreFacts } from '../../src/routing/engine/step'
import { account, addressOf, executionOf, hashOf, token } from './deposits'
import { executionsInMemory } from './records'

/** A newly confirmed deposit, stored and due. */
export const detected: Execution = executionOf(1, { version: 1 })
export const depositId = detected.id

export const intent: IntentSnapshot = {
  version: 1,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: addressOf(0x71),
  targetAddress: addressOf(0x1d1d1d),
  protocolFeeBps: 100,
  sponsoredGas: false,
}
export const order: Order = {
  id: hashOf(0x0d),
  routeId: hashOf(0x0e),
  accountSalt: hashOf(0x5a),
  account,
  chainId: 8453,
  kind: 'BRIDGE',
  token,
  amountIn: '1000',
  minSpent: '1000',
  protocolFee: '10',
  gasFee: '0',
  collector: addressOf(0xfe),
  intent: { toChainId: 42161, tokenOut: intent.targetTokenAddress, recipient: intent.targetAddress, minOut: '980' },
  target: addressOf(0xb1),
  spender: addressOf(0xb1),
  nativeFee: '0',
  minGas: '0',
  deadline: 60,
  data: '0x',
  signature: '0x',
  gasLimit: '300000',
}
export const sent: RelayerTransaction = { hash: hashOf(0xaa), nonce: 7, sender: 'base:0', at: 1 }
export const spent: Departure = { hash: sent.hash, block: 2, amountRaw: '1000', at: 1 }
export const fees: Fees = {
  totalReceivedRaw: '1000',
  protocolFeeRaw: '10',
  protocolFeeEffective: '10',
  protocolFeeForgiven: '0',
  gasFeeRaw: '0',
  amountForSwapRaw: '990',
  gasFeeSkipReason: 'NONE',
}
export const delivery = {
  hash: hashOf(0xdd),
  chainId: 42161,
  token: intent.targetTokenAddress,
  amountRaw: '985',
  block: 9,
} as const

/** Steps that succeed immediately. */
export const stepsThatSucceed: Steps = {
  matchIntent: async () => ({ type: 'intent matched', facts: { intent, routeId: order.routeId } }),
  screenDeposit: async () => ({ type: 'deposit screened' }),
  takeLane: async () => ({ type: 'lane taken', facts: { laneClearFrom: 0 } }),
  verifyBalance: async () => ({
    type: 'balance verified',
    facts: { balance: { totalReceivedRaw: '1000', block: 1 } },
  }),
  findRoute: async () => ({ type: 'route found' }),
  priceFees: async () => ({ type: 'fees priced', facts: { fees } }),
  signOrder: async () => ({ type: 'order signed', facts: { order } }),
  submitOrder: async () => ({ type: 'transaction submitted', facts: { transactions: [sent] } }),
  confirmDelivery: async () => ({ type: 'funds delivered', facts: { spent, delivery } }),
}

/**
 * One execution among fakes, with a clock that only tests move. `run` acts as sweeper and worker until nothing is due.
 */
export function world(
  replaced: Partial<Steps> = {},
  record: Partial<Execution> = {},
  { random = () => 1 }: { random?: () => number } = {},
) {
  const executions = executionsInMemory({ ...detected, ...record })
  const ran: string[] = []
  const bugs: unknown[] = []
  const named = Object.entries({ ...stepsThatSucceed, ...replaced }).map(([name, step]) => [
    name,
    (execution: Execution, store: StoreFacts) => {
      ran.push(name)
      return step(execution, store)
    },
  ])
  const clock = { at: 0 }
  const surroundings = {
    executions,
    steps: Object.fromEntries(named) as Steps,
    now: () => clock.at,
    random,
    onBug: (_: Execution, error: unknown) => void bugs.push(error),
  }
  const wake = (isImmediate = false) =>
    lastValueFrom(advance(depositId, isImmediate, surroundings), { defaultValue: null })
  return {
    ...surroundings,
    clock,
    ran,
    bugs,
    execution: () => executions.get(depositId),
    wake,
    async run() {
      for (let due = executions.get(depositId).dueAt; due !== null; due = executions.get(depositId).dueAt) {
        clock.at = Math.max(clock.at, due)
        await wake()
      }
      return executions.get(depositId)
    },
  }
}
