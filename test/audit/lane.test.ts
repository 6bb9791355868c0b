import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { explainLane } from '../../src/audit/lane'
import type { AuditRecord, LaneFacts, Move, RouteFact } from '../../src/ports/audit'
import { account, at, collector, type Drawn, drawn, laneOf } from '../support/audit-lanes'
import { addressOf, hashOf } from '../support/deposits'
import { testAll } from '../support/test-all'

const stranger = addressOf(0xbad)
const deposit = (end: Drawn['end'], amountRaw = 25_000_000n): Drawn => {
  return { amountRaw, end, gasFeeRaw: 20n, protocolFeeBps: 50, remainderRaw: 0n }
}
const lane = (): LaneFacts => laneOf([deposit('SUCCESS'), deposit('LEFT_BEHIND'), deposit('SENT'), deposit('OPEN')])
const faultsOf = (facts: LaneFacts): string => explainLane(facts, at).faults.join('\n')

const withRecord = (facts: LaneFacts, n: number, changed: Partial<AuditRecord>): LaneFacts => ({
  ...facts,
  records: facts.records.map((record, m) => (m === n ? { ...record, ...changed } : record)),
})
const withRoute = (facts: LaneFacts, changed: Partial<RouteFact>): LaneFacts => ({
  ...facts,
  routes: facts.routes.map((route, m) => (m === 0 ? { ...route, ...changed } : route)),
})
const withMove = (facts: LaneFacts, n: number, changed: Partial<Move>): LaneFacts => ({
  ...facts,
  moves: facts.moves.map((move, m) => (m === n ? { ...move, ...changed } : move)),
})
const without = <Row>(rows: readonly Row[], n: number): Row[] => rows.filter((_, m) => m !== n)

test('every unit of a correct lane has one place, and the places add up to the received amount', () =>
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 12 }), fc.boolean(), (deposits, isNative) => {
      const { units, faults, behind } = explainLane(laneOf(deposits, isNative), at)
      expect(faults).toEqual([])
      const { receivedRaw, roundedRaw: _, ...places } = units
      expect(Object.values(places).reduce((sum, raw) => sum + raw, 0n)).toBe(receivedRaw)
      expect([...behind.values()].reduce((sum, raw) => sum + raw, 0n)).toBe(units.leftBehindRaw)
      expect(units.unexplainedRaw).toBe(0n)
    }),
    { numRuns: 500 },
  ))

test('a lane’s units are counted by where they ended', () => {
  const { units, behind } = explainLane(lane(), at)
  expect(units).toMatchObject({ receivedRaw: 100_000_000n, openRaw: 25_000_000n, leftBehindRaw: 25_000_000n })
  expect(units).toMatchObject({ deliveredRaw: 24_874_980n, inFlightRaw: 24_874_980n, feesRaw: 250_040n })
  expect([...behind]).toEqual([['DEAD_LETTER', 25_000_000n]])
})

const planted: Record<string, readonly [fault: (facts: LaneFacts) => LaneFacts, sentence: string]> = {
  'a unit is missing from the account': [
    (facts) => ({ ...facts, heldRaw: facts.heldRaw! - 1_000n }),
    'The account holds 49999000, and its records explain 50000000: 1000 missing.',
  ],
  'the account holds more than arrived': [
    (facts) => ({ ...facts, heldRaw: facts.heldRaw! + 1_000n }),
    '1000 unexplained',
  ],
  'a record is deleted': [(facts) => ({ ...facts, records: without(facts.records, 1) }), 'no record shows it'],
  'the record of a route is deleted': [
    (facts) => ({ ...facts, records: without(facts.records, 0) }),
    'no record has that route',
  ],
  'a record shows a unit less': [
    (facts) => withRecord(facts, 1, { amountRaw: 24_999_999n }),
    'the record shows 24999999',
  ],
  'a deposit is recorded twice': [
    (facts) => ({ ...facts, records: [...facts.records, { ...facts.records[1]!, id: `8453:${hashOf(99)}:0` }] }),
    'The chain has no transfer',
  ],
  'a deposit is routed twice': [
    (facts) => ({ ...facts, routes: [...facts.routes, { ...facts.routes[0]!, txHash: hashOf(98) }] }),
    'occurs twice',
  ],
  'two records share a route': [(facts) => withRecord(facts, 2, { routeId: facts.records[0]!.routeId }), 'The route'],
  'a route pays another recipient': [(facts) => withRoute(facts, { recipient: stranger }), `was sent to ${stranger}`],
  'a transfer leaves without a route': [
    (facts) => ({
      ...facts,
      heldRaw: facts.heldRaw! - 5n,
      moves: [...facts.moves, { ...facts.moves[0]!, from: account, to: stranger, amountRaw: 5n, txHash: hashOf(97) }],
    }),
    'routes account for 0',
  ],
  'the chain takes a higher protocol fee than the record shows': [
    (facts) => withRoute(facts, { protocolFeeRaw: 125_001n }),
    'took a protocol fee of 125001',
  ],
  'the chain takes a gas fee that the record lacks': [
    (facts) => withRecord(facts, 0, { gasFeeRaw: null }),
    'took a gas fee of 20',
  ],
  'a record charges more than the intent allows': [
    (facts) => withRecord(facts, 0, { protocolFeeBps: 49 }),
    '49 basis points',
  ],
  'the collector gets less than the fees': [
    (facts) =>
      withMove(
        facts,
        facts.moves.findIndex(({ to }) => to === collector),
        { to: stranger },
      ),
    `The collector ${collector} got 0`,
  ],
  'more leaves than the balance that was verified': [
    (facts) => withRoute(facts, { spentRaw: 25_000_001n }),
    'more than the verified balance',
  ],
  'a record shows a departure that the chain does not have': [
    (facts) => ({ ...facts, routes: without(facts.routes, 0) }),
    'the chain shows no such route',
  ],
  'an ended record does not show that its money left': [
    (facts) => withRecord(facts, 0, { spentRaw: null, spentBlock: null, status: 'DEAD_LETTER' }),
    'the ended record does not show it',
  ],
  'SUCCESS without a departure': [
    (facts) => withRecord(facts, 3, { status: 'SUCCESS' }),
    'delivered money that never left',
  ],
  'the first execution of a re-drive is gone': [
    (facts) => withRecord(facts, 1, { id: `${facts.records[1]!.id}:r1` }),
    'The first execution',
  ],
}

testAll(Object.entries(planted))('the audit names every planted fault', (_name, [plant, sentence]) => {
  expect(faultsOf(lane())).toBe('')
  expect(faultsOf(plant(lane()))).toContain(sentence)
})

test('no unit is taken from a random lane without a fault', () =>
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 1, maxLength: 8 }), fc.bigInt(1n, 1_000n), (deposits, raw) => {
      const native = laneOf(deposits, true)
      expect(faultsOf({ ...native, heldRaw: native.heldRaw! - raw })).not.toBe('')
      const tokens = laneOf(deposits)
      const theft = { ...laneOf([deposit('OPEN', raw)]).moves[0], from: account, to: stranger, txHash: hashOf(96) }
      const moves = [...tokens.moves, { ...theft, amountRaw: raw } as Move]
      expect(faultsOf({ ...tokens, heldRaw: tokens.heldRaw! - raw, moves })).toContain(hashOf(96))
    }),
    { numRuns: 300 },
  ))

test('a record of a later block explains native coin, up to its own amount', () => {
  const facts = laneOf([deposit('OPEN'), deposit('LATER', 10n)], true)
  expect(explainLane({ ...facts, heldRaw: facts.heldRaw! + 10n }, at)).toMatchObject({
    units: { laterRaw: 10n, receivedRaw: 25_000_010n },
    faults: [],
  })
  expect(faultsOf({ ...facts, heldRaw: facts.heldRaw! + 11n })).toContain('11 unexplained')
})

test('a transfer of an unlisted token is explained by its record, and is unexplained without one', () => {
  const facts = { ...laneOf([deposit('OPEN')]), records: [], heldRaw: null }
  expect(explainLane({ ...facts, isUnsupported: true }, at)).toMatchObject({
    units: { unsupportedRaw: 25_000_000n },
    faults: [],
  })
  expect(explainLane({ ...facts, recordedTo: 5 }, at)).toMatchObject({ units: { laterRaw: 25_000_000n }, faults: [] })
  expect(faultsOf(facts)).toContain('25000000 arrived, and no record shows it')
})

test('a record that ended without funds explains a logged transfer that moved nothing, unless the account holds the money', () => {
  const facts = withRecord(laneOf([deposit('OPEN')]), 0, { status: 'FAILED_NO_FUNDS' })
  expect(explainLane({ ...facts, heldRaw: 0n }, at)).toMatchObject({ units: { receivedRaw: 0n }, faults: [] })
  expect(faultsOf(facts)).toContain('25000000 unexplained')
})

test('a balance that a token rounds is explained, and shown as rounding', () => {
  const facts = lane()
  const { units, faults } = explainLane({ ...facts, heldRaw: facts.heldRaw! - 2n }, at)
  expect([units.roundedRaw, faults]).toEqual([-2n, []])
})

test('a recovery by the holders takes what was left behind', () => {
  const facts = laneOf([deposit('LEFT_BEHIND')])
  const place = { txHash: hashOf(95), block: 500 }
  const recovery = { account, token: facts.token, amountRaw: 25_000_000n, ...place }
  const move = { ...facts.moves[0]!, from: account, to: stranger, ...place }
  const taken = { ...facts, heldRaw: 0n, recoveries: [recovery], moves: [...facts.moves, move] }
  expect(explainLane(taken, at)).toMatchObject({ units: { recoveredRaw: 25_000_000n, leftBehindRaw: 0n }, faults: [] })
})

test('money that another deposit included is explained, although its re-drive ended without funds', () => {
  const facts = laneOf([deposit('TAKEN'), deposit('SUCCESS')])
  const [first, taker] = facts.records as [AuditRecord, AuditRecord]
  const redrive = { ...first, id: `${first.id}:r1`, status: 'FAILED_NO_FUNDS', takenBy: taker.id } as const
  const records = [{ ...first, takenBy: null }, redrive, taker]
  expect(faultsOf({ ...facts, records })).toBe('')
})
