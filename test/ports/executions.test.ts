import { describe, expect, test } from 'bun:test'
import type { Hash } from '../../src/domain/chain/hex'
import type { Execution, RelayerTransaction } from '../../src/domain/execution/execution'
import { arrivedRawOf } from '../../src/domain/money/amount'
import { addressOf, depositOf, executionOf, hashOf } from '../support/deposits'
import { engineStores } from '../support/stores'

const sent = (n: number): RelayerTransaction => ({ hash: hashOf(n), nonce: n, sender: 'key', at: 1 })
const spentAt = (block: number, amountRaw = '1000') => ({ hash: hashOf(900), block, amountRaw, at: 1 })
const intent = {
  version: 1,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: addressOf(0x71),
  targetAddress: addressOf(0x1d),
  protocolFeeBps: 50,
  sponsoredGas: false,
} as const
const { lane } = depositOf(1)

describe.each(engineStores)('executions %s', (_name, open) => {
  const opened = async (...records: Execution[]) => {
    const { store } = await open()
    for (const record of records) expect(await store.executions.save(record)).not.toBeNull()
    return store.executions
  }
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)
  const [first, second, third, fourth] = [1, 2, 3, 4].map((n) => executionOf(n).id) as [string, string, string, string]

  test('a stored record is read back unchanged, without undefined fields', async () => {
    const record = executionOf(1, { facts: { intent, waiting: undefined as never, fees: undefined as never } })
    const executions = await opened(record)
    const { waiting: _, fees: __, ...facts } = record.facts
    expect(await executions.load(first)).toEqual({ ...record, facts, version: 1 })
    expect(await executions.loadMany([first, second])).toHaveLength(1)
  })

  test('an ended execution stays ended, and the attempt to change it is not a lost race', async () => {
    const ended = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: 9 } as const
    const again = { state: 'PENDING', status: 'PENDING', dueAt: 1, completedAt: null } as const
    const executions = await opened(executionOf(1, ended))
    const stored = (await executions.load(first))!
    expect(executions.save({ ...stored, ...again })).rejects.toThrow('must not change')
    expect(await executions.load(first)).toEqual(stored)
    expect(await executions.save({ ...stored, redrivenBy: 'x' })).not.toBeNull()
  })

  test('an execution begun in this process is returned once in its first version, unless it changed', async () => {
    const executions = await opened(executionOf(1), executionOf(2))
    expect(executions.begun(first)).toEqual({ ...executionOf(1), version: 1 })
    expect(executions.begun(first)).toBeNull()
    await executions.save({ ...(await executions.load(second))!, dueAt: 7 })
    expect([executions.begun(second), executions.begun(third)]).toEqual([null, null])
  })

  test('a withdrawn fact is removed', async () => {
    const executions = await opened(executionOf(1, { facts: { intent, transactions: [sent(7)] } }))
    await executions.save({ ...(await executions.load(first))!, facts: { intent } })
    expect((await executions.load(first))!.facts).toEqual({ intent })
  })

  test('due executions are listed oldest first, and only those that became due since', async () => {
    const due = (n: number, dueAt: number | null) =>
      executionOf(n, { dueAt, completedAt: dueAt === null ? 9 : null, bucket: n })
    const executions = await opened(due(1, 30), due(2, 10), due(3, null), due(4, 50))
    expect(await executions.due(30, -1, 10)).toEqual([
      { id: second, version: 1, dueAt: 10, bucket: 2 },
      { id: first, version: 1, dueAt: 30, bucket: 1 },
    ])
    expect(idsOf(await executions.due(99, 10, 1))).toEqual([first])
    expect(idsOf(await executions.due(9, -1, 10))).toEqual([])
  })

  test('money counts as sent out while a bridge of that chain holds it, or reports it as refunded', async () => {
    const route = { kind: 'BRIDGE' } as NonNullable<Execution['facts']['route']>
    const cause = { code: 'FUNDS_RETURNED', category: null, message: '', at: 1 } as const
    const order = {} as NonNullable<Execution['facts']['order']>
    const out = { state: 'RUNNING', facts: { route, order } } as const
    const executions = await opened(
      executionOf(1, out),
      executionOf(2, { ...out, state: 'DEAD_LETTER', cause }, { detectedAt: 7 }),
      executionOf(3, { ...out, state: 'SUCCESS' }),
      executionOf(4, { ...out, facts: { route } }),
      executionOf(5, { ...out, facts: { order, route: { ...route, kind: 'SWAP' } } }),
      executionOf(6, out, { account: addressOf(0x99) }),
      executionOf(7, { ...out, state: 'DEAD_LETTER' }),
    )
    expect(idsOf(await executions.sentFrom(depositOf(1).account, 8453))).toEqual([second, first])
    expect(await executions.sentFrom(depositOf(1).account, 1)).toEqual([])
    const asked = [depositOf(1).account, addressOf(0x99), addressOf(0x98), depositOf(1).account]
    const sent = await Promise.all(asked.map((account) => executions.sentFrom(account, 8453)))
    expect(sent.map(idsOf)).toEqual([[second, first], [executionOf(6).id], [], [second, first]])
    const elsewhere = [executions.sentFrom(asked[0]!, 1), executions.sentFrom(asked[0]!, 8453)]
    expect((await Promise.all(elsewhere)).map(idsOf)).toEqual([[], [second, first]])
  })

  test('executions that lead to a lane are found while running, by their delivery’s transaction, or newest first', async () => {
    const leading = { intent, leadsTo: lane }
    const ended = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null } as const
    const delivery = (n: number) =>
      ({ hash: hashOf(n), chainId: 8453, token: addressOf(0x71), amountRaw: '9', block: 5 }) as const
    const executions = await opened(
      executionOf(1, { facts: leading }),
      executionOf(2, { ...ended, completedAt: 7, facts: { ...leading, delivery: delivery(501) } }),
      executionOf(3, { ...ended, completedAt: 8, facts: { ...leading, delivery: delivery(502) } }),
      executionOf(4, { facts: { intent, delivery: delivery(501) } }),
    )
    const found = async (lane: string, hash: Hash | null) => idsOf(await executions.leadingTo(lane, hash))
    expect((await found(lane, hashOf(501))).toSorted()).toEqual([first, second])
    expect(await found(lane, hashOf(503))).toEqual([first])
    expect((await found(lane, null)).toSorted()).toEqual([first, second, third])
    expect(await found(depositOf(1, { token: addressOf(0x99) }).lane, hashOf(501))).toEqual([])
  })

  test('lanes that are looked up together each get their own payers, however many pay one of them', async () => {
    const other = depositOf(1, { token: addressOf(0x99) }).lane
    const busy = Array.from({ length: 210 }, (_, n) => executionOf(1_000 + n, { facts: { intent, leadsTo: lane } }))
    const executions = await opened(...busy, executionOf(1, { facts: { intent, leadsTo: other } }))
    const lanes = [lane, other, depositOf(1, { token: addressOf(0x98) }).lane]
    const found = await Promise.all(lanes.map((one) => executions.leadingTo(one, hashOf(501))))
    expect(found[0]!.length).toBeGreaterThan(0)
    expect(found.slice(1).map(idsOf)).toEqual([[first], []])
  })

  test('a deposit is unspent while its money can still leave, or is held back', async () => {
    const executions = await opened(
      executionOf(1),
      executionOf(2, { facts: { spent: spentAt(5) } }),
      executionOf(3, { state: 'DEAD_LETTER', status: 'DEAD_LETTER' }),
      executionOf(4, { state: 'TOKEN_BLACKLISTED', status: 'TOKEN_BLACKLISTED' }),
      executionOf(5, {}, { token: addressOf(0x99) }),
      executionOf(6, { state: 'TOKEN_BLACKLISTED', status: 'TOKEN_BLACKLISTED', redrivenBy: `${first}:r1` }),
    )
    expect(idsOf(await executions.unspentIn(lane)).toSorted()).toEqual([first, fourth])
  })

  test('money held back is skipped once, also if a re-drive stopped before it was noted', async () => {
    const kept = { state: 'TOKEN_BLACKLISTED', status: 'TOKEN_BLACKLISTED' } as const
    const again = { ...executionOf(2), id: `${first}:r1`, redriveOf: first }
    const executions = await opened(executionOf(1, kept), again)
    expect(idsOf(await executions.unspentIn(lane))).toEqual([again.id])
    await executions.save({ ...(await executions.load(again.id))!, facts: { spent: spentAt(5) } })
    expect(await executions.unspentIn(lane)).toEqual([])
  })

  test('executions waiting for a lane are listed longest wait first, for that lane only, up to the limit', async () => {
    const facts = { waiting: { for: 'LANE', since: 0 } } as const
    const elsewhere = { account: addressOf(0xad) }
    const executions = await opened(
      executionOf(1, { facts }, { detectedAt: 20 }),
      executionOf(2, { facts }, { detectedAt: 10 }),
      executionOf(3, { facts }, { detectedAt: 30 }),
      executionOf(4, {}, { detectedAt: 1 }),
      executionOf(5, { facts, dueAt: null, completedAt: 9, state: 'DEAD_LETTER' }, { detectedAt: 2 }),
      executionOf(6, { facts }, { ...elsewhere, detectedAt: 3 }),
    )
    const [here, there] = await Promise.all([
      executions.waitingForLane(lane, 2),
      executions.waitingForLane(depositOf(6, elsewhere).lane, 2),
    ])
    expect(idsOf(here)).toEqual([second, first])
    expect(idsOf(there)).toEqual([executionOf(6).id])
  })

  test('the deposits that a provider failed for are those of its pair of tokens, the next attempt first', async () => {
    const cause = { code: 'PROVIDER_FAILED', category: 'PROVIDER_5XX', message: '', at: 1 } as const
    const failing = { facts: { intent }, state: 'FAILED', status: 'FAILED', cause } as const
    const later = Date.now() + 3_600_000
    const executions = await opened(
      executionOf(1, { ...failing, dueAt: later + 2 }),
      executionOf(2, { ...failing, dueAt: later + 1 }),
      executionOf(3, { ...failing, dueAt: later, cause: { ...cause, code: 'RPC_FAILED' } }),
      executionOf(4, { facts: { intent }, dueAt: later }),
      executionOf(5, { ...failing, dueAt: later }, { token: addressOf(0xad) }),
    )
    const { chainId: fromChainId, token: fromToken } = depositOf(1)
    const route = { fromChainId, fromToken, toChainId: intent.targetChainId, toToken: intent.targetTokenAddress }
    expect(idsOf(await executions.failedBetween(route, 5))).toEqual([second, first])
    expect(idsOf(await executions.failedBetween(route, 1))).toEqual([second])
    expect(await executions.failedBetween({ ...route, toToken: fromToken }, 5)).toEqual([])
  })

  test('an account’s deposits without an intent are listed oldest first', async () => {
    const executions = await opened(
      executionOf(1, {}, { detectedAt: 20 }),
      executionOf(2, {}, { detectedAt: 10 }),
      executionOf(3, { facts: { intent } }),
      executionOf(4, { dueAt: null, completedAt: 9, state: 'DEAD_LETTER' }),
      executionOf(5, {}, { account: addressOf(0xad) }),
    )
    expect(idsOf(await executions.waitingForIntent(depositOf(1).account))).toEqual([second, first])
  })

  test('a quota key’s count is the number of records that carry it', async () => {
    const carrying = (n: number, quotaKey: string) => executionOf(n, { facts: { quotaKey } })
    const executions = await opened(
      carrying(1, 'org_1:2026-11'),
      carrying(2, 'org_1:2026-11'),
      carrying(3, 'org_2:2026-11'),
    )
    expect(await executions.countQuota('org_1:2026-11')).toBe(2)
    expect(await executions.countQuota('org_3:2026-11')).toBe(0)
  })

  test('a lane’s ledger shows the amounts that arrived, left and were found by each block', async () => {
    const swept = { txHash: null, logIndex: null, amountRaw: '7' }
    const executions = await opened(
      executionOf(1, { facts: { spent: spentAt(12) } }, { block: 10 }),
      executionOf(2, { state: 'DEAD_LETTER' }, { ...swept, block: 11 }),
      {
        ...executionOf(2, { redriveOf: second, facts: { spent: spentAt(20, '7') } }, { ...swept, block: 11 }),
        id: `${second}:r1`,
      },
      executionOf(3, {}, { block: 13 }),
      executionOf(4, {}, { block: 10, token: addressOf(0x99) }),
      executionOf(5, { state: 'FAILED_NO_FUNDS' }, { block: 10 }), // no money was there, so it brought nothing
    )
    const book = { broughtRaw: 1_007n, spentRaw: 0n, spends: [], finds: 1, lastBlock: 11 }
    const spends = [{ block: 12, amountRaw: 1_000n }]
    // The account is empty, but a re-drive is newer.
    expect(await executions.ledgerOf(lane, 9)).toEqual({
      broughtRaw: 0n,
      spentRaw: 0n,
      spends: [],
      finds: 0,
      lastBlock: 11,
    })
    expect(await executions.ledgerOf(lane, 11)).toEqual(book)
    expect(await executions.ledgerOf(lane, 12)).toEqual({ ...book, spentRaw: 1_000n, spends, lastBlock: 12 })
    expect(await executions.ledgerOf(lane, 20)).toEqual({
      broughtRaw: 2_007n,
      spentRaw: 1_007n,
      finds: 1,
      lastBlock: 20,
      spends: [...spends, { block: 20, amountRaw: 7n }],
    })
  })

  test('a lane counts the amount that arrived once it is verified, if rounding left less than was sent', async () => {
    const said = { amountRaw: '25000000' }
    const balance = { totalReceivedRaw: '24999998', block: 9 }
    const executions = await opened(
      executionOf(1, { facts: { balance } }, said),
      executionOf(2, { state: 'DEAD_LETTER', facts: { balance } }, said),
    )
    expect((await executions.unspentIn(lane)).map(arrivedRawOf)).toEqual([24_999_998n])
    expect((await executions.residueIn(lane)).map(arrivedRawOf)).toEqual([24_999_998n])
    expect(await executions.ledgerOf(lane, 9)).toMatchObject({ broughtRaw: 49_999_996n })
  })

  test('a re-drive counts its measured amount if its first deposit brought none, and its chain of re-drives counts once', async () => {
    const again = (n: number, state = 'DEAD_LETTER'): Execution => ({
      ...executionOf(1, { state, redriveOf: n === 1 ? first : `${first}:r${n - 1}` }, { amountRaw: '600' }),
      id: `${first}:r${n}`,
    })
    const executions = await opened(executionOf(1, { state: 'FAILED_NO_FUNDS' }), again(1), again(2))
    expect(await executions.ledgerOf(lane, 9)).toMatchObject({ broughtRaw: 600n })
    await executions.save(executionOf(2, { state: 'DEAD_LETTER' }))
    await executions.save({ ...again(1), id: `${second}:r1`, redriveOf: second })
    expect(await executions.ledgerOf(lane, 9)).toMatchObject({ broughtRaw: 1_600n })
  })

  test('the reserved sum and the ledger include each record once while all are written concurrently', async () => {
    const count = 300
    const { store } = await open()
    const all = Array.from({ length: count }, (_, n) => executionOf(n, {}, { block: 1 }))
    let stored = await Promise.all(all.map(async (record) => (await store.executions.save(record))!))
    for (let round = 0; round < 6; round++) {
      const writing = stored.map(async (record) => (await store.executions.save(record))!)
      const [unspent, book] = await Promise.all([store.executions.unspentIn(lane), store.executions.ledgerOf(lane, 9)])
      stored = await Promise.all(writing)
      expect(unspent).toHaveLength(count)
      expect(new Set(idsOf(unspent)).size).toBe(count)
      expect(book!.broughtRaw).toBe(1_000n * BigInt(count))
    }
  })

  test('the longest waiting executions of each lane are listed first in a large crowd', async () => {
    const facts = { waiting: { for: 'LANE', since: 0 } } as const
    const crowd = Array.from({ length: 600 }, (_, n) => executionOf(n, { facts }, { detectedAt: 10_000 - n }))
    const elsewhere = { account: addressOf(0xad) }
    const { store } = await open()
    await Promise.all([...crowd, executionOf(900, { facts }, elsewhere)].map((record) => store.executions.save(record)))
    const lanes = [lane, depositOf(900, elsewhere).lane]
    const asked = await Promise.all(lanes.map((one) => store.executions.waitingForLane(one, 2)))
    expect(asked.map(idsOf)).toEqual([[executionOf(599).id, executionOf(598).id], [executionOf(900).id]])
  })

  test('two records cannot share a route: that is a bug, and the other records are stored', async () => {
    const executions = await opened(executionOf(1), executionOf(2), executionOf(3))
    const read = (await executions.loadMany([first, second, third])).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const routed = read.map((record, n) => ({ ...record, facts: { routeId: hashOf(n === 1 ? 0 : n) } }))
    const saved = await Promise.allSettled(routed.map((record) => executions.save(record)))
    expect(saved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected'])
  })

  test('an ended deposit whose money stays in the account is the lane’s leftover until another one includes it', async () => {
    const { store } = await open()
    const ended = (
      n: number,
      state: 'DEAD_LETTER' | 'SUCCESS' | 'TOKEN_BLACKLISTED',
      changed: Partial<Execution> = {},
    ) => executionOf(n, { state, status: state, completedAt: n, dueAt: null, ...changed })
    const spent = { hash: hashOf(9), block: 1, amountRaw: '1', at: 1 }
    const cause = { code: 'PASSED_ON_TOO_OFTEN', category: null, message: '', at: 1 } as const
    const first = ended(1, 'DEAD_LETTER', { cause })
    first.deposit.senders = [addressOf(7)]
    for (const record of [
      first,
      ended(2, 'DEAD_LETTER', { takenBy: first.id }),
      ended(3, 'DEAD_LETTER', { facts: { spent } }),
      ended(4, 'SUCCESS'),
      ended(5, 'TOKEN_BLACKLISTED'),
      executionOf(6),
      { ...ended(7, 'DEAD_LETTER', { redriveOf: executionOf(8).id }), id: `${executionOf(8).id}:r1` },
    ])
      await store.executions.save(record)
    const found = await store.executions.residueIn(first.deposit.lane)
    expect(found.map(({ id }) => id).toSorted()).toEqual([first.id, `${executionOf(8).id}:r1`].toSorted())
    // The security list is checked for every payer.
    const { chainId, fromAddress, senders } = first.deposit
    const paid = { refundOf: null, deposit: { chainId, fromAddress, senders }, cause: { code: cause.code } }
    expect(found.find(({ id }) => id === first.id)).toMatchObject(paid)
    const stored = (await store.executions.load(first.id))!
    expect(await store.executions.save({ ...stored, takenBy: executionOf(6).id })).toMatchObject({
      takenBy: executionOf(6).id,
    })
    expect(await store.executions.residueIn(first.deposit.lane)).toHaveLength(1)
  })
})
