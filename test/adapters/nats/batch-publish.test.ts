import { expect, test } from 'bun:test'
import { batchPublish } from '../../../src/adapters/nats/nats-messages'

/** Sends that are answered on command. */
function sender(underWayMax = 2, itemsMax = 3) {
  const sent: number[][] = []
  const answers: { done: () => void; failed: (error: unknown) => void }[] = []
  const gathering = batchPublish<number>(
    (items) => {
      sent.push(items)
      return new Promise<void>((done, failed) => answers.push({ done, failed }))
    },
    { underWayMax, itemsMax },
  )
  return { sent, answers, ...gathering }
}

test('batch publish: each item is sent immediately and alone while few are in flight', async () => {
  const { put, sent, answers } = sender()
  for (const n of [1, 2, 3]) {
    const kept = put(n)
    answers.at(-1)!.done()
    await kept
  }
  expect(sent).toEqual([[1], [2], [3]])
})

test('batch publish: later items are sent together, in order, up to the limit', async () => {
  const { put, sent, answers, waiting } = sender()
  const kept = [1, 2, 3, 4, 5, 6].map(put)
  expect(sent).toEqual([[1], [2]])
  expect(waiting()).toBe(4)
  answers[0]!.done()
  await kept[0]
  await Promise.resolve()
  expect(sent).toEqual([[1], [2], [3, 4, 5]])
  for (let n = 1; n < 4; n++) {
    answers[n]?.done()
    await Bun.sleep(0)
  }
  await Promise.all(kept)
  expect(sent).toEqual([[1], [2], [3, 4, 5], [6]])
})

test('batch publish: a failure fails only the items of its batch', async () => {
  const { put, answers } = sender(1, 2)
  const kept = [1, 2, 3, 4].map((n) => put(n).then(() => 'kept', String))
  answers[0]!.done()
  await kept[0]
  await Bun.sleep(0)
  answers[1]!.failed('away')
  await kept[2]
  await Bun.sleep(0)
  answers[2]!.done()
  expect(await Promise.all(kept)).toEqual(['kept', 'away', 'away', 'kept'])
})
