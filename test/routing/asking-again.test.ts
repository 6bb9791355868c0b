import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import type { Facts } from '../../src/domain/execution/execution'
import { ProviderRateLimited, ProviderUnavailable } from '../../src/domain/unavailable'
import { testAll } from '../support/test-all'
import { intent, order, sent, spent, world } from '../support/world'

const hour = 3_600_000
const onItsWay: Facts = { intent, routeId: order.routeId, order, transactions: [sent], spent }

// Twice a second for hours, of every record at once, would be most of the database's work.
testAll<[string, string, Facts, () => unknown]>([
  ['a bridge that refuses to say', 'RUNNING', onItsWay, () => new RoutingError('PROVIDER_REFUSED')],
  ['a bug', 'matching intent', {}, () => new TypeError('undefined is not a function')],
  ['a provider that is left alone', 'RUNNING', onItsWay, () => new ProviderUnavailable('lifi', 2_000)],
])(
  'what has to be awaited is asked again ever more seldom, and at once when it is over',
  async (_case, state, facts, error) => {
    let looks = 0
    const { execution, clock, wake, run } = world(
      Object.fromEntries(
        ['matchIntent', 'confirmDelivery'].map((step) => [
          step,
          async () => {
            looks += 1
            if (clock.at < hour) throw error()
            return step === 'matchIntent' ? { type: 'intent matched' } : { type: 'funds delivered', facts: { spent } }
          },
        ]),
      ),
      { state, facts, status: state === 'RUNNING' ? 'RUNNING' : null },
    )
    for (; clock.at < hour; clock.at = execution().dueAt!) await wake()
    expect(looks).toBeLessThan(150)
    expect(execution().retryCount).toBe(0)
    expect(clock.at).toBeLessThan(hour + hour / 19)
    expect(await run()).toMatchObject({ status: 'SUCCESS' })
  },
)

test('whoever waits for a turn at a provider comes back when told, however long it has waited', async () => {
  const { execution, clock, wake } = world(
    {
      confirmDelivery: async () => {
        throw new ProviderRateLimited('lifi', 45_000)
      },
    },
    { state: 'RUNNING', facts: onItsWay, status: 'RUNNING' },
  )
  for (; clock.at < 3 * hour; clock.at = execution().dueAt!) {
    await wake()
    expect(execution().dueAt).toBe(clock.at + 45_000)
  }
  expect(execution().retryCount).toBe(0)
})
