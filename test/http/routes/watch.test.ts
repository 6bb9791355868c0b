import { expect, test } from 'bun:test'
import { chainKeys } from '../../../src/domain/chain/chain'
import { RoutingError } from '../../../src/domain/error'
import type { Detector } from '../../../src/domain/execution/execution'
import type { Coverage, Watch } from '../../../src/ports/detection'
import { executionOf, hashOf } from '../../support/deposits'
import { apiWorld } from '../world'

const body = { fromChainId: 8453, txHash: hashOf(1) }
const path = '/api/deposits/rescan'

async function world(watch: Partial<Watch> = {}) {
  const asked: unknown[][] = []
  const whole: Watch = {
    rescan: async (...given) => {
      asked.push(given)
      return { found: 'KNOWN', depositIds: [executionOf(1).id] }
    },
    rescanUnsupported: async (...given) => {
      asked.push(given)
      return { found: 'DEPOSIT', depositIds: [executionOf(1).id] }
    },
    coverageOf: async () => null,
    ...watch,
  }
  const made = apiWorld({ watch: whole })
  const key = await made.key(await made.organization('org_1'))
  return { ...made, asked, key, keyOf: made.key }
}

test('a rescan returns its result, the caller’s deposits and a sentence', async () => {
  const { ask, key, asked, store } = await world()
  await store.executions.save(executionOf(1))
  const { status, json: answer } = await ask(path, { key, body })
  expect(status).toBe(200)
  expect(answer).toMatchObject({ found: 'KNOWN', deposits: [{ id: executionOf(1).id, depositTxHash: hashOf(1) }] })
  expect(asked).toEqual([[8453, hashOf(1), 'org_1']])
})

test('a deposit of an unlisted token is rescanned by its id, by the integrator or an operator', async () => {
  const { ask, key, keyOf, asked, store } = await world()
  await store.executions.save(executionOf(1))
  const depositId =
    '8453:unsupported:0x00000000000000000000000000000000000000a1:0x00000000000000000000000000000000000000ee'
  expect((await ask(path, { key, body: { depositId } })).json).toMatchObject({ found: 'DEPOSIT', deposits: [{}] })
  expect(asked).toEqual([[depositId, 'org_1']])
  for (const role of ['OPERATOR', 'CLIENT'] as const)
    expect((await ask(path, { key: await keyOf('org_1', role), body: { depositId } })).status).toBe(200)
})

test('the sentence of a rescan states that no node could trace the transaction', async () => {
  const rescanned = { found: 'KNOWN' as const, depositIds: [] }
  const sentenceOf = async (isUntraced: { isUntraced?: true }) => {
    const { ask, key } = await world({ rescan: async () => ({ ...rescanned, ...isUntraced }) })
    return (await ask(path, { key, body })).json.message
  }
  expect(await sentenceOf({})).toBe('This deposit is already recorded.')
  expect(await sentenceOf({ isUntraced: true })).toStartWith(
    'This deposit is already recorded. Payments by contracts in it could not be checked',
  )
})

test('a rescan names a transaction and its chain, or a deposit', async () => {
  const { ask, key } = await world({ rescanUnsupported: async () => null })
  const refused = async (body: object) => (await ask(path, { key, body })).json.message
  expect(await refused({})).toBe('fromChainId is required')
  expect(await refused({ fromChainId: 8453 })).toBe('txHash is required')
  expect(await refused({ depositId: 'nothing:like:it' })).toBe('No deposit with this id')
})

test('a rescan with an Idempotency-Key runs once, and a repetition gets the first response', async () => {
  const { ask, key, asked } = await world()
  const headers = { 'idempotency-key': 'rescan-1' }
  const first = await ask(path, { key, body, headers })
  const again = await ask(path, { key, body: { ...body, more: 1 }, headers })
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, first.text, 'true'])
  expect(asked.length).toBe(1)
  const other = await ask(path, { key, body: { ...body, txHash: hashOf(2) }, headers })
  expect([other.status, other.headers.get('x-error-code')]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
})

test('a hash is accepted in any case, and anything else is refused', async () => {
  const { ask, key, asked } = await world()
  const mixed = `0x${hashOf(0xabc).slice(2).toUpperCase()}`
  expect((await ask(path, { key, body: { ...body, txHash: mixed } })).status).toBe(200)
  expect(asked[0]![1]).toBe(hashOf(0xabc))
  for (const wrong of [
    { txHash: '0x1' },
    { txHash: 5 },
    { fromChainId: 56 },
    { fromChainId: '8453' },
    { txHash: null },
  ])
    expect((await ask(path, { key, body: { ...body, ...wrong } })).status).toBe(400)
})

test('another organization’s deposit is not shown, whatever detection returns', async () => {
  const { ask, key, store } = await world()
  await store.executions.save({ ...executionOf(1), organizationId: 'org_2' })
  expect((await ask(path, { key, body })).json).toMatchObject({ deposits: [] })
})

test('an unreadable chain is a 503 that names no node', async () => {
  const away = new RoutingError('RPC_UNREACHABLE', { cause: new Error('http://secret.example') })
  const { ask, key } = await world({ rescan: () => Promise.reject(away) })
  const { status, json: answer } = await ask(path, { key, body })
  expect(status).toBe(503)
  expect(JSON.stringify(answer)).not.toContain('secret')
})

const coverage = (chainId: Coverage['chainId']): Coverage => ({
  chainId,
  scannedBlock: 9,
  scannedBlockHash: hashOf(9),
  headBlock: 11,
  lagBlocks: 2,
  lagSeconds: 4,
  updatedAt: 0,
})

test('coverage shows how far each chain is read, and which detector saw deposits first', async () => {
  const coverageOf: Watch['coverageOf'] = async (chainId) => {
    if (chainId === 1) throw new RoutingError('RPC_TIMEOUT')
    return chainId === 137 ? null : coverage(chainId)
  }
  const { ask, key, store, clock } = await world({ coverageOf })
  const found = (n: number, detectedBy: Detector[], organizationId = 'org_1', ageMs = 1_000) =>
    store.executions.save({
      ...executionOf(n, {}, { detectedBy, detectedAt: clock.now - ageMs }),
      organizationId,
    })
  await found(1, ['WEBHOOK', 'SCANNER'])
  await found(2, ['SCANNER'], 'org_1', 2_000)
  await found(3, ['SCANNER'], 'org_2')
  await found(4, ['SCANNER'], 'org_1', 90_000_000)

  const { status, json: rows } = await ask('/api/coverage', { key })
  expect(status).toBe(200)
  expect((rows as { chainKey: string }[]).map(({ chainKey }) => chainKey)).toEqual(
    chainKeys.filter((key) => !['ethereum', 'polygon'].includes(key)),
  )
  expect((rows as object[])[0]).toMatchObject({
    chainId: 8453,
    scannedBlock: 9,
    headBlock: 11,
    lagBlocks: 2,
    lagSeconds: 4,
    detectors: [
      { detector: 'WEBHOOK', first24h: 1, missed24h: 1 },
      { detector: 'SCANNER', first24h: 1, missed24h: 0 },
      { detector: 'SWEEP', first24h: 0, missed24h: 0, lastSeenAt: null },
    ],
  })
})
