import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type IntentSnapshot, withDepartures } from '../../src/domain/deposit/deposit-intent'
import type { Execution } from '../../src/domain/execution/execution'
import { intentObjection } from '../../src/domain/seals'
import { account, addressOf, executionOf, token } from '../support/deposits'
import { sealed, seals } from '../support/seals'

const owner = { organizationId: 'org_1', userId: 'user-1', deposit: { account } }
const given: IntentSnapshot = sealed(owner, {
  version: 3,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: addressOf(0x71),
  targetAddress: addressOf(0xa1),
  protocolFeeBps: 30,
  sponsoredGas: false,
  refundAddress: addressOf(0xa2),
})
const back: Parameters<typeof withDepartures>[1] = {
  targetChainId: 8453,
  targetTokenAddress: token,
  targetAddress: given.refundAddress!,
  protocolFeeBps: 0,
}
const redriveOf = executionOf(1).id
const objection = (intent: IntentSnapshot, changed: Partial<Execution> = {}) =>
  intentObjection(seals, executionOf(1, { ...changed, facts: { intent } }))

test('an execution follows the integrator’s intent, or refunds to the address named in the intent', () => {
  expect(objection(given)).toBeNull()
  expect(objection(withDepartures(given, back), { redriveOf })).toBeNull()
  expect(objection(withDepartures(given, { protocolFeeBps: 0 }), { refundOf: 'another' })).toBeNull()
  expect(objection(withDepartures(given, back))).not.toBeNull()
})

test('write access to the database cannot redirect money, whatever is stored as sealed', () => {
  const thief = addressOf(0x666)
  const forged: Record<string, unknown> = {
    ...back,
    version: 4,
    apiKeyId: 'key_2',
    sponsoredGas: true,
    refundAddress: thief,
    targetAddress: thief,
  }
  const names = Object.keys(forged)
  expect(names.toSorted()).toEqual(
    Object.keys(given)
      .filter((name) => name !== 'seal')
      .toSorted(),
  )
  const pick = (from: object, some: string[]) =>
    Object.fromEntries(some.map((name) => [name, (from as Record<string, unknown>)[name]]))
  fc.assert(
    fc.property(fc.subarray(names, { minLength: 1 }), fc.subarray(names), fc.boolean(), (changed, told, isRedrive) => {
      const intent = { ...given, ...pick(forged, changed), sealedAs: pick(given, told) } as IntentSnapshot
      const said = objection(intent, isRedrive ? { redriveOf } : { refundOf: 'another' })
      const isPaidElsewhere = intent.targetAddress === thief
      const isOther = changed.some((name) => !(name in back))
      if (isPaidElsewhere || isOther) expect([changed, told, said]).not.toEqual([changed, told, null])
    }),
    { numRuns: 5_000, examples: [[names, names, true]] },
  )
})
