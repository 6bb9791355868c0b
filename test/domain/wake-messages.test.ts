import { expect, test } from 'bun:test'
import {
  pointersIn,
  pointersText,
  readWake,
  repeatOwed,
  wakeMessageId,
  wakeRepeat,
  wakesIn,
  wakesText,
  wakeText,
} from '../../src/domain/wake-messages'
import { hashOf } from '../support/deposits'

const bytes = (text: string) => new TextEncoder().encode(text)
const id = `8453:${hashOf(1)}:0`

test('a wake-up is repeated after two seconds, and each time that the delay doubles', () => {
  expect([0, 1_999, 2_000, 3_999, 4_000, 7_999, 8_000, 64_000].map(wakeRepeat)).toEqual([0, 0, 1, 1, 2, 2, 3, 6])
})

test('a new record was just woken, and a queued wake-up is given time while workers have no capacity', () => {
  expect([repeatOwed(1, 1_999, 9_999), repeatOwed(2, 1_999, 0)]).toEqual([null, 0])
  expect([repeatOwed(1, 2_000, 1_000), repeatOwed(2, 2_000, 999)]).toEqual([1, null])
  expect([repeatOwed(2, 29_999, 999), repeatOwed(2, 30_000, 0)]).toEqual([null, 4])
})

test('a wake-up has one id for each version and repetition', () => {
  expect([wakeMessageId({ id, version: 7 }), wakeMessageId({ id, version: 7, repeat: 2 })]).toEqual([
    ...[`${id}:7:0`, `${id}:7:2`],
  ])
})

test('wake-ups are read as they were written, one or several in a message', () => {
  const one = { id, isImmediate: false }
  const two = { id: `${id}:r1`, isImmediate: true }
  expect([wakeText(one), wakeText(two)]).toEqual([id, `!${id}:r1`])
  for (const wakes of [[one], [two], [one, two], [two, one, one]])
    expect(wakesIn(bytes(wakesText(wakes))).map(readWake)).toEqual(wakes)
  const single = bytes(id)
  expect(wakesIn(single)[0]).toBe(single)
})

test('a text that is no id of an execution wakes nothing', () => {
  const sweep = '8453:sweep:a:b:1'
  expect(readWake(bytes(sweep))).toEqual({ id: sweep, isImmediate: false })
  for (const text of ['', '8453', ':a', `x${id}`, `${id}:`, `${id} `, '!!1:a', 'a:b', '1:a-b'])
    expect([text, readWake(bytes(text))]).toEqual([text, null])
  const long = (length: number) => readWake(bytes(`1:${'a'.repeat(length - 2)}`))?.id.length ?? null
  expect([long(200), long(201)]).toEqual([200, null])
})

const pointer = (n: number) => ({ chainId: 8453, txHash: hashOf(n), seenAt: n }) as const

test('hints are read as they were written, and only if every one is well-formed', () => {
  const extra = { ...pointer(1), account: 'left out' }
  expect(pointersText([extra])).toBe(JSON.stringify(pointer(1)))
  for (const all of [[pointer(1)], [pointer(1), pointer(2)]]) expect(pointersIn(bytes(pointersText(all)))).toEqual(all)
  expect(pointersIn(bytes(JSON.stringify(extra)))).toEqual([pointer(1)])
  const bad = [
    ...[[], {}, null, [pointer(1), {}], { ...pointer(1), chainId: 5 }, { ...pointer(1), seenAt: 1.5 }],
    ...[
      { ...pointer(1), txHash: `${hashOf(1)}0` },
      { ...pointer(1), txHash: `x${hashOf(1)}` },
    ],
  ]
  for (const each of bad) expect([each, pointersIn(bytes(JSON.stringify(each)))]).toEqual([each, null])
  expect(pointersIn(bytes('not JSON'))).toBeNull()
})
