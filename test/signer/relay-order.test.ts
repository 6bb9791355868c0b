import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type ChainId, chainIds } from '../../src/domain/chain/chain'
import type { Hex } from '../../src/domain/chain/hex'
import {
  type RelayParties,
  type RelayTerms,
  relayOrder,
  relayOrderId,
  relayOrderIdOf,
} from '../../src/protocols/relay/relay-order'

/** Few values of each kind, so most orders differ from another in a single field. */
const hexOf = (digits: number) =>
  fc.integer({ min: 1, max: 3 }).map((n): Hex => `0x${n.toString(16).padStart(digits, '0')}`)
const [address, hash] = [hexOf(40), hexOf(64)]
const amount = fc.bigInt({ min: 1n, max: 3n })
const deadline = fc.integer({ min: 1, max: 3 })
const chain = fc.constantFrom<ChainId>(...chainIds)
const parties: fc.Arbitrary<RelayParties> = fc.record({
  solver: address,
  account: address,
  fromChainId: chain,
  token: address,
  amount,
  toChainId: chain,
  tokenOut: address,
  recipient: address,
})
const refund = fc.record({
  isDestination: fc.boolean(),
  currency: address,
  minimumAmount: amount,
  deadline,
  extraData: hash,
})
const terms: fc.Arbitrary<RelayTerms> = fc.record({
  salt: hash,
  expectedAmount: amount,
  minimumAmount: amount,
  deadline,
  extraData: hash,
  refunds: fc.array(refund, { maxLength: 2 }),
})

test('the cached id of an order is its hash, whatever was requested before', () => {
  const change = fc.record({ parties: fc.option(parties), terms: fc.option(terms), field: fc.nat() })
  fc.assert(
    fc.property(parties, terms, fc.array(change, { maxLength: 4 }), (first, firstTerms, changes) => {
      let [who, what] = [first, firstTerms]
      for (const { parties: others, terms: otherTerms, field } of [
        { parties: null, terms: null, field: 0 },
        ...changes,
      ]) {
        who = others ? withOne(who, others, field) : who
        what = otherTerms ? withOne(what, otherTerms, field) : what
        const hashed = relayOrderId(relayOrder(who, what))
        expect([relayOrderIdOf(who, what), relayOrderIdOf(who, what)]).toEqual([hashed, hashed])
      }
    }),
    { numRuns: 100 },
  )
})

/** Replaces one field with that of another object. */
function withOne<Fields extends object>(fields: Fields, other: Fields, field: number): Fields {
  const names = Object.keys(fields) as (keyof Fields)[]
  const name = names[field % names.length]!
  return { ...fields, [name]: other[name] }
}
