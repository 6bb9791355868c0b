import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { apiKeyDigest, apiKeyText, isApiKeyText } from '../../../src/domain/tenant/api-key-format'
import { keyCache } from '../../../src/http/request/key-gate'
import { testAll } from '../../support/test-all'
import { peopledWorld } from '../world'

const random = fc.uint8Array({ minLength: 32, maxLength: 32 })
const path = '/api/users/user-1/executions'

test('a key is sy_live_, 43 characters of secret and 6 of checksum, and two secrets give two keys', () => {
  fc.assert(
    fc.property(random, random, (one, other) => {
      const text = apiKeyText(one)
      expect(text).toMatch(/^sy_live_[0-9A-Za-z]{49}$/)
      expect(isApiKeyText(text)).toBe(true)
      expect(apiKeyText(other) === text).toBe(Buffer.from(one).equals(Buffer.from(other)))
    }),
  )
})

test('one wrong character is detected without a read of the store', () => {
  fc.assert(
    fc.property(random, fc.nat(48), fc.constantFrom(...'0123456789ABCDEFGHIJabcdefghij'), (bytes, place, character) => {
      const text = apiKeyText(bytes)
      const wrong = text.slice(0, 8 + place) + character + text.slice(9 + place)
      expect(isApiKeyText(wrong)).toBe(wrong === text)
    }),
  )
})

test('the key format never changes, because existing keys must stay valid', () => {
  expect(apiKeyText(new Uint8Array(32))).toBe('sy_live_00000000000000000000000000000000000000000003Dp707')
  expect(isApiKeyText(apiKeyText(new Uint8Array(32).fill(255)))).toBe(true)
})

test('a sandbox makes sy_test_ keys and accepts the sy_live_ keys that it made before', () => {
  const [made, before] = [apiKeyText(new Uint8Array(32), true), apiKeyText(new Uint8Array(32))]
  expect(made).toBe('sy_test_00000000000000000000000000000000000000000003LFG15')
  expect([made, before].map((text) => isApiKeyText(text, true))).toEqual([true, true])
})

testAll([
  ['absent', null, 'Missing API key'],
  ['of another form', 'ck_live_12345678', 'Invalid API key'],
  ['with a wrong checksum', `sy_live_${'0'.repeat(49)}`, 'Invalid API key'],
  ['of a sandbox', apiKeyText(new Uint8Array(32), true), 'Invalid API key'],
  ['doubled', `${apiKeyText(new Uint8Array(32))}, ${apiKeyText(new Uint8Array(32))}`, 'Invalid API key'],
])('a missing or malformed key is 401 without a database query', async (_case, key, message) => {
  const { ask, asked } = await peopledWorld()
  const { status, json } = await ask(path, { key })
  expect([status, json, asked.keys]).toEqual([401, { statusCode: 401, message, error: 'Unauthorized' }, 0])
})

test('an empty key is a missing one', async () => {
  const { ask } = await peopledWorld()
  expect((await ask(path, { headers: { 'x-api-key': '' } })).json.message).toBe('Missing API key')
})

test('an unknown key is 401 and queried only once in a while', async () => {
  const { ask, asked } = await peopledWorld()
  const key = apiKeyText(new Uint8Array(32).fill(7))
  for (let n = 0; n < 5; n++) expect((await ask(path, { key })).json.message).toBe('Invalid API key')
  expect(asked.keys).toBe(1)
})

test('a revoked key is refused within a second, in every process', async () => {
  const { ask, client, store, clock } = await peopledWorld()
  expect((await ask(path, { key: client })).status).toBe(200)
  const { id } = (await store.apiKeys.findByDigest(apiKeyDigest(client)))!
  store.apiKeys.change(id, { revokedAt: clock.now })
  clock.now += 999
  const { status, json } = await ask(path, { key: client })
  expect([status, json.message]).toEqual([401, 'Invalid API key'])
})

test('a key in constant use is refused within a second of its revocation too', async () => {
  const { ask, client, store, clock } = await peopledWorld()
  await ask(path, { key: client })
  const { id } = (await store.apiKeys.findByDigest(apiKeyDigest(client)))!
  store.apiKeys.change(id, { revokedAt: clock.now })
  const statuses: number[] = []
  for (let n = 0; n < 20; n++) {
    clock.now += 50
    statuses.push((await ask(path, { key: client })).status)
  }
  expect(statuses.at(-1)).toBe(401)
  expect(statuses.lastIndexOf(200)).toBeLessThan(statuses.indexOf(401))
})

test('roles: a CLIENT key integrates, an OPERATOR key reads, and any other use is 403', async () => {
  const { ask, client, operator } = await peopledWorld()
  const statuses = async (key: string) =>
    Promise.all(
      [path, '/api/users/user-1/account', '/api/executions', '/api/deposits', '/api/lifecycle'].map(
        async (at) => (await ask(at, { key })).status,
      ),
    )
  expect(await statuses(client)).toEqual([200, 404, 200, 200, 200])
  expect(await statuses(operator)).toEqual([403, 403, 200, 200, 200])
  const { json, headers } = await ask(path, { key: operator })
  expect([json, headers.get('x-error-code')]).toEqual([
    { statusCode: 403, message: 'Insufficient permissions', error: 'Forbidden' },
    'INSUFFICIENT_PERMISSIONS',
  ])
})

test('the last use of a key is written at most once a minute', async () => {
  const { ask, client, store, clock } = await peopledWorld()
  const lastUsed = async () => (await store.apiKeys.findByDigest(apiKeyDigest(client)))!.lastUsedAt
  const began = clock.now
  for (let n = 0; n < 10; n++) {
    await ask(path, { key: client })
    clock.now += 5_000
  }
  expect(await lastUsed()).toBe(began)
  clock.now += 20_000
  await ask(path, { key: client })
  expect(await lastUsed()).toBe(clock.now)
})

test('a key is queried once for any number of waiting requests, and a cached key is found synchronously', async () => {
  let asked = 0
  const owned = { key: { id: 'key_1' }, organization: { id: 'org_1' } } as never
  const find = keyCache(
    async () => {
      asked++
      return owned
    },
    () => 0,
  )
  expect(await Promise.all(Array.from({ length: 100 }, () => find('digest')))).toEqual(Array(100).fill(owned))
  expect([asked, find('digest') instanceof Promise]).toEqual([1, false])
})

test('a flood of unknown keys evicts no valid one', async () => {
  let asked = 0
  const find = keyCache(
    async (digest) => {
      asked++
      return digest === 'known' ? ({ key: {}, organization: {} } as never) : null
    },
    () => 0,
  )
  await find('known')
  for (let n = 0; n < 5_000; n++) await find(`junk ${n}`)
  asked = 0
  await find('known')
  expect(asked).toBe(0)
})
