import { expect, test } from 'bun:test'
import { peopledWorld, target, usdc } from '../world'

const body = { userId: 'user-1', ...target }
const path = '/api/deposit-intents'
const history = '/api/users/user-1/deposit-intent/versions'
const recipient = (n: number) => `0x${(n + 1).toString(16).padStart(40, '1')}`

async function redirected(times: number) {
  const world = await peopledWorld()
  const put = (change: object = {}, key = world.client) => world.ask(path, { key, body: { ...body, ...change } })
  for (let n = 0; n < times; n++) {
    await put({ targetAddress: recipient(n) })
    world.clock.now += 1_000
  }
  return { ...world, put }
}

test('the history shows a redirect: the current version, then the replaced one, with the actor and time', async () => {
  const { ask, client, put } = await redirected(2)
  await put({ targetChainId: 8453, targetTokenAddress: usdc.base, targetAddress: recipient(1) })
  const { status, json } = await ask(history, { key: client })
  const first = {
    version: 1,
    targetChainId: 42161,
    targetChainKey: 'arbitrum',
    targetTokenAddress: usdc.arbitrum,
    targetAddress: json[2].targetAddress,
    refundAddress: null,
    protocolFeeBps: 50,
    sponsoredGas: false,
    apiKeyId: 'key_1',
    actor: { kind: 'API_KEY', id: 'key_1', label: 'test' },
    sealed: true,
    createdAt: '2026-11-21T10:00:00.000Z',
  }
  const second = {
    ...first,
    version: 2,
    targetAddress: json[1].targetAddress,
    createdAt: '2026-11-21T10:00:01.000Z',
  }
  const third = { version: 3, targetChainId: 8453, targetChainKey: 'base', targetTokenAddress: usdc.base }
  expect([status, json]).toEqual([200, [{ ...second, ...third, createdAt: '2026-11-21T10:00:02.000Z' }, second, first]])
  expect(json.map(({ targetAddress }: { targetAddress: string }) => targetAddress.toLowerCase())).toEqual(
    [1, 1, 0].map(recipient),
  )
})

test('it is paged like other lists, without gaps or repetitions while the intent changes', async () => {
  const { ask, client, put } = await redirected(5)
  const seen: number[] = []
  for (let next: string | null = `${history}?limit=2`; next; ) {
    const { json, headers }: Awaited<ReturnType<typeof ask>> = await ask(next, { key: client })
    seen.push(...json.map(({ version }: { version: number }) => version))
    next = /<([^>]+)>/.exec(headers.get('link') ?? '')?.[1] ?? null
    await put({ targetAddress: recipient(seen.length + 20) })
  }
  expect(seen).toEqual([5, 4, 3, 2, 1])
})

test('storing the same intent again creates no version or audit entry, and returns the same response', async () => {
  const { ask, client, put, store } = await redirected(1)
  const [first, second] = [await put({ targetAddress: recipient(0) }), await put({ targetAddress: recipient(0) })]
  expect([first.status, second.text]).toEqual([200, first.text])
  expect((await ask(history, { key: client })).json).toHaveLength(1)
  expect(store.auditLog.entries.map(({ verb }) => verb)).toEqual(['intent.create'])
})

test('an intent older than the history shows its stored versions, by their numbers', async () => {
  const { ask, client, put, store } = await redirected(1)
  const [intent] = store.intents.all()
  store.intents.change(intent!.id, { version: 7, seal: null, changedBy: null })
  await put({ targetAddress: recipient(5) })
  const { json } = await ask(history, { key: client })
  expect(json.map(({ version, sealed, actor }: Record<string, unknown>) => [version, sealed, actor])).toEqual([
    [8, true, { kind: 'API_KEY', id: 'key_1', label: 'test' }],
    [7, false, null],
  ])
})

test('a version written directly into the database is not shown as sealed', async () => {
  const { ask, client, store } = await redirected(1)
  const [intent] = store.intents.all()
  store.intents.change(intent!.id, { targetAddress: '0x2000000000000000000000000000000000000002' })
  expect((await ask(history, { key: client })).json[0].sealed).toBe(false)
})

test('only the organization sees the history, and a user without an intent has none', async () => {
  const { ask, client, operator, stranger } = await redirected(2)
  expect((await ask(history, { key: stranger })).json).toEqual([])
  expect((await ask('/api/users/nobody/deposit-intent/versions', { key: client })).json).toEqual([])
  expect((await ask(history, { key: operator })).status).toBe(403)
  expect((await ask(`${history}?cursor=AAAAAAAAAAAA`, { key: client })).headers.get('x-error-code')).toBe(
    'INVALID_CURSOR',
  )
})
