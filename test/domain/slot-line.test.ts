import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Relayer, type SlotRequest, unminedMax } from '../../src/domain/chain/relayer'
import {
  hasAssignedSlot,
  isItsTurn,
  withoutWaiter,
  withQueued,
  withSlotsAssigned,
} from '../../src/domain/chain/slot-queue'

const handedMs = 6_000
const request = (n: number, organizationId = 'org_1', since = n): SlotRequest => ({
  executionId: `8453:0x${n}:0`,
  bucket: n % 8,
  since,
  organizationId,
  share: 1_000,
})

/** A relayer with the given number of pending transactions from a nonce on, all of one organization. */
const busy = (count: number, organizationId = 'org_1'): Relayer => ({
  id: 'base:0',
  version: 1,
  slots: Array.from({ length: count }, (_, nonce) => ({ nonce, organizationId }) as Relayer['slots'][number]),
})

const lined = (relayer: Relayer, requests: readonly SlotRequest[], now = 0): Relayer =>
  requests.reduce((record, one) => withQueued(record, one, now) ?? record, relayer)

const idsOf = (all: readonly SlotRequest[]): string[] => all.map(({ executionId }) => executionId)

test('a free slot is assigned to the longest waiting execution, and no other may use it', () => {
  const waiting = [request(3), request(1), request(2)]
  const full = lined(busy(unminedMax, 'org_other'), waiting)
  expect(withSlotsAssigned(full, 0, 0)).toBeNull()
  const handed = withSlotsAssigned(full, 1, 0)!
  expect(idsOf(handed.called)).toEqual([request(1).executionId])
  expect(isItsTurn(handed.relayer, 1, request(1), 1)).toBe(true)
  for (const other of [request(2), request(3), request(9, 'org_new', -1)])
    expect(isItsTurn(handed.relayer, 1, other, 1)).toBe(false)
  expect(withSlotsAssigned(handed.relayer, 1, 1)).toBeNull()
})

test('an execution that does not use its slot loses it to the next in the queue, and may queue again', () => {
  const full = lined(busy(unminedMax, 'org_other'), [request(1), request(2)])
  const { relayer } = withSlotsAssigned(full, 1, 0)!
  expect(idsOf(withSlotsAssigned(relayer, 1, handedMs)!.called)).toEqual([request(2).executionId])
  expect(hasAssignedSlot(relayer, request(1).executionId, handedMs)).toBe(false)
  expect(withQueued(relayer, request(1), handedMs)!.line).toHaveLength(2)
})

test('a newcomer takes a free slot only if no execution waits for it', () => {
  const record = lined(busy(unminedMax - 1, 'org_other'), [request(1)])
  expect(isItsTurn(record, 0, request(2), 0)).toBe(false)
  expect(isItsTurn(record, 0, request(1), 0)).toBe(true)
  expect(isItsTurn(withoutWaiter(record, request(1).executionId), 0, request(2), 0)).toBe(true)
})

test('the organization with the fewest slots gets the first free one, however many deposits others have queued', () => {
  const crowd = Array.from({ length: 50 }, (_, n) => request(n, 'org_burst'))
  const record = lined(busy(unminedMax, 'org_burst'), [...crowd, request(99, 'org_late')])
  expect(idsOf(withSlotsAssigned(record, 3, 0)!.called)).toEqual([request(99).executionId, request(0).executionId])
})

test('a crowd leaves room in the queue for other organizations, and no execution is queued twice', () => {
  const crowd = Array.from({ length: 500 }, (_, n) => request(n, 'org_burst'))
  const record = lined(busy(unminedMax), crowd)
  expect(record.line!.length).toBeLessThan(crowd.length)
  expect(withQueued(record, crowd[0]!, 0)).toBeNull()
  expect(withQueued(record, request(999, 'org_burst'), 0)).toBeNull()
  const joined = withQueued(record, request(999, 'org_late'), 0)!
  expect(joined.line!.map(({ organizationId }) => organizationId)).toContain('org_late')
  expect(joined.line).toHaveLength(record.line!.length)
})

test('no more slots are assigned than are free, and every execution gets one in the end', () => {
  const moves = fc.array(fc.record({ organization: fc.nat(4), mined: fc.nat(16), isKilled: fc.boolean() }), {
    minLength: 20,
    maxLength: 60,
  })
  fc.assert(
    fc.property(moves, (all) => {
      let [record, mined, nonce, now] = [busy(0), 0, 0, 0]
      const wanting = new Map(all.map((each, n) => [n, request(n, `org_${each.organization}`)]))
      for (const one of wanting.values()) record = withQueued(record, one, now) ?? record
      for (let round = 0; wanting.size > 0; round++) {
        expect(round).toBeLessThan(all.length * 4)
        const { mined: some, isKilled } = all[round % all.length]!
        mined = Math.min(nonce, mined + some)
        record = { ...record, slots: record.slots.filter((slot) => slot.nonce >= mined) }
        const handed = withSlotsAssigned(record, mined, now)
        record = handed?.relayer ?? record
        const kept = record.line!.filter(({ handedUntil }) => (handedUntil ?? 0) > now).length
        expect(record.slots.length + kept).toBeLessThanOrEqual(unminedMax)
        if (isKilled && round < all.length) now += handedMs
        for (const [n, one] of wanting) {
          if (isKilled && round < all.length) record = withQueued(record, one, now) ?? record
          else if (isItsTurn(record, mined, one, now)) {
            const { slots } = record
            const slot = { nonce: nonce++, organizationId: one.organizationId } as Relayer['slots'][number]
            record = { ...withoutWaiter(record, one.executionId), slots: [...slots, slot] }
            wanting.delete(n)
          }
        }
      }
    }),
  )
})

test('a queue full of organizations with one deposit each refuses the newest and keeps the others', () => {
  const all = Array.from({ length: 200 }, (_, n) => request(n, `org_${n}`))
  const full = lined(busy(unminedMax, 'org_other'), all)
  const called = withSlotsAssigned(full, 1, 0)!.relayer
  for (const record of [full, called]) expect(withQueued(record, request(999, 'org_999'), 1)).toBeNull()
  expect(idsOf(withQueued(full, request(-1, 'org_early'), 1)!.line!)).toEqual(idsOf([...all.slice(0, -1), request(-1)]))
})
