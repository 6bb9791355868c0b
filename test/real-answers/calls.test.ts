import { expect } from 'bun:test'
import type { Address, Hex } from '../../src/domain/chain/hex'
import type { Demand } from '../../src/signer/function-rule'
import { lifiRules } from '../../src/signer/route-rules'
import { samplesIn } from '../support/real-answers'
import { testAll } from '../support/test-all'

type Recorded = {
  to?: Address
  data: Hex
  /** The effect of the call, as others read its calldata. */
  demand?: Omit<Demand, 'amount' | 'minOut' | 'nativeFee' | 'time'> & { amount: string; minOut: string }
  /** AS DEMANDED, NOT ON THE LIST, or the deviation. */
  reads: string
}

const samples = await samplesIn<Recorded>('lifi-calls')
const stranger: Address = `0x${'5'.repeat(40)}`

testAll(samples)('every recorded call gets its recorded judgement', (_name, { data, demand: said, reads }) => {
  const rule = lifiRules().find(({ selector }) => data.startsWith(selector))
  const amounts = said && { amount: BigInt(said.amount), minOut: BigInt(said.minOut) }
  const demand = said && { ...said, ...amounts!, nativeFee: 0n, time: 0 }
  if (!rule) return expect(reads).toBe('NOT ON THE LIST')
  if (!demand) throw new Error('It is on the list, and nobody says what it should do')
  expect(rule.objection(data, demand) ?? 'AS DEMANDED').toBe(reads)
  if (reads !== 'AS DEMANDED') return

  for (const other of [
    { recipient: stranger },
    { token: stranger },
    { tokenOut: stranger },
    { amount: demand.amount - 1n },
    { minOut: demand.minOut + 1n },
  ])
    expect(rule.objection(data, { ...demand, ...other })).not.toBeNull()
})
