import fc from 'fast-check'
import { chainIds } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { terminalStatuses } from '../../src/domain/execution/status'
import { addressOf, executionOf, hashOf } from './deposits'

const monthMs = 30 * 86_400_000
const token = addressOf(0x70)
const statuses = terminalStatuses.filter((status) => status !== 'SUCCESS')

type Drawn = {
  chain: number
  amount: bigint
  detectedAfter: number
  tookMs: readonly [number, number]
  end: 'OPEN' | 'SPENT' | 'DELIVERED' | 'FAILED' | 'REDRIVEN'
  status: number
  feeParts: readonly [number, number]
  isReturned: boolean
  lostRaw: bigint
  valueUsd: bigint | null
  feesUsd: readonly [bigint, bigint] | null
  volumeUsd: bigint | null
  redrivenAfterMs: number
  shownAfterMs: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  chain: fc.nat(1),
  amount: fc.bigInt(1n, 10n ** 30n),
  detectedAfter: fc.integer({ min: -2 * monthMs, max: 3 * monthMs }),
  tookMs: fc.tuple(fc.nat(monthMs / 2), fc.nat(monthMs / 2)),
  end: fc.constantFrom('OPEN', 'SPENT', 'DELIVERED', 'FAILED', 'REDRIVEN'),
  status: fc.nat(statuses.length - 1),
  feeParts: fc.tuple(fc.nat(1_000), fc.nat(1_000)),
  isReturned: fc.boolean(),
  lostRaw: fc.bigInt(0n, 20n),
  valueUsd: fc.option(fc.bigInt(0n, 10n ** 16n)),
  volumeUsd: fc.option(fc.bigInt(0n, 10n ** 16n)),
  feesUsd: fc.option(fc.tuple(fc.bigInt(0n, 10n ** 12n), fc.bigInt(0n, 10n ** 12n))),
  redrivenAfterMs: fc.nat(monthMs / 2),
  shownAfterMs: fc.nat(monthMs / 2),
})

function recordsOf(n: number, of: Drawn, aroundMs: number): Execution[] {
  const detectedAt = aroundMs + of.detectedAfter
  const leftAt = detectedAt + of.tookMs[0]
  const endedAt = leftAt + of.tookMs[1]
  const chainId = chainIds[of.chain]!
  const heldRaw = of.amount > of.lostRaw ? of.amount - of.lostRaw : of.amount
  const part = (bps: number): bigint => (heldRaw * BigInt(bps)) / 10_000n
  const [protocolFee, gasFee] = of.feeParts.map(part) as [bigint, bigint]
  const fees = { protocolFeeEffective: String(protocolFee), gasFeeRaw: String(gasFee) }
  const balance = { totalReceivedRaw: String(heldRaw), block: 1 }
  const feesUsd = of.feesUsd && { protocolFee: String(of.feesUsd[0]), gasFee: String(of.feesUsd[1]) }
  const leftValue = of.volumeUsd === null ? {} : { valueUsd: String(of.volumeUsd) }
  const left = { hash: hashOf(n), block: 2, amountRaw: String(heldRaw), at: leftAt, ...leftValue } as const
  const spent = feesUsd ? { ...left, feesUsd } : left
  const delivery = {
    hash: hashOf(n),
    chainId: chainIds[1 - of.chain]!,
    token,
    amountRaw: String(heldRaw - protocolFee - gasFee),
    block: 3,
    ...(of.valueUsd !== null && { valueUsd: String(of.valueUsd) }),
  }
  const facts = {
    OPEN: {},
    SPENT: { balance, fees, spent },
    DELIVERED: { balance, fees, spent, delivery },
    FAILED: {},
    REDRIVEN: {},
  }[of.end] as Execution['facts']
  const isOver = of.end !== 'OPEN' && of.end !== 'SPENT'
  const status = of.end === 'DELIVERED' ? 'SUCCESS' : isOver ? statuses[of.status]! : 'RUNNING'
  const id = `${chainId}:${hashOf(n)}:0`
  const first = executionOf(
    n,
    {
      id,
      state: status,
      status,
      createdAt: detectedAt,
      completedAt: isOver ? endedAt : null,
      facts,
      refundOf: of.isReturned ? 'another' : null,
    },
    { chainId, token, amountRaw: String(of.amount), detectedAt, block: 1 },
  )
  if (of.end !== 'REDRIVEN') return [first]
  const askedAt = endedAt + of.redrivenAfterMs
  const again = askedAt + of.shownAfterMs
  const redrive: Execution = {
    ...first,
    id: `${id}:r1`,
    redriveOf: id,
    refundOf: null,
    createdAt: again,
    history: [{ ...first.history[0]!, at: askedAt }],
    status: 'SUCCESS',
    state: 'SUCCESS',
    completedAt: again + of.tookMs[1],
    facts: {
      fees,
      spent: { ...spent, amountRaw: String(of.amount), at: again + of.tookMs[0] / 2 },
      delivery,
    } as Execution['facts'],
  }
  const ended =
    redrive.facts.spent!.at > redrive.completedAt! ? { ...redrive, completedAt: redrive.facts.spent!.at } : redrive
  return [{ ...first, redrivenBy: redrive.id }, ended]
}

/** Random executions of an organization in the months around a time, in random order. */
export const history = (aroundMs: number): fc.Arbitrary<Execution[]> =>
  fc
    .array(drawn, { maxLength: 12 })
    .map((each) => each.flatMap((one, n) => recordsOf(n + 1, one, aroundMs)))
    .chain((records) => fc.shuffledSubarray(records, { minLength: records.length }))
