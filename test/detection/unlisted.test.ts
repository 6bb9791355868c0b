import { expect, test } from 'bun:test'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { othersAfter, unsupportedIdOf } from '../../src/domain/deposit/unsupported'
import { RoutingError } from '../../src/domain/error'
import { sweptDepositIdOf } from '../../src/domain/execution/execution'
import type { DepositRecord } from '../../src/ports/queries'
import { addressOf, base, detectionWorld, type FlatDetection, unlisted, usdc } from '../support/detection'
import type { Paid } from '../support/detection-chain'
import { depositQueriesOn } from '../support/queries'

const tokenOf = (n: number): Address => `0x${(0xbad0000 + n).toString(16).padStart(40, '0')}`
const tenant = { organizationId: 'org_1' }

async function world(changes: Partial<FlatDetection> = {}) {
  const asked: string[] = []
  const made = detectionWorld({
    isPriced: async (_chainId, token) => {
      asked.push(token)
      return false
    },
    ...changes,
  })
  const account = made.accounts.create()
  await made.scan()
  await made.look()
  const { executions, sightings, unsupported, chain } = made
  const queries = depositQueriesOn(executions, sightings, { all: () => [] }, unsupported)
  const mine = (...paid: Paid[]): Hash => made.chain.mine({ paid })[0]!
  /** Mines enough blocks to confirm, read and search all earlier ones. */
  const settle = async () => {
    chain.mineEmpty(12)
    await made.scan()
    await made.look()
  }
  const listed = (filter = {}) => queries.list({ ...tenant, stage: ['UNSUPPORTED'], ...filter }, { limit: 100 })
  /** The amount that all records claim, and the amount that the accounts hold. */
  const claimed = async (token: Address) => {
    const seen = (await listed({ fromTokenAddress: token })).flatMap(({ sighting }) => sighting?.amountRaw ?? [])
    const routed = executions.all().filter(({ deposit }) => deposit.token === token)
    return [...seen, ...routed.map(({ deposit }) => deposit.amountRaw)].map(BigInt).reduce((a, b) => a + b, 0n)
  }
  return { ...made, account, mine, settle, listed, claimed, queries, asked }
}

const shown = (found: DepositRecord[]) =>
  found.map(({ id, sighting }) => [id, sighting?.amountRaw, sighting && 'count' in sighting ? sighting.count : null])

test('a scanned transfer of an unlisted token leaves only its record', async () => {
  const { account, mine, settle, listed, queries, executions, sightings, woken } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  await settle()
  const [found] = await listed()
  expect(found).toMatchObject({
    id: unsupportedIdOf(base, account, unlisted),
    stage: 'UNSUPPORTED',
    sighting: { amountRaw: '5', count: 1, txHash: hash, userId: 'user-1', detectedBy: ['SCANNER'] },
  })
  expect(await queries.list(tenant, { limit: 100 })).toEqual([])
  for (const asked of [{ txHash: hash }, { fromTokenAddress: unlisted }])
    expect(await queries.list({ ...tenant, ...asked }, { limit: 100 })).toHaveLength(1)
  expect(await queries.find(tenant, found!.id)).toMatchObject({ stage: 'UNSUPPORTED' })
  expect(await queries.find({ organizationId: 'org_2' }, found!.id)).toBeNull()
  expect([executions.all().length, sightings.all().length, woken.length]).toEqual([0, 0, 0])
})

test('a transfer whose transaction is read before the scan is recorded immediately and counted once', async () => {
  const { account, mine, settle, listed, detection } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  expect((await detection.rescan(base, hash, 'org_2')).found).toBe('NO_TRANSFER_TO_US')
  expect(shown(await listed())).toEqual([[unsupportedIdOf(base, account, unlisted), '5', 1]])
  await settle()
  expect(shown(await listed())).toEqual([[unsupportedIdOf(base, account, unlisted), '5', 1]])
})

test('a reported transfer that vanished with its block is withdrawn', async () => {
  const { account, mine, settle, listed, detection, chain } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  await detection.rescan(base, hash, 'org_2')
  expect(await listed()).toHaveLength(1)
  chain.reorg(1)
  await settle()
  expect(await listed()).toEqual([])
})

test('an old reported transfer that was never scanned is counted when the chain is read again', async () => {
  const { account, mine, settle, listed, detection, chain } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  chain.hidden.add(chain.tip.number)
  await settle()
  await settle()
  expect(await listed()).toEqual([])
  await detection.rescan(base, hash, 'org_2')
  await settle()
  expect(shown(await listed())).toEqual([[unsupportedIdOf(base, account, unlisted), '5', 1]])
})

test('a rescan turns the transfer into one routed deposit, and the money is claimed once at any moment', async () => {
  const { account, mine, settle, listed, claimed, detection, executions, queries, woken } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  mine({ token: unlisted, to: account, amountRaw: 7n })
  await settle()
  expect(await claimed(unlisted)).toBe(12n)
  const id = sweptDepositIdOf(base, account, unlisted, 1)
  expect(await detection.rescan(base, hash, 'org_1')).toEqual({ found: 'DEPOSIT', depositIds: [id] })
  expect(executions.all()).toMatchObject([{ id, deposit: { amountRaw: '12', token: unlisted } }])
  expect(woken).toEqual([id])
  expect([await listed(), await claimed(unlisted)]).toEqual([[], 12n])
  expect(await detection.rescan(base, hash, 'org_1')).toEqual({ found: 'KNOWN', depositIds: [id] })
  const old = (await queries.find(tenant, unsupportedIdOf(base, account, unlisted)))!
  expect(old.sighting).toMatchObject({ successorId: id, amountRaw: '0' })

  mine({ token: unlisted, to: account, amountRaw: 3n })
  await settle()
  expect(shown(await listed())).toEqual([[unsupportedIdOf(base, account, unlisted), '3', 1]])
  expect(await claimed(unlisted)).toBe(15n)
})

test('a transfer older than its account is found by a rescan of its transaction and routed once', async () => {
  const { accounts, mine, settle, listed, detection, executions } = await world()
  const later = addressOf(1)
  const hash = mine({ token: unlisted, to: later, amountRaw: 5n })
  await settle()
  expect(accounts.create()).toBe(later)
  await settle()
  expect(await listed()).toEqual([])
  const id = sweptDepositIdOf(base, later, unlisted, 1)
  expect(await detection.rescan(base, hash, 'org_1')).toEqual({ found: 'DEPOSIT', depositIds: [id] })
  expect(executions.all()).toMatchObject([{ id, deposit: { amountRaw: '5', token: unlisted } }])
  expect(await detection.rescan(base, hash, 'org_1')).toEqual({ found: 'KNOWN', depositIds: [id] })
  await settle()
  expect([await listed(), executions.all().length]).toEqual([[], 1])
})

test('a rescan of an unconfirmed transfer is stored and carried out on confirmation', async () => {
  const { account, mine, settle, detection, listed, executions, another, clock } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  const id = unsupportedIdOf(base, account, unlisted)
  expect(await detection.rescan(base, hash, 'org_1')).toEqual({ found: 'DEPOSIT', depositIds: [id] })
  expect(await listed()).toMatchObject([{ id, sighting: { isWanted: true } }])
  await settle()
  clock.at += 600_000 // another process takes over from one that has died
  await another().watch.scanUnlisted()
  expect(executions.all()).toMatchObject([{ deposit: { amountRaw: '5' } }])
  expect(await listed()).toEqual([])
})

test('repeated requests before confirmation delay nothing', async () => {
  const { account, mine, settle, detection, look, executions, clock } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  for (let n = 0; n < 12; n++) await detection.rescan(base, hash, 'org_1')
  await settle()
  clock.at += 20_000
  await look()
  expect(executions.all()).toMatchObject([{ deposit: { amountRaw: '5' } }])
})

test('ten processes that rescan the same transfer create one deposit', async () => {
  const { account, mine, settle, another, executions } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 5n })
  await settle()
  await Promise.all(Array.from({ length: 10 }, () => another().rescan(base, hash, 'org_1')))
  expect(executions.all()).toMatchObject([{ deposit: { amountRaw: '5' } }])
})

test('another organization’s rescan of the same transaction does not route our transfer', async () => {
  const { account, mine, settle, accounts, detection, executions } = await world()
  const theirs = accounts.create({ organizationId: 'org_2' })
  const paid = [account, theirs].map((to) => ({ token: unlisted, to, amountRaw: 5n }))
  const hash = mine(...paid)
  await settle()
  expect((await detection.rescan(base, hash, 'org_2')).found).toBe('DEPOSIT')
  expect(executions.all()).toMatchObject([{ organizationId: 'org_2' }])
  expect(await detection.rescanUnsupported(unsupportedIdOf(base, account, unlisted), 'org_2')).toBeNull()
  expect((await detection.rescan(base, hash, null)).depositIds).toHaveLength(2)
  expect(executions.all()).toHaveLength(2)
})

test('a token that emits Transfer without moving anything is reported as such', async () => {
  const { account, mine, settle, detection, executions } = await world()
  const hash = mine({ token: unlisted, to: account, amountRaw: 0n, logged: 5n })
  await settle()
  const id = unsupportedIdOf(base, account, unlisted)
  expect(await detection.rescan(base, hash, 'org_1')).toEqual({ found: 'TOKEN_NOT_SUPPORTED', depositIds: [id] })
  expect(executions.all()).toEqual([])
})

test('a token that a provider prices becomes a deposit automatically', async () => {
  const { account, mine, settle, look, listed, executions } = await world({ isPriced: async () => true })
  mine({ token: unlisted, to: account, amountRaw: 5n })
  await settle()
  await look()
  expect(executions.all()).toMatchObject([{ id: sweptDepositIdOf(base, account, unlisted, 1) }])
  expect(await listed()).toEqual([])
})

test('an unavailable price is requested again later, a limited number of times', async () => {
  const answers: (boolean | null)[] = [null, null, true]
  const made = await world({ isPriced: async () => (answers.length > 0 ? answers.shift()! : true) })
  made.mine({ token: unlisted, to: made.account, amountRaw: 5n })
  await made.settle()
  for (let n = 0; n < 60; n++) await made.look()
  expect(answers).toEqual([])
  expect(made.executions.all()).toHaveLength(1)
})

test('ten thousand tokens at one address cost few documents and few queries, and none is hidden', async () => {
  const { account, mine, settle, look, listed, detection, unsupported, chain, asked, executions } = await world()
  const before = { ...unsupported.asked }
  for (let n = 0; n < 10_000; n += 500)
    mine(
      ...Array.from({ length: 500 }, (_, k) => ({ token: tokenOf(n + k), to: account, amountRaw: BigInt(n + k + 1) })),
    )
  await settle()
  expect(unsupported.all()).toHaveLength(othersAfter + 1)
  expect(unsupported.asked.saves - before.saves).toBeLessThanOrEqual(othersAfter + 1 + 5)
  expect([chain.asked.metadata, asked.length]).toEqual([0, 5])
  const rows = await listed({ depositAddress: account })
  expect(rows).toHaveLength(othersAfter + 1)
  expect(rows.find(({ id }) => id.endsWith('others'))!.sighting).toMatchObject({ others: 9_950, count: 9_950 })
  expect(executions.all()).toEqual([])
  for (let n = 0; n < 100; n++) await look()
  expect([chain.asked.metadata, asked.length]).toEqual([0, othersAfter])

  const wanted = tokenOf(7_777)
  const [found] = await listed({ fromTokenAddress: wanted })
  expect(found).toMatchObject({ id: unsupportedIdOf(base, account, wanted), stage: 'UNSUPPORTED' })
  const { found: as, depositIds } = (await detection.rescanUnsupported(found!.id, 'org_1'))!
  expect([as, depositIds]).toEqual(['DEPOSIT', [sweptDepositIdOf(base, account, wanted, 1)]])
  expect(executions.all()).toMatchObject([{ deposit: { amountRaw: '7778' } }])
})

test('ten thousand transfers of one token take one document with one write, or one per address', async () => {
  const made = await world()
  const { account, mine, settle, unsupported, accounts, chain, asked, listed } = made
  const others = Array.from({ length: 1_000 }, () => accounts.create())
  for (let n = 0; n < 20; n++)
    mine(...Array.from({ length: 500 }, () => ({ token: tokenOf(1), to: account, amountRaw: 2n })))
  await settle()
  expect(unsupported.asked.saves).toBe(1)
  expect(shown(await listed())).toEqual([[unsupportedIdOf(base, account, tokenOf(1)), '20000', 10_000]])
  mine(...others.map((to) => ({ token: tokenOf(1), to, amountRaw: 2n })))
  for (let n = 0; n < 3; n++) await settle() // a thousand addresses a poll
  expect(unsupported.asked.saves).toBe(1 + others.length)
  expect([unsupported.all().length, asked.length, chain.asked.metadata]).toEqual([1_001, 1, 0])
})

test('any number of pointers at one token cost a few writes between two scans', async () => {
  const { account, mine, detection, unsupported } = await world()
  const hashes = Array.from({ length: 200 }, () => mine({ token: unlisted, to: account, amountRaw: 1n }))
  for (const hash of hashes) await detection.rescan(base, hash, 'org_2')
  expect(unsupported.asked.saves).toBeLessThanOrEqual(10)
})

test('each poll makes one request for any amount of data, by only one of two processes', async () => {
  const { chain, accounts, another, look, clock } = await world()
  for (let n = 0; n < 2_500; n++) accounts.create()
  const other = another()
  const asked = () => chain.asked.transfersTo
  for (let n = 0; n < 10; n++) {
    chain.mineEmpty(3)
    const before = asked()
    await look()
    await other.watch.scanUnlisted()
    expect(asked() - before).toBeLessThanOrEqual(1)
  }
  clock.at += 600_000
  const before = asked()
  await other.watch.scanUnlisted()
  expect(asked() - before).toBe(0) // no new block is read
})

test('a page too large for the node is read in parts without omissions', async () => {
  const { account, mine, chain, accounts, scan, look, unsupported } = await world()
  const many = [account, ...Array.from({ length: 9 }, () => accounts.create())]
  chain.logsMax = 12
  for (let n = 0; n < 3; n++) mine(...many.map((to) => ({ token: tokenOf(n), to, amountRaw: 1n })))
  chain.mineEmpty(12)
  await scan()
  for (let n = 0; n < 60; n++) await look()
  expect(unsupported.all()).toHaveLength(30)
})

test('accounts that are read separately in a full block are not omitted because later blocks are empty', async () => {
  const { account, mine, chain, accounts, scan, look, unsupported } = await world()
  const many = [account, ...Array.from({ length: 9 }, () => accounts.create())]
  chain.logsMax = 6
  mine(...many.map((to) => ({ token: unlisted, to, amountRaw: 1n })))
  chain.mineEmpty(12)
  await scan()
  for (let n = 0; n < 60; n++) await look()
  expect(unsupported.all()).toHaveLength(10)
})

test('a block that no node can read is skipped, and an unhealthy node is awaited', async () => {
  const { account, mine, chain, scan, look, unsupported, troubles, settle } = await world()
  chain.logsMax = 5
  mine(...Array.from({ length: 6 }, (_, n) => ({ token: tokenOf(n), to: account, amountRaw: 1n })))
  mine({ token: unlisted, to: account, amountRaw: 1n })
  chain.mineEmpty(12)
  await scan()
  chain.failure = new RoutingError('RPC_FAILED')
  for (let n = 0; n < 60; n++) await look().catch(() => {})
  expect(troubles).toEqual([])
  chain.failure = null
  for (let n = 0; n < 60; n++) await look()
  await settle()
  expect(unsupported.all()).toMatchObject([{ token: unlisted }])
  expect(troubles).toMatchObject([{ work: 'unlisted tokens' }])
})

test('a token listed later is found by the balance sweep and claimed once', async () => {
  const { account, mine, settle, listed, claimed, sweep, executions, another } = await world()
  mine({ token: unlisted, to: account, amountRaw: 5n })
  await settle()
  expect(await claimed(unlisted)).toBe(5n)
  await sweep()
  expect(executions.all()).toEqual([])
  const later = another({ alsoScanned: () => [unlisted] })
  await later.watch.scanOnce(new AbortController().signal)
  for (let n = 0; n < 4; n++) await later.watch.sweepOnce()
  expect(executions.all()).toMatchObject([{ deposit: { amountRaw: '5' } }])
  expect([await listed(), await claimed(unlisted)]).toEqual([[], 5n])
  expect(usdc).not.toBe(unlisted)
})
