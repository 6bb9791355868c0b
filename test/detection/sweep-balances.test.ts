import { expect, test } from 'bun:test'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { type Execution, sweptDepositIdOf } from '../../src/domain/execution/execution'
import { laneId } from '../../src/domain/execution/lane'
import { base, detectionWorld, sweepingWorld, usdc } from '../support/detection'
import { stranger } from '../support/detection-chain'

const coins = (to: Address, amountRaw: bigint) => ({ paid: [{ token: zeroAddress, to, amountRaw }], isInternal: true })
const find = (account: Address, n: number) => sweptDepositIdOf(base, account, zeroAddress, n)

test('coins sent by a contract leave no log and are found by their balance', async () => {
  const { chain, account, settle, executions, woken } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  await settle()
  expect(woken).toEqual([find(account, 1)])
  expect(executions.all()).toMatchObject([
    { id: find(account, 1), deposit: { amountRaw: '5', txHash: null, logIndex: null, fromAddress: stranger } },
  ])
})

test('coins that one transaction pays an account in several calls are one deposit of their sum, and none is lost', async () => {
  const { chain, account, settle, amounts } = await sweepingWorld()
  const payment = (amountRaw: bigint) => ({ token: zeroAddress, to: account, amountRaw })
  chain.mine({ paid: [payment(5n), payment(7n)], isInternal: true })
  await settle()
  expect(amounts()).toEqual([12n])
  chain.mine({ paid: [payment(3n), payment(3n)], isInternal: true })
  for (let n = 0; n < 3; n++) await settle()
  expect(amounts()).toEqual([12n, 6n])
})

test('unconfirmed and unscanned blocks are not read', async () => {
  const { chain, account, sweep, scan, amounts } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  chain.mineEmpty(10)
  await sweep()
  expect(amounts()).toEqual([])
  await scan()
  await sweep()
  expect(amounts()).toEqual([5n])
})

test('a second payment is a second deposit with its own amount, whether or not the first has left', async () => {
  const { chain, account, settle, spend, ids, amounts } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  chain.mine(coins(account, 7n))
  await settle()
  expect(amounts()).toEqual([5n, 7n])
  spend(find(account, 1), 5n)
  chain.mine(coins(account, 9n))
  await settle()
  expect(amounts()).toEqual([5n, 7n, 9n])
  expect(ids()).toEqual([find(account, 1), find(account, 2), find(account, 3)])
})

test('an account is not judged while a signed order may have moved its money', async () => {
  const { chain, account, settle, spend, amounts, executions } = await sweepingWorld()
  chain.mine(coins(account, 10n))
  await settle()
  spend(find(account, 1), 10n, false) // signed and mined, but not recorded yet
  chain.mine(coins(account, 15n))
  await settle()
  expect(amounts()).toEqual([10n])
  const spent = { hash: '0x' as const, block: chain.tip.number - 6, amountRaw: '10', at: 0 }
  executions.change(find(account, 1), { facts: { spent } })
  await settle()
  expect(amounts()).toEqual([10n, 15n])
})

test('a token’s rounding leftover is not a deposit, while a single unit of native coin is', async () => {
  const { chain, account, settle, spend, scan, executions, amounts, ids } = await sweepingWorld()
  const all = 25n * 10n ** 18n
  // A share-counting token: the log shows more than the balance, and a unit stays when everything has left.
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: all - 2n, logged: all }] })
  chain.mineEmpty(5)
  await scan()
  await settle()
  expect(amounts()).toEqual([all])
  const [id] = ids() as [string]
  executions.change(id, { facts: { balance: { totalReceivedRaw: String(all - 2n), block: chain.tip.number } } })
  spend(id, all - 2n)
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 1n, logged: 0n }] })
  for (let n = 0; n < 6; n++) await settle()
  expect(amounts()).toEqual([all])
  // Together with that unit, it exceeds what rounding leaves.
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 10n, logged: 0n }] })
  chain.mine(coins(account, all))
  for (let n = 0; n < 6; n++) await settle()
  chain.mine(coins(account, 1n))
  for (let n = 0; n < 6; n++) await settle()
  expect(amounts().toSorted()).toEqual([all, all, 1n, 11n].toSorted())
})

test('included leftovers are not found again', async () => {
  const { chain, account, settle, spend, amounts } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  chain.mine(coins(account, 7n))
  spend(find(account, 1), 12n)
  await settle()
  expect(amounts()).toEqual([5n])
  chain.mine(coins(account, 10n))
  await settle()
  expect(amounts()).toEqual([5n, 10n])
})

test('the leftover of a failed execution is not a new deposit, and a blacklisted deposit’s money is left alone', async () => {
  const { chain, account, settle, executions, amounts } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  executions.change(find(account, 1), { state: 'FAILED_UNROUTABLE_MAIN', dueAt: null })
  await settle()
  chain.mine(coins(account, 6n))
  await settle()
  executions.change(find(account, 2), { state: 'TOKEN_BLACKLISTED', dueAt: null })
  await settle()
  expect(amounts()).toEqual([5n, 6n])
})

test('a recorded deposit whose money never arrived does not hide money that did', async () => {
  const { chain, account, settle, executions, amounts } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  chain.reorg(7)
  executions.change(find(account, 1), { state: 'FAILED_NO_FUNDS', dueAt: null })
  chain.mineEmpty(8)
  chain.mine(coins(account, 3n))
  await settle()
  await settle()
  expect(amounts()).toEqual([5n, 3n])
})

test('a deposit that a reorganization moved to a lower block is not found again by its balance', async () => {
  const { chain, account, scan, sweep, settle, amounts } = await sweepingWorld()
  const paid = [{ token: usdc, to: account, amountRaw: 5n }]
  chain.mineEmpty(10)
  const [hash] = chain.mine({ paid })
  chain.mineEmpty(8)
  await scan()
  expect(amounts()).toEqual([5n])
  chain.reorg(16)
  chain.mine({ hash: hash!, paid })
  chain.mineEmpty(7)
  await sweep()
  expect(amounts()).toEqual([5n])
  chain.mineEmpty(20)
  await settle()
  await settle()
  expect(amounts()).toEqual([5n])
})

test('unlogged money is found although a logged deposit arrives every other block', async () => {
  const { chain, account, scan, sweep, executions } = await sweepingWorld()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 500n, logged: 0n }] })
  for (let n = 0; n < 20; n++) {
    chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 1n }] })
    chain.mineEmpty(1)
    await scan()
    for (const { id } of executions.all()) executions.change(id, { state: 'FAILED_UNROUTABLE_MAIN', dueAt: null })
    await sweep()
  }
  const found = executions.all().filter(({ deposit }) => deposit.txHash === null)
  expect(found.map(({ deposit }) => deposit.amountRaw)).toEqual(['500'])
})

test('many simultaneous balance sweeps at different blocks record each deposit once', async () => {
  const { chain, account, scan, another, sweep, amounts, woken, settle } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  chain.mineEmpty(5)
  await scan()
  const twins = Array.from({ length: 10 }, () => another().watch.sweepOnce())
  chain.mine(coins(account, 4n))
  chain.mineEmpty(5)
  await scan()
  await Promise.all([...twins, sweep(), another().watch.sweepOnce()])
  await settle()
  expect(amounts().reduce((sum, amount) => sum + amount, 0n)).toBe(9n)
  expect(new Set(woken).size).toBe(woken.length)
})

test('a late balance sweep at an old block finds no deposit twice', async () => {
  const { chain, account, settle, another, amounts, cursors } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  chain.mineEmpty(5)
  const late = another()
  await settle()
  const cursor = cursors.all()[0]!
  await cursors.save({ ...cursor, scannedBlock: cursor.scannedBlock - 4 })
  await late.watch.sweepOnce()
  expect(amounts()).toEqual([5n])
})

test('a logged deposit is not found by a balance sweep, and one with an unread log is', async () => {
  const { chain, account, settle, scan, executions } = await sweepingWorld()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }] })
  await settle()
  await settle()
  expect(executions.all()).toHaveLength(1)

  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 8n }] })
  const missed = chain.tip.number
  chain.hidden.add(missed)
  chain.mineEmpty(20)
  await scan()
  await settle()
  expect(executions.all()).toHaveLength(2)
  expect(executions.get(sweptDepositIdOf(base, account, usdc, 1))).toMatchObject({ deposit: { amountRaw: '8' } })
})

test('a forged log becomes its own record and does not claim the money in the account', async () => {
  const { chain, account, settle, amounts } = await sweepingWorld()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 0n, logged: 1_000_000n }] })
  await settle()
  expect(amounts()).toEqual([1_000_000n]) // its execution reads the balance and ends FAILED_NO_FUNDS
})

test('money older than its account is found when the account joins', async () => {
  const { chain, accounts, scan, detection, amounts } = await sweepingWorld()
  const early: Address = '0x0000000000000000000000000000000000000999'
  chain.mine({
    paid: [
      { token: usdc, to: early, amountRaw: 4n },
      { token: zeroAddress, to: early, amountRaw: 6n },
    ],
  })
  chain.mineEmpty(20)
  await scan()
  accounts.create({ id: early })
  chain.mineEmpty(1)
  await scan()
  detection.watch.join([early])
  await detection.watch.sweepNewcomers()
  await detection.watch.sweepNewcomers()
  expect(amounts().toSorted()).toEqual([4n, 6n])
})

test('every page of accounts is scanned in turn, for the native coin and for each token', async () => {
  const { accounts, chain, scan, sweep, amounts } = await sweepingWorld()
  const last = Array.from({ length: 12_000 }, () => accounts.create()).at(-1)!
  await scan()
  chain.mine(coins(last, 2n))
  chain.mineEmpty(5)
  await scan()
  for (let n = 0; n < 3; n++) await sweep()
  expect(amounts()).toEqual([2n])
})

test('the record of a deposit found by balance names its user and organization', async () => {
  const { chain, account, settle, executions } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  const { organizationId, userId, deposit } = executions.all()[0] as Execution
  expect({ organizationId, userId, ...deposit }).toMatchObject({
    organizationId: 'org_1',
    userId: 'user-1',
    account,
    token: zeroAddress,
    symbol: 'ETH',
    decimals: 18,
    detectedBy: ['SWEEP'],
    lane: `${account}:${base}:${zeroAddress}`.toLowerCase(),
  })
})

test('an explained balance is rarely judged again, and immediately when something names the account', async () => {
  const { chain, account, settle, scan, detection, amounts, executions } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  await settle()
  await settle()
  let asked = 0
  const { ledgerOf } = executions
  executions.ledgerOf = (...args) => {
    asked++
    return ledgerOf(...args)
  }
  for (let n = 0; n < 10; n++) await detection.watch.sweepOnce()
  expect(asked).toBe(0)
  chain.mine({ ...coins(account, 6n), isInternal: false })
  chain.mineEmpty(5)
  await scan()
  await detection.watch.sweepOnce()
  expect(amounts()).toEqual([5n, 6n])
})

test('an account that cannot be judged is reported, and others’ money is still found', async () => {
  const { accounts, chain, scan, sweep, executions, ids, troubles } = detectionWorld()
  const [stuck, ...others] = Array.from({ length: 5 }, () => accounts.create())
  const { ledgerOf } = executions
  executions.ledgerOf = async (lane, block) => {
    if (lane === laneId(stuck!, base, zeroAddress)) throw new Error('A book that cannot be read')
    return ledgerOf(lane, block)
  }
  chain.mine({ paid: [stuck!, ...others].map((to) => ({ token: zeroAddress, to, amountRaw: 7n })) })
  chain.mineEmpty(20)
  await scan()
  await sweep()
  expect(ids().toSorted()).toEqual(others.map((account) => find(account, 1)).toSorted())
  expect(troubles).toMatchObject([{ chainId: base, work: 'sweep' }])
  executions.ledgerOf = ledgerOf
  await sweep()
  expect(ids()).toContain(find(stuck!, 1))
})

test('money is found only if the node still serves its own chain', async () => {
  const { chain, account, settle, amounts, troubles } = await sweepingWorld()
  chain.mine(coins(account, 5n))
  chain.isStranger = true
  await settle()
  expect([amounts(), troubles.length > 0]).toEqual([[], true])
  chain.isStranger = false
  await settle()
  expect(amounts()).toEqual([5n])
})
