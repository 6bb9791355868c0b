import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import type { Faucet, FaucetGrant } from '../../src/ports/chain-client'
import { target } from '../http/world'
import { testAll } from '../support/test-all'
import { membersWorld } from './sign-in/members-world'

const hash = `0x${'f'.repeat(64)}` as const

/** An organization with one user who has an intent, and a faucet that records its requests. */
async function world(faucet?: Faucet | null) {
  const grants: FaucetGrant[] = []
  const noting: Faucet = {
    async send(grant) {
      grants.push(grant)
      return hash
    },
  }
  const made = await membersWorld({ faucet: faucet === undefined ? noting : faucet })
  const intent = await made.as('owner', '/deposit-intents', { body: { userId: 'ann', ...target } })
  const send = (name: string, userId = 'ann') => made.as(name, '/pretend-deposits', { body: { userId } })
  return { ...made, grants, send, to: intent.json.depositAddress }
}

test('a pretend deposit goes to the named user’s address, from another chain, and is logged before it is sent', async () => {
  const { send, grants, to, store } = await world()
  const { status, json } = await send('operator')
  expect([status, json]).toEqual([
    201,
    {
      userId: 'ann',
      fromChainKey: 'base',
      fromTokenSymbol: 'USDC',
      amountIn: '25000000',
      depositAddress: to,
      depositTxHash: hash,
    },
  ])
  expect(grants).toEqual([{ chainKey: 'base', tokenSymbol: 'USDC', amountRaw: 25_000_000n, to }])
  expect(store.auditLog.entries.at(-1)).toMatchObject({
    verb: 'deposit.pretend',
    target: to,
    organizationId: 'org_a',
    actor: { kind: 'MEMBER', id: 'operator' },
    details: { userId: 'ann', fromChainKey: 'base', amountIn: '25000000' },
  })
})

test('nothing is sent to a user of another organization, or to one without an intent', async () => {
  const { send, grants } = await world()
  for (const [name, userId] of [
    ['other-owner', 'ann'],
    ['platform-owner', 'ann'],
    ['owner', 'bob'],
  ] as const)
    expect((await send(name, userId)).headers.get('x-error-code')).toBe('NO_DEPOSIT_INTENT')
  expect(grants).toEqual([])
})

test('an organization may make thirty in ten minutes, all its members together', async () => {
  const { send, grants, clock } = await world()
  for (let n = 0; n < 30; n++) expect((await send(n % 2 ? 'owner' : 'admin')).status).toBe(201)
  const refused = await send('operator')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
  expect(grants).toHaveLength(30)
  clock.now += 600_000
  expect((await send('operator')).status).toBe(201)
})

test('without a faucet the path does not exist, and the first steps report that', async () => {
  const { as, send, store } = await world(null)
  expect((await send('owner')).status).toBe(405) // as for any path that only pages use
  expect((await as('member', '/first-steps')).json).toEqual({
    hasIntent: true,
    userId: 'ann',
    hasFaucet: false,
    keyPrefix: 'sy_live_',
    receiverUrl: null,
  })
  expect(store.auditLog.entries.some(({ verb }) => verb === 'deposit.pretend')).toBe(false)
})

test('an unreachable faucet is 503, without its address', async () => {
  const { send } = await world({
    send: async () => {
      throw new RoutingError('PROVIDER_UNREACHABLE', { cause: new Error('http://127.0.0.1:4444 refused') })
    },
  })
  const { status, json } = await send('owner')
  expect([status, json.message]).toEqual([503, 'The faucet does not respond: try again'])
})

test('the pages get the faucet and a first user for a pretend deposit', async () => {
  const { as } = await world()
  const sandbox = { hasFaucet: true, keyPrefix: 'sy_test_', receiverUrl: 'http://localhost/app/receiver' }
  expect((await as('member', '/first-steps')).json).toEqual({ hasIntent: true, userId: 'ann', ...sandbox })
  expect((await as('other-member', '/first-steps')).json).toEqual({ hasIntent: false, userId: null, ...sandbox })
})

testAll([
  ['a sandbox', undefined, 'sy_test_', 200],
  ['real money', null, 'sy_live_', 200],
] as const)('a key shows whether its money is real', async (_case, faucet, prefix, accepted) => {
  const { as, ask } = await world(faucet)
  const terms = { label: 'first', role: 'CLIENT', protocolFeeBps: 25, sponsoredGas: false }
  const { json } = await as('owner', '/keys', { body: { ...terms, endsInDays: null } })
  expect([json.value.slice(0, 8), json.key.prefix.slice(0, 8)]).toEqual([prefix, prefix])
  expect((await ask('/api/chains', { key: json.value })).status).toBe(accepted)
})

test('the receiver of a sandbox accepts any webhook, and does not exist where money is real', async () => {
  const posted = { method: 'POST', body: { type: 'execution.success' } } as const
  const { ask } = await world()
  expect((await ask('/app/receiver', posted)).status).toBe(204)
  const real = await world(null)
  expect((await real.ask('/app/receiver', posted)).status).toBe(405)
})
