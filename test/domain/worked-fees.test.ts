import { expect, test } from 'bun:test'
import { zeroAddress } from '../../src/domain/chain/hex'
import { type ErrorCode, errorRow, RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { defaultPolicy, directRoute } from '../../src/domain/execution/route'
import type { Fees } from '../../src/domain/money/fees'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { Chains } from '../../src/ports/chain-client'
import type { OrderSigner, Relayers } from '../../src/ports/signer'
import { priceFees } from '../../src/routing/steps/price-fees'
import { believing } from '../support/appraisers'
import { executionOf } from '../support/deposits'
import { publishedIn } from '../support/published'
import { unknownGas } from '../support/route-gas'
import { seals } from '../support/seals'
import { intent, order } from '../support/world'

type Case = {
  what: string
  received?: bigint
  bps?: number
  sponsored?: boolean
  /** Cost of the transaction on the source chain in wei, or the error. */
  costWei?: bigint | ErrorCode
  nativeUsd?: bigint | ErrorCode
  hasBudget?: boolean
}

const usd = 10n ** 8n
/** The deposit is USDC (6 decimals), with ETH at 3,000 USD: 0.00001 ETH cost 3 cents, or 3.6 with the buffer. */
const cases: Case[] = [
  { what: 'gas and 1 %' },
  { what: 'no protocol fee', bps: 0 },
  { what: 'the cap of 10 %', bps: 1_000 },
  { what: 'a share is rounded down, gas up', received: 1_999_999n, bps: 50, costWei: 10n ** 13n + 1n },
  { what: 'the platform pays gas', sponsored: true },
  { what: 'gas cannot be estimated: the platform pays gas', costWei: 'RPC_TIMEOUT' },
  { what: 'no price is available: the platform pays gas', nativeUsd: 'PROVIDER_UNREACHABLE' },
  { what: 'gas cannot be estimated, and the day’s budget is used up', costWei: 'RPC_TIMEOUT', hasBudget: false },
  { what: 'no price is available, and the day’s budget is used up', nativeUsd: 'PROVIDER_FAILED', hasBudget: false },
  { what: 'prices contradict each other: held', nativeUsd: 'PROVIDER_MALFORMED' },
  { what: 'the chain refuses the transaction', costWei: 'SIMULATION_REVERTED' },
  { what: 'gas is heavy, the fee yields', received: 40_000n, bps: 1_000 },
  { what: 'gas takes a part of the fee', received: 38_000n, bps: 1_000 },
  { what: 'gas takes all', received: 36_000n },
  { what: 'gas is more than there is', received: 20_000n },
]

type Ended = { fees: Fees | null; result: string }
async function priced(one: Case): Promise<Ended> {
  const { received = 25_000_000n, bps = 100, sponsored = false, costWei = 10n ** 13n } = one
  const { nativeUsd = 3_000n * usd, hasBudget = true } = one
  const routeOf = (amountIn: string) => directRoute({ amountIn: BigInt(amountIn) }, 0)
  const orFail = (value: bigint | ErrorCode): bigint => {
    if (typeof value === 'string') throw new RoutingError(value)
    return value
  }
  const chain = {
    chainId: 8453,
    head: async () => ({ number: 1, hash: '0x', time: 1 }),
    estimate: async () => ({ gasLimit: 200_000n, costWei: orFail(costWei) }),
    acceptance: async () => 'ACCEPTED',
  }
  const prices = { usd: async (_id: number, token: string) => (token === zeroAddress ? orFail(nativeUsd) : usd) }
  const step = priceFees({
    chains: { 8453: chain } as unknown as Chains,
    signer: { draft: async () => order } as unknown as OrderSigner,
    relayers: { forRoute: () => ({ id: 'key', address: order.target }) } as unknown as Relayers,
    seals,
    quoting: { aggregators: [], prices, appraiser: believing, quoteTimeoutMs: 1_000, now: () => 1 },
    mayForgiveGas: async () => hasBudget,
    routeGas: unknownGas,
    now: () => 1,
  })
  const target = { targetChainId: 8453, targetTokenAddress: executionOf(1).deposit.token } as const
  const facts = {
    intent: { ...intent, ...target, protocolFeeBps: bps, sponsoredGas: sponsored },
    policy: defaultPolicy,
    routeId: order.routeId,
    balance: { totalReceivedRaw: `${received}`, block: 1 },
    route: routeOf('1'),
  }
  try {
    const outcome = (await step(executionOf(1, { facts }))) as { facts: Execution['facts'] }
    const fees = outcome.facts.fees!
    const isOver = BigInt(fees.amountForSwapRaw) <= 0n
    return { fees, result: isOver ? 'FAILED_INSUFFICIENT_AFTER_FEES' : 'routed' }
  } catch (error) {
    if (error instanceof TemporarilyUnavailable) return { fees: null, result: `waits (${error.waitingFor})` }
    const { code } = error as RoutingError
    return { fees: null, result: `${errorRow(code).endsIn} (${code})` }
  }
}

const columns = [
  ...(['totalReceivedRaw', 'protocolFeeRaw', 'gasFeeRaw', 'protocolFeeEffective'] as const),
  ...(['protocolFeeForgiven', 'amountForSwapRaw', 'gasFeeSkipReason'] as const),
]

async function rowOf(one: Case): Promise<string> {
  const { fees, result } = await priced(one)
  const known: Partial<Fees> = fees ?? { totalReceivedRaw: String(one.received ?? 25_000_000n) }
  const cells = columns.map((name) => known[name] ?? '')
  return `| ${[one.what, ...cells, result].join(' | ')} |`
}

test('published: the integrators’ guide shows examples of fees, computed by the step that charges them', async () => {
  const head = ['what', ...columns.map((name) => `\`${name}\``), 'result']
  const rows = await Promise.all(cases.map(rowOf))
  await publishedIn(
    'docs/integrators/reconciling.md',
    'fees',
    [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n'),
  )
})

test('the parts of every example add up, and the examples cover each reason for not charging gas', async () => {
  const all = await Promise.all(cases.map(priced))
  for (const { fees } of all) {
    if (!fees) continue
    const part = (name: keyof Fees) => BigInt(fees[name])
    expect(part('protocolFeeEffective') + part('gasFeeRaw') + part('amountForSwapRaw')).toBe(part('totalReceivedRaw'))
    expect(part('protocolFeeEffective') + part('protocolFeeForgiven')).toBe(part('protocolFeeRaw'))
    if (fees.gasFeeSkipReason !== 'NONE') expect(fees.gasFeeRaw).toBe('0')
  }
  const reasons = all.flatMap(({ fees }) => fees?.gasFeeSkipReason ?? [])
  expect(new Set(reasons)).toEqual(new Set(['NONE', 'SPONSORED', 'ESTIMATION_FAILED']))
})
