import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { createMeters } from '../../src/app/telemetry/meters'
import { webhookPosting } from '../../src/app/webhook-posting'
import { chains, perChain } from '../../src/domain/chain/chain'
import { TokenList } from '../../src/domain/money/token'
import type { Outcome } from '../../src/domain/webhook/delivery'
import { eventsOn, publishing } from '../support/events'
import { storeInMemory } from '../support/stores'
import { until } from '../support/until'
import { endpointOf, vault } from '../support/webhooks'

/** A process that posts the events of two organizations, on the real clock. */
async function posting() {
  const store = storeInMemory()
  for (const id of ['a', 'b'])
    await store.webhookEndpoints.save({
      ...endpointOf(`whe_${id}`, `org_${id}`, Date.now()),
      types: ['chain.*', 'quota.*'],
    })
  const posted: { url: string; body: string; at: number }[] = []
  const troubles: unknown[] = []
  const said: unknown[][] = []
  /** Responses of each URL before it accepts everything. */
  const answers: Record<string, Partial<Outcome>[]> = {}
  const meters = createMeters()
  /** A counter's values by label. */
  const counted = (name: string): Record<string, number> =>
    Object.fromEntries(
      meters.counted
        .find((one) => one.name === name)!
        .read()
        .filter(({ value }) => value > 0)
        .map(({ labels, value }) => [Object.values(labels).join(), value]),
    )
  const shown = {
    tokens: new TokenList([]),
    chains: perChain((_id, name) => ({ confirmations: chains[name].confirmations })),
  }
  const publish = publishing({ ...store, ...shown, now: Date.now })
  const ports = {
    ...store,
    events: eventsOn(store.eventLog),
    vault,
    holder: randomUUID(),
    now: Date.now,
    random: () => 0.5,
    notify: async () => true,
    post: async (url: string, { body }: { body: string }) => {
      posted.push({ url, body, at: Date.now() })
      return { statusCode: 200, durationMs: 0, error: null, retryAfterMs: null, ...answers[url]?.shift() }
    },
    log: { write: (...what: unknown[]) => void said.push(what) },
    meters,
    onTrouble: (_work: string, error: unknown) => void troubles.push(error),
  }
  const start = () => {
    const running = webhookPosting({ ...ports, posting: ports } as never)
    running.start()
    return running
  }
  const untilSo = (isSo: () => boolean) =>
    until(`${isSo}`, async (note) => {
      await publish()
      note({ posted, troubles, said })
      return isSo()
    })
  const isHeld = () => ['whe_a', 'whe_b'].every((id) => store.webhookFeeds.all().some((one) => one.id === id))
  return { store, posted, troubles, said, answers, counted, start, untilSo, isHeld }
}

const pause = (at: number) => ({
  id: 'chain:8453',
  version: 0,
  from: at,
  createdAt: at,
  updatedAt: at,
  until: null,
  endedAt: null,
  reason: 'trouble',
  createdBy: 'ops',
})

test('a paused chain is posted to each organization', async () => {
  const { store, posted, troubles, start, untilSo, isHeld } = await posting()
  const running = start()
  await untilSo(isHeld)
  const at = Date.now()
  await store.pauses.save(pause(at) as never)
  await untilSo(() => posted.length === 2)
  await running.stop()
  expect(posted.map(({ url }) => url).toSorted()).toEqual(['https://example.com/whe_a', 'https://example.com/whe_b'])
  expect(posted.map(({ body }) => JSON.parse(body).type)).toEqual(['chain.paused', 'chain.paused'])
  expect(troubles).toEqual([])
})

test('a quota warning is posted only to its organization', async () => {
  const { store, posted, start, untilSo, isHeld } = await posting()
  const running = start()
  await untilSo(isHeld)
  const month = new Date().toISOString().slice(0, 7)
  const id = `quota:org_b:${month}:1000:80`
  const warning = { organizationId: 'org_b', quotaKey: `org_b:${month}`, at: Date.now(), percent: 80, limit: 1_000 }
  await store.quotaWarnings.note({ id, ...warning, used: 800 })
  await untilSo(() => posted.length === 1)
  await running.stop()
  expect(posted[0]).toMatchObject({ url: 'https://example.com/whe_b' })
  expect(JSON.parse(posted[0]!.body)).toMatchObject({ type: 'quota.warning' })
})

test('each attempt is counted by its result, and a disabled endpoint is counted and logged', async () => {
  const { store, posted, said, answers, counted, start, untilSo, isHeld } = await posting()
  answers['https://example.com/whe_b'] = [{ statusCode: null, error: 'TIMEOUT' }, { statusCode: 410 }]
  const running = start()
  await untilSo(isHeld)
  await store.pauses.save(pause(Date.now()) as never)
  await untilSo(() => posted.length === 2)
  const month = new Date().toISOString().slice(0, 7)
  const warning = { organizationId: 'org_b', quotaKey: `org_b:${month}`, at: Date.now(), percent: 80, limit: 1_000 }
  await store.quotaWarnings.note({ id: 'quota', ...warning, used: 800 })
  await untilSo(() => said.length === 1)
  await running.stop()
  expect(counted('webhook_attempts_total')).toEqual({ DELIVERED: 1, TIMEOUT: 1, REFUSED: 1 })
  expect(counted('webhook_endpoints_disabled_total')).toEqual({ GONE: 1 })
  expect(said).toEqual([['WEBHOOK_ENDPOINT_DISABLED', { endpoint: 'whe_b', organization: 'org_b', reason: 'GONE' }]])
})
