import { afterAll, expect, test } from 'bun:test'
import type { ConsumerConfig, StreamConfig } from 'nats'
import type { Observable } from 'rxjs'
import { connectNats } from '../../../src/adapters/nats/connection'
import { natsMessages } from '../../../src/adapters/nats/nats-messages'
import { pointersIn, readWake } from '../../../src/domain/wake-messages'
import type { Wake } from '../../../src/ports/wakes'
import { hashOf } from '../../support/deposits'
import { recordedIn, recordingsOfReleases } from '../../support/record-documents'
import { natsUrl } from '../../support/servers'
import { testAll } from '../../support/test-all'
import { until } from '../../support/until'

const connection = await connectNats(await natsUrl())
afterAll(() => connection.close())

const recorded = await Promise.all(recordingsOfReleases().map(async (file) => [file, await recordedIn(file)] as const))
const withStreams = recorded.filter(([, lines]) => lines.some((line) => 'stream' in line))

testAll(withStreams)(
  'the streams of a release keep their messages, and this release reads each',
  async (file, lines) => {
    const prefix = `${file.replaceAll(/\W/g, '_')}_${process.pid}_`
    const manager = await connection.jetstreamManager()
    for (const line of lines) {
      if (!('stream' in line)) continue
      const { name, subjects } = line.stream
      const named = { name: prefix + name, subjects: subjects.map((subject) => prefix + subject) }
      await manager.streams.add({ ...(line.stream as Partial<StreamConfig>), ...named })
      for (const consumer of line.consumers as ConsumerConfig[])
        await manager.consumers.add(named.name, { ...consumer, filter_subject: prefix + consumer.filter_subject })
    }
    const sent = lines.flatMap((line) => ('message' in line ? [line.message] : []))
    for (const { subject, data } of sent) await connection.jetstream().publish(prefix + subject, data)
    const messages = natsMessages(connection, { prefix })
    await messages.ensureStreams()
    await messages.wakes.wakeNow({ id: `8453:${hashOf(1)}:0`, bucket: 3 })
    const pointer = { chainId: 8453, txHash: hashOf(2), seenAt: 3 } as const
    await messages.pointers.publish([pointer])
    const own = [`!8453:${hashOf(1)}:0`, JSON.stringify(pointer)]
    const got: string[] = []
    const unread: string[] = []
    const take = (from: Observable<Wake>, read: (data: Uint8Array) => unknown) =>
      from.subscribe(({ data, ack }) => {
        const text = new TextDecoder().decode(data)
        got.push(text)
        if (read(data) === null) unread.push(text)
        ack()
      })
    const taking = [take(messages.wakes.wakes(8), readWake), take(messages.pointers.pointers(8), pointersIn)]
    const expected = [...own, ...sent.filter(({ subject }) => !subject.startsWith('probe.')).map(({ data }) => data)]
    await until('every message is read', async (note) => note(got).length >= expected.length)
    for (const each of taking) each.unsubscribe()
    expect([got.toSorted(), unread]).toEqual([expected.toSorted(), []])
    const forms = new Set(sent.map(({ subject, data }) => `${subject.split('.')[0]} ${data.slice(0, 1)}`))
    expect(
      ['wake !', 'wake 8', 'deposit {'].filter((form) => !forms.has(form) && !forms.has(form.replace('8', '1'))),
    ).toEqual([])
    for (const line of lines) if ('stream' in line) await manager.streams.delete(prefix + line.stream.name)
  },
)

test('a recording with streams and messages exists', () => expect(withStreams.length).toBeGreaterThan(0))
