import { type ExecutionEvent, executionMachine, follow, withHistoryEntry } from '../../../machines/execution'
import { chains } from '../../domain/chain/chain'
import { type ErrorCode, errorCodes, errorRow, RoutingError } from '../../domain/error'
import { type Deposit, type Execution, failureOf, newExecution } from '../../domain/execution/execution'
import { laneId, supersedings } from '../../domain/execution/lane'
import { type Status, statuses } from '../../domain/execution/status'
import { example } from '../views/examples'

const deposit: Omit<Deposit, 'detectedAt'> = {
  lane: laneId(example.depositAddress, chains.base.id, example.baseUsdc),
  account: example.depositAddress,
  chainId: chains.base.id,
  token: example.baseUsdc,
  symbol: 'USDC',
  decimals: 6,
  amountRaw: '25000000',
  block: 38294117,
  txHash: example.depositTxHash,
  logIndex: 12,
  fromAddress: example.sender,
  detectedBy: ['WEBHOOK', 'SCANNER'],
}

const [amountOut, amountForSwapRaw] = ['24831711', '24856568']
const intent = {
  version: 3,
  apiKeyId: 'key_9fT2',
  targetChainId: chains.arbitrum.id,
  targetTokenAddress: example.arbitrumUsdc,
  targetAddress: example.recipient,
  protocolFeeBps: 50,
  sponsoredGas: false,
} as const
const route = {
  provider: 'lifi',
  kind: 'BRIDGE',
  amountIn: amountForSwapRaw,
  amountOutExpected: amountOut,
  amountOutMin: '24707552',
  expectedSeconds: 30,
  hops: 1,
  slippageBps: 50,
  call: { target: example.bridge, spender: example.bridge, data: '0x', nativeFee: '0' },
  reference: null,
} as const
const fees = {
  totalReceivedRaw: deposit.amountRaw,
  protocolFeeRaw: '125000',
  protocolFeeEffective: '125000',
  protocolFeeForgiven: '0',
  gasFeeRaw: '18432',
  amountForSwapRaw,
  gasFeeSkipReason: 'NONE',
} as const

type Step = Exclude<ExecutionEvent['type'], 'step failed' | 'order failed' | 'abandoned' | 'order expired'>
/** The facts recorded along the path of a deposit, in order. */
const way: { type: Step; factsAt: (at: number) => Execution['facts'] }[] = [
  { type: 'intent matched', factsAt: () => ({ intent }) },
  { type: 'deposit screened', factsAt: () => ({}) },
  { type: 'lane taken', factsAt: () => ({}) },
  {
    type: 'balance verified',
    factsAt: () => ({ balance: { totalReceivedRaw: deposit.amountRaw, block: deposit.block + 10 } }),
  },
  { type: 'route found', factsAt: (quotedAt) => ({ routeId: example.routeId, route: { ...route, quotedAt } }) },
  { type: 'fees priced', factsAt: () => ({ fees }) },
  { type: 'order signed', factsAt: () => ({}) },
  {
    type: 'transaction submitted',
    factsAt: (at) => ({ transactions: [{ hash: example.txHash, nonce: 1, sender: example.registry, at }] }),
  },
  {
    type: 'transaction mined',
    factsAt: (at) => ({
      spent: { hash: example.txHash, block: deposit.block + 15, amountRaw: deposit.amountRaw, at },
    }),
  },
  {
    type: 'funds delivered',
    factsAt: () => ({
      delivery: {
        hash: example.destinationTxHash,
        chainId: chains.arbitrum.id,
        token: example.arbitrumUsdc,
        amountRaw: amountOut,
        block: 401_223_917,
      },
    }),
  },
]

const betweenMs = 1_000

/** Returns the record of an invented deposit just after a step, which it took at `at`. */
export function lifeUntil(step: Step | null, at: number): Execution {
  const last = way.findIndex(({ type }) => type === step)
  const detectedAt = at - (last + 1) * betweenMs
  const draft = {
    id: example.depositId,
    organizationId: '',
    userId: example.userId,
    deposit: { ...deposit, detectedAt },
    machineVersion: executionMachine.version!,
  }
  return way.slice(0, last + 1).reduce(
    (record, { type, factsAt }, n) => {
      const then = detectedAt + (n + 1) * betweenMs
      return follow(record, { type, at: then, facts: factsAt(then) })
    },
    newExecution(draft, detectedAt),
  )
}

/** The failures whose usual cause is not the first that leads to them. */
const usual: Partial<Record<Status, ErrorCode>> = { FAILED: 'PROVIDER_TIMEOUT', DEAD_LETTER: 'SIMULATION_REVERTED' }

/** Returns the record just after it reached a status by a failure. */
export function lifeFailed(status: Status, at: number): Execution {
  const code = usual[status] ?? errorCodes.find((one) => errorRow(one).endsIn === status)
  if (code === undefined) throw new Error(`No failure leads to ${status}`)
  const failure = failureOf(new RoutingError(code))
  const record = lifeUntil(statuses[status].sampleAfter, at - betweenMs)
  return follow(record, { type: 'step failed', at, failure, retryAt: at + 2_000 })
}

type Wait = { for: 'INTENT' | 'LANE' | 'PAUSE'; event: string; after: Parameters<typeof lifeUntil>[0] }

/** Returns the record that has just begun to wait. */
function lifeWaiting({ for: reason, event, after }: Wait, at: number): Execution {
  const record = lifeUntil(after, at - betweenMs)
  const { state, facts } = record
  const entry = { at, event, from: state, to: state, status: null, note: null }
  return withHistoryEntry({ ...record, facts: { ...facts, waiting: { for: reason, since: at } } }, entry)
}

export const lifeWithoutIntent = (at: number): Execution =>
  lifeWaiting({ for: 'INTENT', event: 'intent missing', after: null }, at)
export const lifeQueued = (at: number): Execution =>
  lifeWaiting({ for: 'LANE', event: 'lane occupied', after: 'deposit screened' }, at)
export const lifePaused = (at: number): Execution =>
  lifeWaiting({ for: 'PAUSE', event: 'paused', after: 'balance verified' }, at)

const otherId = example.depositId.replace(example.depositTxHash, example.txHash)

/** Returns the record of money that a bridge refunded. */
export const lifeReturned = (at: number): Execution => ({ ...lifeUntil(null, at), refundOf: otherId })

/** Returns the record whose money a later deposit included. */
export const lifeIncluded = (at: number): Execution => {
  const record = lifeFailed('FAILED_INSUFFICIENT_AFTER_FEES', at - betweenMs)
  const { state, status } = record
  const entry = { at, event: supersedings.takenBy.event, from: state, to: state, status, note: null }
  return withHistoryEntry({ ...record, takenBy: otherId }, entry)
}
