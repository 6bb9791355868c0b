import { describe, expect, test } from 'bun:test'
import { chainIds } from '../../../src/domain/chain/chain'
import type { Address } from '../../../src/domain/chain/hex'
import type { DepositIntent } from '../../../src/domain/deposit/deposit-intent'
import { unsupportedOf, withCounted } from '../../../src/domain/deposit/unsupported'
import { type Execution, sweptDepositIdOf } from '../../../src/domain/execution/execution'
import { checksummed } from '../../../src/http/views/address-parameter'
import { addressOf, executionOf, hashOf, sightingOf } from '../../support/deposits'
import { stores } from '../../support/stores'
import { testAll } from '../../support/test-all'
import { peopledWorld, usdc } from '../world'
import { intent } from './shown-executions'

const accountOf = (n: number): Address => checksummed(addressOf(0xacc_000 + n))
const [sender, recipient, exchange] = [
  checksummed(addressOf(0x5e4d)),
  checksummed(addressOf(0x4ec1)),
  checksummed(addressOf(0xe8c4)),
]
const idOf = (n: number) => executionOf(n).id
const ended = { completedAt: 90, dueAt: null } as const

/** The n-th deposit of `org_a`, with its own user, account and route. All have the same sender and recipient. */
function execution(n: number, changed: Partial<Execution> = {}, facts: Execution['facts'] = {}): Execution {
  const whose = {
    organizationId: 'org_a',
    userId: `user-${n}`,
    createdAt: n,
    status: 'RUNNING',
    state: 'RUNNING',
  } as const
  const deposit = { account: accountOf(n), token: usdc.base, fromAddress: sender, detectedAt: n }
  const routed = { intent: { ...intent, targetAddress: recipient }, routeId: hashOf(0x4000 + n), ...facts }
  return executionOf(n, { ...whose, facts: routed, ...changed }, deposit)
}
const unshown = { status: null, createdAt: null, state: 'finding route' } as const
const waiting = (reason: 'PAUSE' | 'INTENT') => ({ waiting: { for: reason, since: 1 } })
const sent = (n: number) => ({ hash: hashOf(n), nonce: 1, sender: 'key', at: 1 })
const spent = { block: 1, amountRaw: '1', at: 1 }
const delivery = { chainId: 42161, token: usdc.arbitrum, amountRaw: '1', block: 1 } as const
const swept = sweptDepositIdOf(8453, accountOf(9), usdc.base, 1)

const records: Execution[] = [
  execution(3, { ...unshown }, waiting('PAUSE')),
  execution(4, {}, { transactions: [sent(0x5004)], dropped: [{ ...sent(0x6004), until: 1 } as never] }),
  execution(
    5,
    { ...ended, status: 'SUCCESS', state: 'SUCCESS' },
    { spent: { hash: hashOf(0x5005), ...spent }, delivery: { hash: hashOf(0x7005), ...delivery } },
  ),
  execution(6, { ...ended, status: 'DEAD_LETTER', state: 'DEAD_LETTER', continuedBy: idOf(7) }),
  execution(7, { refundOf: idOf(6), userId: 'user-6' }),
  execution(8, { ...ended, status: 'DEAD_LETTER', state: 'DEAD_LETTER', redrivenBy: `${idOf(8)}:r1` }),
  {
    ...execution(8, { redriveOf: idOf(8) }, { routeId: hashOf(0x4108), transactions: [sent(0x5108)] }),
    id: `${idOf(8)}:r1`,
  },
  {
    ...execution(9, { userId: 'user-9' }),
    id: swept,
    deposit: {
      ...execution(9).deposit,
      txHash: null,
      logIndex: null,
      fromAddress: null,
      senders: [exchange, sender],
    },
  },
]
const intentOf = (n: number): DepositIntent => ({
  id: accountOf(n),
  version: 0,
  organizationId: 'org_a',
  userId: `user-${n}`,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: usdc.arbitrum,
  targetAddress: recipient,
  protocolFeeBps: 0,
  sponsoredGas: false,
  refundAddress: null,
  createdAt: 1,
  updatedAt: 1,
})

/** Search terms of each deposit stage: its hash, account and user, then everything else that belongs to it. */
const stages: [stage: string, n: number, executions: string[], also: [what: string, text: string][]][] = [
  ['CONFIRMING', 1, [], []],
  ['ORPHANED', 2, [], []],
  ['PAUSED', 3, [], []],
  [
    'ROUTED',
    4,
    [idOf(4)],
    [
      ['source transaction', hashOf(0x5004)],
      ['dropped transaction', hashOf(0x6004)],
      ['route', hashOf(0x4004)],
    ],
  ],
  [
    'ROUTED',
    5,
    [idOf(5)],
    [
      ['source transaction', hashOf(0x5005)],
      ['delivery', hashOf(0x7005)],
      ['route', hashOf(0x4005)],
    ],
  ],
  ['RETURNED', 7, [idOf(7)], [['route', hashOf(0x4007)]]],
  [
    'ROUTED',
    8,
    [`${idOf(8)}:r1`],
    [
      ['source transaction of the re-drive', hashOf(0x5108)],
      ['route of the re-drive', hashOf(0x4108)],
    ],
  ],
]

describe.each(stores)('search %s', (_name, open) => {
  const peopled = async () => {
    const { store } = await open()
    const { executionQueries, depositQueries, accounts, scanCursors } = store
    const world = await peopledWorld({ executionQueries, depositQueries, accounts, scanCursors })
    for (const record of records) await store.executions.save(record)
    for (const [n, stage] of [
      [1, 'CONFIRMING'],
      [2, 'ORPHANED'],
    ] as const) {
      const whose = { organizationId: 'org_a', userId: `user-${n}`, account: accountOf(n), token: usdc.base }
      await store.sightings.save(sightingOf(n, { ...whose, fromAddress: sender, detectedAt: n, stage }))
    }
    for (let n = 1; n <= 10; n++) {
      const whose = { organizationId: 'org_a', userId: `user-${n}`, accountSalt: hashOf(n) }
      const times = { createdAt: n, updatedAt: n }
      await store.accounts.save({
        id: accountOf(n),
        version: 0,
        ...whose,
        canonicalChainId: 8453,
        label: null,
        ...times,
      })
      await store.intents.save(intentOf(n))
    }
    const of = async (q: string, key = world.client, prefix = '&limit=50') => {
      const { status, json } = await world.ask(`/api/search?q=${encodeURIComponent(q)}${prefix}`, { key })
      if (status !== 200) return { status, kind: json.message, deposits: [], executions: [], users: [] }
      const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)
      const users = json.users.map(({ userId }: { userId: string }) => userId)
      return { ...json, status, deposits: ids(json.deposits), executions: ids(json.executions), users }
    }
    return { ...world, store, of }
  }

  test('each stage of a deposit is found by every term that people have', async () => {
    const { of, ask, client } = await peopled()
    for (const [stage, n, executions, also] of stages) {
      const { json } = await ask(`/api/deposits/${idOf(n)}`, { key: client })
      expect([n, json.stage]).toEqual([n, stage])
      const byHash = [hashOf(n), hashOf(n).toUpperCase().replace('0X', '0x'), `https://basescan.org/tx/${hashOf(n)}`]
      for (const q of [
        ...byHash,
        `  ${hashOf(n)}\n`,
        idOf(n),
        `https://x.test/app/org/deposits/${encodeURIComponent(idOf(n))}`,
      ]) {
        const found = await of(q)
        expect([q, found.deposits]).toEqual([q, [idOf(n)]])
        expect([q, found.executions]).toEqual([q, expect.arrayContaining(executions)])
      }
      for (const q of [
        accountOf(n),
        accountOf(n).toLowerCase(),
        `https://polygonscan.com/address/${accountOf(n)}#tokentxns`,
      ]) {
        const found = await of(q)
        expect([q, found.deposits, found.users]).toEqual([q, [idOf(n)], [`user-${n}`]])
        expect(found.executions).toEqual(executions)
      }
      for (const [what, q] of also) expect([what, (await of(q)).executions]).toEqual([what, executions])
    }
  })

  test('a sender or recipient finds all its deposits, from the first sighting on', async () => {
    const { of, ask, client } = await peopled()
    const all = [swept, ...[8, 7, 6, 5, 4, 3, 2, 1].map(idOf)]
    expect((await of(sender)).deposits).toEqual(all)
    expect((await of(recipient)).deposits).toEqual(all)
    expect((await of(exchange)).deposits).toEqual([swept])
    expect((await of(swept)).deposits).toEqual([swept])
    const { json } = await ask(`/api/deposits?fromAddress=${exchange}`, { key: client })
    expect(json.map(({ id }: { id: string }) => id)).toEqual([swept])
  })

  test('a user is found by its id or a prefix, even before its first deposit', async () => {
    const { of } = await peopled()
    expect(await of('user-6')).toMatchObject({ kind: 'USER', users: ['user-6'], deposits: [idOf(7), idOf(6)] })
    expect(await of('user-10')).toMatchObject({ users: ['user-10'], deposits: [], executions: [] })
    expect((await of('user-1')).users).toEqual(['user-1', 'user-10'])
    expect((await of('user')).users).toHaveLength(5)
    expect((await of('USER')).users).toHaveLength(5)
    expect(await of(accountOf(10))).toMatchObject({ kind: 'ADDRESS', users: ['user-10'] })
  })

  test('a user that is stored in lower case is found in capitals, as a whole and by its beginning', async () => {
    const { of, ask, stranger } = await peopled()
    expect((await of('6')).users).toEqual(['user-6'])
    expect(await of('USER-6')).toMatchObject({ users: ['user-6'], deposits: [idOf(7), idOf(6)] })
    expect((await of('User-1')).users).toEqual(['user-1', 'user-10'])
    expect((await ask('/api/search?q=USER-6', { key: stranger })).json.users).toEqual([])
  })

  test('a user is found by any word of its id in any case, after those that begin with the text', async () => {
    const { of, store, ask, stranger } = await peopled()
    const whose = {
      organizationId: 'org_a',
      canonicalChainId: 8453,
      label: null,
      createdAt: 1,
      updatedAt: 1,
      version: 0,
    } as const
    for (const [n, userId] of ['Dash-Customer@Example.com', 'customer'].entries())
      await store.accounts.save({ ...whose, id: accountOf(50 + n), accountSalt: hashOf(50 + n), userId })
    expect((await of('dash-customer@example.COM')).users).toEqual(['Dash-Customer@Example.com'])
    expect((await of('customer@example')).users).toEqual(['Dash-Customer@Example.com'])
    expect((await of('CUSTOMER')).users).toEqual(['customer', 'Dash-Customer@Example.com'])
    expect((await of('ustomer')).users).toEqual([])
    expect((await ask('/api/search?q=customer', { key: stranger })).json.users).toEqual([])
  })

  test('an execution is found by its exact amount, with or without the token, while open and after its end', async () => {
    const { of, store, ask, stranger } = await peopled()
    const paying = (n: number, amountRaw: string, changed: Partial<Execution> = {}) => {
      const record = execution(n, changed)
      return { ...record, deposit: { ...record.deposit, amountRaw } }
    }
    await store.executions.save(paying(60, '1500000000'))
    await store.executions.save(paying(61, '1500000000', { ...ended, status: 'SUCCESS', state: 'SUCCESS' }))
    await store.executions.save(paying(62, '1500000', { ...ended, status: 'SUCCESS', state: 'SUCCESS' }))
    for (const q of ['1500', '1500.0', '1500 USDC', ' 1500 usdc '])
      expect([q, (await of(q)).executions]).toEqual([q, [idOf(61), idOf(60)]])
    expect((await of('1,5')).executions).toEqual([idOf(62)])
    expect((await of('1,500')).executions).toEqual([idOf(62), idOf(61), idOf(60)])
    expect((await of('1500 DAI')).executions).toEqual([])
    expect((await ask('/api/search?q=1500', { key: stranger })).json.executions).toEqual([])
  })

  test('a deposit that is not routed is found by its amount, from the first sighting on', async () => {
    const { of, store, ask, stranger } = await peopled()
    const record = execution(63, unshown, waiting('INTENT'))
    await store.executions.save({ ...record, deposit: { ...record.deposit, amountRaw: '1500000000' } })
    const whose = { organizationId: 'org_a', userId: 'user-1', account: accountOf(1), token: usdc.base }
    await store.sightings.save(sightingOf(64, { ...whose, amountRaw: '1500000000', detectedAt: 64 }))
    await store.sightings.save(sightingOf(65, { ...whose, amountRaw: '1500000', detectedAt: 65 }))
    const dropped = { ...whose, amountRaw: '1500000000', detectedAt: 66, stage: 'ORPHANED' } as const
    await store.sightings.save(sightingOf(66, dropped))
    for (const q of ['1500', '1500 usdc'])
      expect([q, (await of(q)).deposits, (await of(q)).executions]).toEqual([q, [66, 64, 63].map(idOf), []])
    expect((await of('1500 USDT')).deposits).toEqual([])
    expect((await ask('/api/search?q=1500', { key: stranger })).json.deposits).toEqual([])
  })

  test('an execution is found by the shortened hash of any of its transactions, as pages show it', async () => {
    const { of, store, ask, stranger } = await peopled()
    const hash = `0xabcdef12${'0'.repeat(52)}9f31` as const
    const other = `0xabcdef12${'0'.repeat(52)}0001` as const
    const paidBy = (n: number, txHash: `0x${string}`, changed: Partial<Execution> = {}) => {
      const record = execution(n, changed, { transactions: [sent(0x7005)] })
      return { ...record, deposit: { ...record.deposit, txHash } }
    }
    await store.executions.save(paidBy(70, hash))
    await store.executions.save(paidBy(71, other, { ...ended, status: 'SUCCESS', state: 'SUCCESS' }))
    for (const q of ['0xabcdef12', '0xABCDEF', '8453:0xabcdef12', '0xabcdef12…'])
      expect([q, (await of(q)).executions]).toEqual([q, [idOf(71), idOf(70)]])
    for (const q of ['0xabcdef12…9f31', '8453:0xabcdef…9f31:0', '0xabcdef..9f31', hash.slice(0, -1)])
      expect([q, (await of(q)).executions]).toEqual([q, [idOf(70)]])
    // Both ends are of one hash, and fewer digits would match too many.
    expect((await of('0xabcdef12…7005')).executions).toEqual([])
    expect((await of('0xabcde')).executions).toEqual([])
    expect((await ask('/api/search?q=0xabcdef12', { key: stranger })).json.executions).toEqual([])
  })

  test('a deposit that is not routed is found by its shortened hash, from the first sighting on', async () => {
    const { of, store, ask, stranger } = await peopled()
    const whose = { organizationId: 'org_a', userId: 'user-1', account: accountOf(1), token: usdc.base }
    const hash = (n: number) => `0xabcdef12${'0'.repeat(52)}00${n}` as const
    const waits = execution(80, unshown, waiting('INTENT'))
    await store.executions.save({ ...waits, deposit: { ...waits.deposit, txHash: hash(80) } })
    await store.sightings.save(sightingOf(81, { ...whose, txHash: hash(81), detectedAt: 81 }))
    await store.sightings.save(sightingOf(82, { ...whose, txHash: hash(82), detectedAt: 82, stage: 'ORPHANED' }))
    for (const q of ['0xabcdef12', '0xABCDEF…'])
      expect([q, (await of(q)).deposits, (await of(q)).executions]).toEqual([q, [82, 81, 80].map(idOf), []])
    for (const n of [80, 81, 82]) expect((await of(`8453:0xabcdef12…00${n}:0`)).deposits).toEqual([idOf(n)])
    expect((await of('0xabcdef12…9999')).deposits).toEqual([])
    expect((await ask('/api/search?q=0xabcdef12', { key: stranger })).json.deposits).toEqual([])
  })

  test('a deposit of a token on no list is found by its shortened hash, whose ends are of one transfer', async () => {
    const { of, store, ask, stranger } = await peopled()
    const whose = { organizationId: 'org_a', userId: 'user-1', account: accountOf(1), chainId: 8453 as const }
    const hash = (n: number) => `0xabcdef1${n}${'0'.repeat(52)}000${n}` as const
    const transfer = { logIndex: 0, fromAddress: sender, amountRaw: '5' }
    const transfers = [1, 2].map((n) => ({ ...transfer, txHash: hash(n), block: n }))
    const token = checksummed(addressOf(0xbad))
    const record = withCounted(unsupportedOf({ ...whose, token }, false, 90), transfers, 30, -1)
    await store.unsupported.save(record)
    for (const q of ['0xabcdef11', '0xABCDEF…', '0xabcdef11…0001', hash(1)])
      expect([q, (await of(q)).deposits]).toEqual([q, [record.id]])
    expect((await of('0xabcdef11…0002')).deposits).toEqual([])
    expect((await ask('/api/search?q=0xabcdef11', { key: stranger })).json.deposits).toEqual([])
  })

  test('a recipient is found before its first deposit, by the users whose intents name it', async () => {
    const { of, store, ask, stranger } = await peopled()
    const named = checksummed(addressOf(0xda3ed))
    const intent = (await store.intents.load(accountOf(10)))!
    await store.intents.save({ ...intent, targetAddress: named })
    expect(await of(named)).toMatchObject({ users: ['user-10'], deposits: [], executions: [] })
    expect((await of(recipient)).users).toHaveLength(5)
    expect((await ask(`/api/search?q=${named}`, { key: stranger })).json.users).toEqual([])
  })

  test('a user whose id looks like a hash or an address is found by it', async () => {
    const { of, store } = await peopled()
    for (const [n, userId] of [hashOf(0xabc), addressOf(0xabc), idOf(77), 'https://basescan.org/'].entries()) {
      await store.executions.save({ ...execution(20 + n), userId })
      expect((await of(userId)).deposits).toEqual([idOf(20 + n)])
    }
  })

  test('another organization learns nothing, not even existence, and the platform sees the owner', async () => {
    const { of, ask, stranger, platform } = await peopled()
    const having = [hashOf(1), hashOf(4), hashOf(0x5004), hashOf(0x4004), accountOf(4), sender, recipient]
    for (const q of [...having, idOf(1), idOf(4), swept, 'user-4', 'user']) {
      const [theirs, unknown] = [
        await of(q, stranger),
        await of(q.replaceAll(/[0-9a-f]{5}$|ser.*/gi, '99999'), stranger),
      ]
      expect({ ...theirs, text: '' }).toEqual({ ...unknown, text: '', kind: theirs.kind })
      expect([theirs.users, theirs.deposits, theirs.executions]).toEqual([[], [], []])
    }
    const { json } = await ask(`/api/search?q=${accountOf(4)}`, { key: platform })
    for (const row of [...json.users, ...json.deposits, ...json.executions]) expect(row.organizationId).toBe('org_a')
    expect(json.users).toHaveLength(1)
    expect((await of('user-4', platform)).deposits).toEqual([idOf(4)])
  })

  test('an unseen transaction is answered with how far each chain was read', async () => {
    const { of, store } = await peopled()
    const cursor = { id: 'base', version: 0, scannedBlock: 77, scannedBlockHash: hashOf(1), updatedAt: 1 }
    await store.scanCursors.save(cursor)
    const { checked, kind, chainId } = await of(`https://arbiscan.io/tx/${hashOf(0xdead)}`)
    expect([kind, chainId]).toEqual(['HASH', 42161])
    expect(checked).toHaveLength(chainIds.length)
    expect(checked[0]).toEqual({ chainId: 8453, chainKey: 'base', scannedBlock: 77 })
    expect(checked[1].scannedBlock).toBeNull()
    expect((await of(usdc.arbitrum)).tokenSymbol).toBe('USDC')
    expect((await of(accountOf(99))).tokenSymbol).toBeNull()
  })

  testAll([
    ['.*', 200],
    ['^user', 200],
    ['$where', 200],
    ['{"$gt":""}', 200],
    ['user-[0-9]', 200],
    ['%00', 200],
    ['\u0000user', 200],
    ['0x', 200],
    [`0x${'0'.repeat(63)}g`, 200],
    [`${hashOf(4)}0`, 200],
    ['8453:', 200],
    ['99999999999999999999:0x1:1', 200],
    ['https://', 200],
    ['https://basescan.org/tx/%', 200],
    ['javascript:alert(1)', 200],
    ['x'.repeat(1_024), 200],
    ['x'.repeat(1_025), 400],
    ['', 400],
    ['   ', 400],
  ])('pattern characters are searched literally or refused', async (q, status) => {
    const { of, bugs } = await peopled()
    const found = await of(q)
    expect([found.status, found.deposits, found.executions, found.users]).toEqual([status, [], [], []])
    expect(bugs).toEqual([])
  })

  test('a misspelt or repeated parameter is refused', async () => {
    const { ask, client } = await peopled()
    for (const query of ['', '?query=x', '?q=x&q=y', '?q=x&limit=0', '?q=x&tenant=org_b', '?q[$gt]=x'])
      expect([query, (await ask(`/api/search${query}`, { key: client })).status]).toEqual([query, 400])
  })
})
