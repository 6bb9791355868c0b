import { afterAll, expect, test } from 'bun:test'
import { connectNats } from '../../../src/adapters/nats/connection'
import { natsSignal } from '../../../src/adapters/nats/nats-signal'
import { natsUrl } from '../../support/servers'
import { until } from '../../support/until'

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})

/** A process with a listener, which counts the signals. */
async function processOn(subject: string, isEnough: boolean) {
  const connection = await connectNats(await natsUrl())
  closing.push(() => connection.close())
  const signal = natsSignal(connection, subject)
  const heard = { count: 0 }
  signal.subscribe(() => {
    heard.count += 1
    return isEnough
  })
  await connection.flush()
  return { signal, heard, connection }
}

const subjectOf = () => `signals.${crypto.randomUUID()}`

test('a signal reaches its own process once, and every other process', async () => {
  const subject = subjectOf()
  const [one, other] = [await processOn(subject, false), await processOn(subject, false)]
  one.signal.send()
  await until('the other process hears it', (note) => note(other.heard.count) === 1)
  await one.connection.flush()
  expect([one.heard.count, other.heard.count]).toEqual([1, 1])
})

test('signals that follow at once are one', async () => {
  const subject = subjectOf()
  const [one, other] = [await processOn(subject, false), await processOn(subject, false)]
  for (let n = 0; n < 10; n++) one.signal.send()
  await until('the other process hears it', (note) => note(other.heard.count) > 0)
  await one.connection.flush()
  await other.connection.flush()
  expect([one.heard.count, other.heard.count]).toEqual([1, 1])
})

test('nothing is sent while no other process listens, until one does', async () => {
  const subject = subjectOf()
  const one = await processOn(subject, false)
  const sentBy = ({ connection }: typeof one) => connection.stats().outMsgs
  const sendAndSee = async (heard: number) => {
    one.signal.send()
    await until('the process hears itself', (note) => note(one.heard.count) === heard)
    await one.connection.flush()
    return sentBy(one)
  }
  const first = await sendAndSee(1)
  expect([await sendAndSee(2), await sendAndSee(3)]).toEqual([first, first])
  const other = await processOn(subject, false)
  await one.connection.flush()
  expect(await sendAndSee(4)).toBe(first + 1)
  await until('the other process hears it', (note) => note(other.heard.count) === 1)
})

test('a signal that is enough for its own process is not sent', async () => {
  const subject = subjectOf()
  const [one, other] = [await processOn(subject, true), await processOn(subject, true)]
  one.signal.send()
  await until('the process hears itself', (note) => note(one.heard.count) === 1)
  other.signal.send()
  await until('the other process hears itself', (note) => note(other.heard.count) === 1)
  for (const { connection } of [one, other]) await connection.flush()
  expect([one.heard.count, other.heard.count]).toEqual([1, 1])
})
