import { expect, test } from 'bun:test'
import { EMPTY, from, lastValueFrom, NEVER, of, throwError } from 'rxjs'
import { RoutingError } from '../../src/domain/error'
import { wakeText } from '../../src/domain/wake-messages'
import { type FailedWake, wakePipeline } from '../../src/routing/engine/worker'
import { testAll } from '../support/test-all'
import { depositId, detected } from '../support/world'

const idOf = (digit: string) => `${depositId}${digit}`
const outcomes = {
  [idOf('1')]: () => of(detected),
  [idOf('2')]: () => EMPTY,
  [idOf('3')]: () => throwError(() => new RoutingError('RPC_UNREACHABLE')),
  [idOf('4')]: () => throwError(() => new TypeError('undefined is not a function')),
  [idOf('5')]: () => NEVER,
  [idOf('6')]: () => {
    throw new Error('thrown, not told')
  },
  '137:sweep:0xac:0x00:7': () => of(detected),
}

testAll([
  ['an execution that went as far as it could is acknowledged', idOf('1'), 'ack'],
  ['one in another worker’s hands is acknowledged', idOf('2'), 'ack'],
  ['a message that can never succeed is ended', 'not an id', 'term MalformedMessage'],
  ['a message that may succeed later is redelivered', idOf('3'), 'nak 2000'],
  ['a bug is redelivered: funds are at stake', idOf('4'), 'nak 2000'],
  ['silence comes back', idOf('5'), 'nak 2000'],
  ['a thrown error is redelivered', idOf('6'), 'nak 2000'],
  ['a deposit without a log has an id too', '137:sweep:0xac:0x00:7', 'ack'],
])(
  'pipeline: the outcome decides whether a wake-up is acknowledged, ended or redelivered, and others continue',
  async (_rule, id, expected) => {
    const log: string[] = []
    const told: FailedWake[] = []
    const wake = (text: string) => ({
      data: new TextEncoder().encode(text),
      redeliveries: 0,
      ack: () => void log.push(`${text} ack`),
      nak: (delayMs: number) => void log.push(`${text} nak ${delayMs}`),
      term: (reason: string) => void log.push(`${text} term ${reason}`),
    })
    const good = idOf('1')
    const wakes = from([wake(good), wake(id), wake(good)])

    const limits = { concurrency: 2, stepMaxMs: 20 }
    const settled = wakes.pipe(
      wakePipeline(
        (called) => outcomes[called.id]!(),
        limits,
        (settled) => told.push(settled),
      ),
    )
    await lastValueFrom(settled, { defaultValue: null })

    expect(log.toSorted()).toEqual([`${good} ack`, `${id} ${expected}`, `${good} ack`].toSorted())
    expect(told.map(({ verdict }) => verdict)).toEqual(expected === 'ack' ? [] : [expected.split(' ')[0] as 'nak'])
  },
)

test('pipeline: an immediate wake-up stays immediate', async () => {
  const called: unknown[] = []
  const answered = { redeliveries: 0, ack() {}, nak() {}, term() {} }
  const wake = (isImmediate: boolean) => ({
    data: new TextEncoder().encode(wakeText({ id: depositId, isImmediate })),
    ...answered,
  })
  const look = (call: unknown) => {
    called.push(call)
    return EMPTY
  }
  const settled = from([wake(true), wake(false)]).pipe(wakePipeline(look, { concurrency: 1, stepMaxMs: 20 }))
  await lastValueFrom(settled, { defaultValue: null })

  expect(called).toEqual([
    { id: depositId, isImmediate: true },
    { id: depositId, isImmediate: false },
  ])
})
