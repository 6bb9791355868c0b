import { expect, test } from 'bun:test'
import type { ApiPorts } from '../../../src/app/api/ports'
import { RoutingError } from '../../../src/domain/error'
import { TemporarilyUnavailable } from '../../../src/domain/unavailable'
import { testAll } from '../../support/test-all'
import { factory, peopledWorld, target, usdc } from '../world'

const body = { userId: 'user-1', ...target }
const path = '/api/deposit-intents'
const unlisted = '0x1111111111111111111111111111111111111111'
const small = (n: number) => `0x${n.toString(16).padStart(40, '0')}`
const listed = (kind: string, address: string): Partial<ApiPorts> => ({
  blacklist: { isListed: (of, chain, what) => of === kind && chain === 42161 && what === address },
})
const bare: Partial<ApiPorts> = { hasCode: async () => false }

const cases: [what: string, change: object, ports: Partial<ApiPorts>, code: string, message: string][] = [
  [
    'a token without a contract',
    { targetTokenAddress: unlisted },
    bare,
    'TARGET_TOKEN_NOT_FOUND',
    'There is no contract at the target token address on Arbitrum',
  ],
  [
    'Base’s USDC on Arbitrum',
    { targetTokenAddress: usdc.base },
    bare,
    'TARGET_TOKEN_OF_OTHER_CHAIN',
    'The target token address belongs to USDC on Base; on Arbitrum there is no contract at it',
  ],
  [
    'Polygon’s own name for its coin on Arbitrum',
    { targetTokenAddress: small(0x1010) },
    bare,
    'TARGET_TOKEN_OF_OTHER_CHAIN',
    'The target token address belongs to POL on Polygon; on Arbitrum there is no contract at it',
  ],
  [
    'a recipient on the security list',
    {},
    listed('ADDRESS', target.targetAddress),
    'TARGET_ADDRESS_BLACKLISTED',
    'The target address is on the security list',
  ],
  [
    'a token on the security list',
    {},
    listed('TOKEN', usdc.arbitrum),
    'TARGET_TOKEN_BLACKLISTED',
    'The target token is on the security list',
  ],
  [
    'the token as the recipient',
    { targetAddress: usdc.arbitrum },
    {},
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the contract of a token',
  ],
  [
    'another token as the recipient',
    { targetAddress: usdc.arbitrum, targetTokenAddress: small(0) },
    {},
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the contract of a token',
  ],
  [
    'the contract of another chain’s token as the recipient',
    { targetAddress: usdc.base },
    {},
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the contract of a token',
  ],
  [
    'a contract of ours as the recipient',
    { targetAddress: factory.registry },
    {},
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is a contract of this service',
  ],
  [
    'a recipient that the token blocks',
    {},
    { payable: async () => 'BLOCKED' },
    'TARGET_ADDRESS_BLOCKED',
    'The target token’s own blocklist contains the target address',
  ],
  [
    'a recipient that refuses the token',
    { targetTokenAddress: small(0) },
    { payable: async () => 'REFUSED' },
    'TARGET_ADDRESS_REFUSES',
    'The target address does not accept the target token',
  ],
  ...[small(1), small(0x64), small(0x100), small(0xffff), small(0xdead)].map(
    (targetAddress): (typeof cases)[number] => [
      `a program of the chain, ${targetAddress}, as the recipient`,
      { targetAddress },
      {},
      'TARGET_ADDRESS_NOT_PAYABLE',
      'Tokens sent to the target address would be lost: use another address',
    ],
  ),
]

testAll(cases)('a bad target is refused with its own code, also in the body, and nothing is stored', async (...one) => {
  const [, change, ports, code, message] = one
  const { ask, client, store } = await peopledWorld(ports)
  const { status, json, headers } = await ask(path, { key: client, body: { ...body, ...change } })
  expect([status, json, headers.get('x-error-code')]).toEqual([
    400,
    { statusCode: 400, message, error: 'Bad Request', code },
    code,
  ])
  expect([store.intents.all(), store.accounts.all(), store.auditLog.entries]).toEqual([[], [], []])
})

testAll(cases)('a simulation with a bad target gets the same refusal', async (...one) => {
  const [, change, ports, code, message] = one
  const { ask, client } = await peopledWorld(ports)
  const wanted: Record<string, unknown> = { ...target, ...change }
  const overrides = Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [`overrideT${name.slice(1)}`, value]),
  )
  const { status, json, headers } = await ask('/api/routing/simulate-deposit', {
    key: client,
    body: { userId: 'user-1', fromChainId: 8453, fromTokenSymbol: 'USDC', amountInAtomic: '25000000', ...overrides },
  })
  expect([status, json.message, json.code, headers.get('x-error-code')]).toEqual([400, message, code, code])
})

test('a deposit address is refused as the recipient of its own money, directly or in a circle', async () => {
  const { ask, client, store } = await peopledWorld()
  const put = (userId: string, targetAddress: string): ReturnType<typeof ask> =>
    ask(path, { key: client, body: { ...body, userId, targetAddress } })
  const [a, b] = [await put('a', target.targetAddress), await put('b', target.targetAddress)]
  const own = await put('a', a.json.depositAddress)
  expect([own.status, own.json.code, own.json.message]).toEqual([
    400,
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address is the deposit address itself',
  ])
  expect((await put('a', b.json.depositAddress)).status).toBe(200)
  expect((await put('c', a.json.depositAddress)).status).toBe(201)
  const round = await put('b', (await put('c', a.json.depositAddress)).json.depositAddress)
  expect([round.status, round.json.code, round.json.message]).toEqual([
    400,
    'TARGET_ADDRESS_NOT_PAYABLE',
    'The target address leads back to this deposit address',
  ])
  expect((await store.intents.load(b.json.depositAddress))!.targetAddress).toBe(target.targetAddress)
})

test('one of two simultaneous intents that lead to each other is refused', async () => {
  const { ask, client, store, ports, clock } = await peopledWorld()
  const put = (userId: string, targetAddress: string): ReturnType<typeof ask> =>
    ask(path, { key: client, body: { ...body, userId, targetAddress } })
  const [a, b] = [await put('a', target.targetAddress), await put('b', target.targetAddress)]
  const [first, second] = [a.json.depositAddress, b.json.depositAddress]
  const both = await Promise.all([put('a', second), put('b', first)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 400])
  const stored = await Promise.all([first, second].map((id) => store.intents.load(id)))
  expect(stored.filter((intent) => [first, second].includes(intent!.targetAddress))).toHaveLength(1)
  // Another process stores one at this moment.
  const lead = 'leading:org_a'
  await ports.semaphores.acquire(lead, { holder: 'elsewhere', most: 1, until: clock.now + 30_000 })
  const { status, json } = await put('c', first)
  expect([status, json.message]).toEqual([409, 'Another request changed this: reload it and try again'])
  expect((await put('c', target.targetAddress)).status).toBe(201)
  await ports.semaphores.release(lead, 'elsewhere')
  expect((await put('c', first)).status).toBe(200)
})

test('a refund address is refused by the same rules with its own codes, and nothing is stored', async () => {
  const wallet = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
  const blocks = (chain: number): Partial<ApiPorts> => ({
    payable: async ({ chainId, recipient }) => (chainId === chain && recipient === wallet ? 'BLOCKED' : null),
  })
  const lists: Partial<ApiPorts> = {
    blacklist: { isListed: (kind, chain, what) => kind === 'ADDRESS' && chain === 1 && what === wallet },
  }
  const cases: [refundAddress: string, ports: Partial<ApiPorts>, code: string, message: string][] = [
    [usdc.base, {}, 'REFUND_ADDRESS_NOT_PAYABLE', 'The refund address is the contract of a token'],
    [factory.registry, {}, 'REFUND_ADDRESS_NOT_PAYABLE', 'The refund address is a contract of this service'],
    [
      small(0),
      {},
      'REFUND_ADDRESS_NOT_PAYABLE',
      'Tokens sent to the refund address would be lost: use another address',
    ],
    [wallet, lists, 'REFUND_ADDRESS_BLACKLISTED', 'The refund address is on the security list'],
    [wallet, blocks(43114), 'REFUND_ADDRESS_BLOCKED', 'USDC’s blocklist contains the refund address'],
  ]
  for (const [refundAddress, ports, code, message] of cases) {
    const { ask, client, store } = await peopledWorld(ports)
    const { status, json, headers } = await ask(path, { key: client, body: { ...body, refundAddress } })
    expect([status, json, headers.get('x-error-code')]).toEqual([
      400,
      { statusCode: 400, message, error: 'Bad Request', code },
      code,
    ])
    expect([store.intents.all(), store.accounts.all(), store.auditLog.entries]).toEqual([[], [], []])
  }
  const { ask, client } = await peopledWorld()
  const own = (await ask(path, { key: client, body })).json.depositAddress
  expect((await ask(path, { key: client, body: { ...body, refundAddress: own } })).json).toMatchObject({
    code: 'REFUND_ADDRESS_NOT_PAYABLE',
    message: 'The refund address is the deposit address itself',
  })
  expect((await ask(path, { key: client, body: { ...body, refundAddress: wallet } })).status).toBe(200)
})

test('an intent is not refused for an unresponsive chain or a token paused for all', async () => {
  const answers: Partial<ApiPorts>[] = [
    { payable: () => Promise.reject(new RoutingError('RPC_UNREACHABLE')) },
    { payable: () => new Promise(() => {}) },
    { payable: async () => 'PAUSED' },
  ]
  const asked = answers.map(async (ports) => {
    const { ask, client } = await peopledWorld(ports)
    return (await ask(path, { key: client, body: { ...body, refundAddress: target.targetAddress } })).status
  })
  expect(await Promise.all(asked)).toEqual([201, 201, 201])
})

test('another organization’s deposit address is an ordinary recipient, and reveals nothing', async () => {
  const { ask, client, stranger } = await peopledWorld()
  const put = (key: string, targetAddress: string): ReturnType<typeof ask> =>
    ask(path, { key, body: { ...body, targetAddress } })
  const theirs = await put(stranger, target.targetAddress)
  const ours = await put(client, theirs.json.depositAddress)
  expect([ours.status, (await put(stranger, ours.json.depositAddress)).status]).toEqual([201, 200])
})

testAll([
  ['a contract is there', () => Promise.resolve(true), 201],
  ['there is none', () => Promise.resolve(false), 400],
  ['the chain cannot be read', () => Promise.reject(new RoutingError('RPC_UNREACHABLE')), 201],
  ['its node is left alone', () => Promise.reject(new TemporarilyUnavailable('Arbitrum', 5_000, 'NODE')), 201],
  ['an unexpected error', () => Promise.reject(new TypeError('a bug')), 201],
  ['the chain does not answer', () => new Promise<boolean>(() => {}), 201],
] as const)('an unlisted token is checked on the chain', async (_case, hasCode, status) => {
  const { ask, client } = await peopledWorld({ hasCode })
  const answer = await ask(path, { key: client, body: { ...body, targetTokenAddress: unlisted } })
  expect(answer.status).toBe(status)
})

test('a chain is queried once for an existing contract, each time for a missing one, and never for a listed token', async () => {
  const asked: string[] = []
  const { ask, client } = await peopledWorld({
    hasCode: async (chainId, address): Promise<boolean> =>
      asked.push(`${chainId}:${address}`) > 0 && address === unlisted,
  })
  const put = (change: object) => ask(path, { key: client, body: { ...body, ...change } })
  const [good, bad] = [{ targetTokenAddress: unlisted }, { targetTokenAddress: usdc.base }]
  for (const change of [{}, good, good, bad, bad, { targetTokenAddress: small(0) }]) await put(change)
  expect(asked).toEqual([`42161:${unlisted}`, `42161:${usdc.base}`, `42161:${usdc.base}`])
})

test('a recipient that is a contract only on another chain gets a notice, unless no chain is sure', async () => {
  const noticesOf = async (codeOn: (chainId: number, address: string) => Promise<boolean>, recipient?: string) => {
    const { ask, client } = await peopledWorld({ hasCode: codeOn })
    const first = await ask(path, { key: client, body: { ...body, userId: 'other' } })
    const targetAddress = recipient ?? first.json.depositAddress
    expect((await ask(path, { key: client, body: { ...body, targetAddress } })).status).toBe(201)
    const { json } = await ask('/api/users/user-1/deposit-address', { key: client })
    return json.notices.filter((notice: string) => notice.startsWith('The recipient'))
  }
  const on =
    (...chains: number[]) =>
    async (chainId: number, address: string) =>
      address !== target.targetAddress || chains.includes(chainId)
  const safe = target.targetAddress
  expect(await noticesOf(on(1), safe)).toEqual([
    'The recipient is a contract on Ethereum, but there is no contract at its address on Arbitrum. ' +
      'Make sure that its owner controls that address there before you send.',
  ])
  const failing = (chainId: number, address: string) =>
    address === safe && chainId !== 1 ? Promise.reject(new RoutingError('RPC_UNREACHABLE')) : Promise.resolve(true)
  const calm = [
    await noticesOf(on(), safe),
    await noticesOf(on(1, 42161), safe),
    await noticesOf(failing, safe),
    await noticesOf(async (chainId) => chainId === 1), // one of our deposit addresses
  ]
  expect(calm).toEqual([[], [], [], []])
})

test('a refund address that is a contract on some chains only gets a notice that names the others', async () => {
  const wallet = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
  const noticesOf = async (on: (chainId: number) => boolean | Promise<boolean>) => {
    const hasCode = async (chainId: number, address: string) => (address === wallet ? on(chainId) : true)
    const { ask, client } = await peopledWorld({ hasCode })
    expect((await ask(path, { key: client, body: { ...body, refundAddress: wallet } })).status).toBe(201)
    const { json } = await ask('/api/users/user-1/deposit-address', { key: client })
    return json.notices.filter((notice: string) => notice.startsWith('The refund address'))
  }
  expect(await noticesOf((chainId) => chainId === 1 || chainId === 8453)).toEqual([
    'The refund address is a contract on Base, but there is no contract at its address on Polygon, Arbitrum, and ' +
      'Avalanche. Make sure that its owner controls that address there before you send.',
  ])
  const away = (chainId: number) => chainId === 1 || Promise.reject(new RoutingError('RPC_UNREACHABLE'))
  expect(await Promise.all([() => true, () => false, away].map(noticesOf))).toEqual([[], [], []])
})

test('a notice about a refund address names a chain that did not respond, a minute after it responds again', async () => {
  const wallet = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
  let isAway = true
  const hasCode = async (chainId: number, address: string) => {
    if (address !== wallet || chainId === 1) return true
    if (chainId === 137 && isAway) throw new RoutingError('RPC_UNREACHABLE')
    return false
  }
  const { ask, client, clock } = await peopledWorld({ hasCode })
  await ask(path, { key: client, body: { ...body, refundAddress: wallet } })
  const namesPolygon = async () => {
    const { notices } = (await ask('/api/users/user-1/deposit-address', { key: client })).json
    return notices.find((notice: string) => notice.startsWith('The refund address')).includes('Polygon')
  }
  expect(await namesPolygon()).toBe(false)
  isAway = false
  clock.now += 61_000
  expect(await namesPolygon()).toBe(true)
})

test('a refund address that accepts no native coin on a chain gets a notice that names the chain', async () => {
  const wallet = '0x0Ed9A9e619b284AEd8F6e5Ab0A596EFD5c9F5cF9'
  const noticesOf = async (payable: ApiPorts['payable'], hasCode: ApiPorts['hasCode'] = async () => true) => {
    const { ask, client } = await peopledWorld({ payable, hasCode })
    expect((await ask(path, { key: client, body: { ...body, refundAddress: wallet } })).status).toBe(201)
    const { json } = await ask('/api/users/user-1/deposit-address', { key: client })
    return json.notices.filter((notice: string) => notice.startsWith('The refund address'))
  }
  const refusing: ApiPorts['payable'] = async ({ chainId, token, recipient }) =>
    recipient === wallet && token === small(0) && (chainId === 137 || chainId === 8453) ? 'REFUSED' : null
  expect(await noticesOf(refusing)).toEqual([
    'The refund address is a contract that does not accept the native coin of Base and Polygon. ' +
      'A deposit of that coin could not be refunded.',
  ])
  const away: ApiPorts['payable'] = () => Promise.reject(new RoutingError('RPC_UNREACHABLE'))
  expect(await noticesOf(away)).toEqual([])
  expect(await noticesOf(refusing, async (_, address) => address !== wallet)).toEqual([])
})
