import { expect, test } from 'bun:test'
import { perChain } from '../../../src/domain/chain/chain'
import { TokenList } from '../../../src/domain/money/token'
import { eventAppender } from '../../../src/events/appender'
import { type ExecutionGaugePorts, executionGauges } from '../../../src/http/metrics/gauges'
import { viewContext } from '../../../src/http/views/view-context'
import { executionOf } from '../../support/deposits'
import { storeInMemory } from '../../support/stores'

test('a record is late while the event log lacks its event for a minute, and no longer once it is appended', async () => {
  const clock = { now: 1_000_000 }
  const now = () => clock.now
  const store = storeInMemory()
  const gauge = executionGauges({ ...store, now } as unknown as ExecutionGaugePorts).find(
    ({ name }) => name === 'events_late',
  )!
  const late = async () => (await gauge.read())[0]!.value
  const facts = { tokens: new TokenList([]), chains: perChain(() => ({ confirmations: 2 })) }
  const contextFor = viewContext({ ...store, ...facts, now })
  const appender = eventAppender({
    records: store,
    eventLog: store.eventLog,
    eventMarks: store.eventMarks,
    now,
    viewContext: () => contextFor({ tenant: '' }),
    onTrouble: (error) => {
      throw error
    },
  })

  for (const n of [1, 2]) await store.executions.save(executionOf(n, {}, { detectedAt: clock.now }))
  clock.now += 59_000
  expect(await late()).toBe(0)
  clock.now += 1_000
  expect(await late()).toBe(2)
  expect(await appender.round()).toBe(2)
  clock.now += 5_000
  await appender.round()
  expect(await late()).toBe(0)
})
