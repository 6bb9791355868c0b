import { expect, test } from 'bun:test'
import { type BlacklistEntry, blacklistId } from '../../../src/domain/blacklist-entry'
import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf, hashOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { delivery, order, spent } from '../../support/world'
import { peopledWorld, target, usdc } from '../world'

const account = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
const intent = {
  version: 3,
  apiKeyId: 'key_1',
  ...target,
  protocolFeeBps: 50,
  sponsoredGas: false,
  refundAddress: null,
} as const
const reason = 'The integrator asked for it'
const id = executionOf(1).id
const path = `/api/operator/executions/${id}`

type Given = { record?: Partial<Execution>; refundAddress?: `0x${string}`; balance?: bigint; isListed?: boolean }

/** A world with one execution of org_a, and the operators who may act on it. */
async function opened({ record = {}, refundAddress, balance = 1_000n, isListed = false }: Given = {}) {
  const world = await peopledWorld()
  const { store, operators, clock, operator, ask } = world
  operators.holding.balance = balance
  const at = clock.now
  const own = { organizationId: 'org_a', createdAt: at, facts: { intent, routeId: hashOf(0x70) } }
  await store.executions.save(executionOf(1, { ...own, ...record }, { account, token: usdc.base, detectedAt: at }))
  const owner = { id: account, organizationId: 'org_a', userId: 'user-1', createdAt: 1, updatedAt: 1 } as const
  await store.intents.save({ ...intent, ...owner, version: 0, refundAddress: refundAddress ?? null })
  if (isListed) await store.blacklist.save(scam(at))
  await operators.blacklist.refresh()
  const post = (verb: string, body: object = { reason }, key = operator, headers = {}) =>
    ask(`${path}/${verb}`, { body, key, headers })
  const audit = () => store.auditLog.list({ organizationId: null }, { limit: 9 })
  return { ...world, post, audit }
}

const scam = (at: number): BlacklistEntry => ({
  id: blacklistId('TOKEN', 8453, usdc.base),
  version: 0,
  kind: 'TOKEN',
  chainId: 8453,
  address: usdc.base.toLowerCase(),
  listedAs: 'SCAM',
  source: 'IMPORT',
  reason: 'An imitation',
  expiresAt: null,
  createdAt: at,
  updatedAt: at,
  removedAt: null,
})

const ended = (status: 'DEAD_LETTER' | 'SUCCESS' | 'TOKEN_BLACKLISTED', facts = {}) =>
  ({ state: status, status, completedAt: 5, dueAt: null, facts: { intent, routeId: hashOf(0x70), ...facts } }) as const
const returned = { code: 'FUNDS_RETURNED', category: null, message: 'It came back.', at: 1 } as const
const reverted = { code: 'TRANSACTION_REVERTED', category: 'BLOCKCHAIN_REVERT', message: 'Refused.', at: 1 } as const
const failed = { state: 'FAILED', status: 'FAILED', dueAt: Date.UTC(2030, 1) } as const

test('retry: the next attempt starts immediately, and the audit log has its reason and request', async () => {
  const { post, store, clock, ask, operator } = await opened({ record: failed })
  const { status, json, headers } = await post('retry')
  expect(status).toBe(202)
  expect(json).toMatchObject({ id, status: 'FAILED', next: { actor: 'SERVICE', action: 'RETRY' } })
  expect(store.executions.get(id).dueAt).toBe(clock.now)

  const log = await ask('/api/operator/audit', { key: operator })
  expect(log.json).toMatchObject([
    { verb: 'execution.retry', target: id, reason, requestId: headers.get('x-request-id'), actor: { kind: 'API_KEY' } },
  ])
  expect(log.json[0]).not.toHaveProperty('organizationId')
})

const running = (provider: string, facts = {}): Partial<Execution> => ({
  state: 'RUNNING',
  status: 'RUNNING',
  dueAt: Date.UTC(2030, 1),
  facts: { intent, routeId: hashOf(0x70), order, route: { provider, kind: 'BRIDGE' } as never, ...facts },
})

test('retry: a burn without a mint is polled immediately without counting an attempt, and stays RUNNING', async () => {
  const { post, store, clock, audit } = await opened({ record: running('cctp', { spent }) })
  const { status, json } = await post('retry')
  expect(status).toBe(202)
  expect(json).toMatchObject({ id, status: 'RUNNING', retryCount: 0 })
  const { dueAt, retryCount, history } = store.executions.get(id)
  expect([dueAt, retryCount, history.at(-1)]).toMatchObject([
    clock.now,
    0,
    { event: 'retry asked', from: 'RUNNING', to: 'RUNNING', status: 'RUNNING', note: reason },
  ])
  // It is already due, so a second request changes nothing.
  expect((await post('retry')).status).toBe(202)
  expect(store.executions.get(id).history).toEqual(history)
  expect(await audit()).toMatchObject([{ verb: 'execution.retry' }, { verb: 'execution.retry' }])
})

testAll<[string, Partial<Execution>]>([
  ['a delivery by the bridge itself', running('lifi', { spent })],
  ['a deposit that is not burned yet', running('cctp')],
  ['what is minted', ended('SUCCESS', { route: { provider: 'cctp' }, spent, delivery })],
])('retry: an execution that cannot be hurried is left alone', async (_what, record) => {
  const { post, store } = await opened({ record })
  const before = store.executions.get(id)
  expect(await post('retry')).toMatchObject({ status: 409, json: { message: expect.stringContaining('retried') } })
  expect(store.executions.get(id)).toEqual(before)
})

// Columns: action, body, record; then the code and the sentence of the refusal.
testAll<[string, object, Given, number, string, string]>([
  [
    'retry',
    {},
    { record: { state: 'RUNNING', status: 'RUNNING' } },
    409,
    'NOT_RETRYABLE',
    'Only an execution in FAILED, or one whose burned money waits to be minted, can be retried; this one is RUNNING',
  ],
  [
    'approve',
    { amountOutMin: '1' },
    { record: failed },
    409,
    'NOTHING_TO_APPROVE',
    'This execution does not wait for an approval',
  ],
  ['approve', {}, { record: failed }, 400, 'VALIDATION_FAILED', 'amountOutMin is required'],
  [
    'approve',
    { amountOutMin: '0' },
    { record: failed },
    400,
    'VALIDATION_FAILED',
    'amountOutMin must be a positive amount in atomic units, decimal digits only',
  ],
  ['dead-letter', {}, { record: ended('SUCCESS') }, 409, 'ALREADY_ENDED', 'This execution has already ended'],
  [
    'dead-letter',
    {},
    { record: { ...failed, state: 'PENDING', status: 'PENDING', facts: { intent, order } } },
    409,
    'TRANSACTION_IN_FLIGHT',
    'A signed transaction of this execution may still be mined; try again after 1970-01-01T00:01:00.000Z',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: failed },
    409,
    'NOT_TERMINAL',
    'Only an execution that has ended can be re-driven; this one is FAILED',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: { ...ended('DEAD_LETTER', { order: { ...order, deadline: 101 } }), cause: reverted } },
    409,
    'TRANSACTION_IN_FLIGHT',
    'The signed order that the chain rejected expires at 1970-01-01T00:01:41.000Z; try again after a later block is confirmed',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: ended('DEAD_LETTER'), balance: 0n },
    409,
    'NO_FUNDS_TO_REDRIVE',
    'No money of this deposit is left in the account',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: ended('DEAD_LETTER', { order, spent }) },
    409,
    'FUNDS_NOT_IN_ACCOUNT',
    'The money is with the routing provider, not in the account',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: ended('DEAD_LETTER', { intent, order, spent, delivery }) },
    409,
    'FUNDS_NOT_IN_ACCOUNT',
    'The money is with the recipient, not in the account',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: { ...ended('DEAD_LETTER', { order, spent }), continuedBy: 'the-next' } },
    409,
    'FUNDS_NOT_IN_ACCOUNT',
    'Execution the-next has the money now',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: { ...ended('DEAD_LETTER', { order, spent }), cause: returned } },
    409,
    'FUNDS_NOT_IN_ACCOUNT',
    'The money was refunded to the account, as a separate deposit',
  ],
  [
    'redrive',
    { intent: 'CURRENT' },
    { record: ended('TOKEN_BLACKLISTED'), isListed: true },
    409,
    'TOKEN_BLACKLISTED',
    'The token is still on the security list',
  ],
  ['refund', {}, { record: ended('DEAD_LETTER') }, 409, 'NO_REFUND_ADDRESS', 'The intent names no refund address'],
  ['redrive', {}, { record: ended('DEAD_LETTER') }, 400, 'VALIDATION_FAILED', 'intent is required'],
  [
    'redrive',
    { intent: 'BOTH' },
    { record: ended('DEAD_LETTER') },
    400,
    'VALIDATION_FAILED',
    'intent must be CURRENT or ORIGINAL',
  ],
  [
    'retry',
    { reason: 'no' },
    { record: failed },
    400,
    'VALIDATION_FAILED',
    'reason must be 3 to 500 characters, none a control character',
  ],
  [
    'retry',
    { reason: '    ' },
    { record: failed },
    400,
    'VALIDATION_FAILED',
    'reason must be 3 to 500 characters that say something',
  ],
  ['retry', { reason: undefined }, { record: failed }, 400, 'VALIDATION_FAILED', 'reason is required'],
])('a forbidden operator action is refused', async (verb, body, given, status, code, message) => {
  const { post, audit } = await opened(given)
  const answer = await post(verb, { reason, ...body })
  expect([answer.status, answer.headers.get('x-error-code'), answer.json.message]).toEqual([status, code, message])
  expect(await audit()).toEqual([])
})

test('another organization’s execution is missing for an operator, and a CLIENT key may not act', async () => {
  const { post, client, platform } = await opened({ record: failed })
  const foreign = await opened({ record: { ...failed, organizationId: 'org_b' } })
  const { status, json } = await foreign.post('retry')
  expect([status, json.message]).toEqual([404, 'No execution with this id'])
  expect((await post('retry', { reason }, client)).status).toBe(403)
  expect((await post('retry', { reason }, platform)).status).toBe(202)
})

test('re-drive: creates an execution for the measured amount, by the named intent', async () => {
  const { post, store } = await opened({ record: ended('DEAD_LETTER'), balance: 700n })
  const { status, json } = await post('redrive', { reason, intent: 'CURRENT' })
  expect([status, json]).toEqual([202, { id: `${id}:r1`, redriveOf: id, depositId: id, amountIn: '700' }])
  expect(store.executions.get(id)).toMatchObject({ status: 'DEAD_LETTER', redrivenBy: `${id}:r1` })

  const again = await post('redrive', { reason, intent: 'CURRENT' })
  expect([again.status, again.json.message]).toEqual([409, `Execution ${id}:r1 is already re-driving this deposit`])
})

test('refund: goes only to the address named in the intent', async () => {
  const refundAddress = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
  const { post, store } = await opened({ record: ended('DEAD_LETTER'), refundAddress })
  expect((await post('refund')).json).toMatchObject({ id: `${id}:r1`, amountIn: '1000' })
  expect(store.executions.get(`${id}:r1`).facts.intent).toMatchObject({
    targetAddress: refundAddress,
    targetTokenAddress: usdc.base,
  })
})

test('a repeated Idempotency-Key returns the same response without a second action, and another reason is another request', async () => {
  const { post, operator, audit } = await opened({ record: ended('DEAD_LETTER') })
  const headers = { 'idempotency-key': 'one' }
  const body = { reason, intent: 'ORIGINAL' }
  const [first, second] = [
    await post('redrive', body, operator, headers),
    await post('redrive', body, operator, headers),
  ]
  expect(second).toMatchObject({ status: 202, text: first.text })
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await audit()).toHaveLength(1)
  const other = await post('redrive', { ...body, reason: 'Another' }, operator, headers)
  expect(other.headers.get('x-error-code')).toBe('IDEMPOTENCY_KEY_REUSED')
})
