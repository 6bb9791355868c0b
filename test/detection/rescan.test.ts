import { expect, test } from 'bun:test'
import { rescan as rescanWith } from '../../src/detection/chains/read-transaction'
import { type Address, type Hash, zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { depositIdOf, sweptDepositIdOf } from '../../src/domain/execution/execution'
import { base, detectionWorld, unlisted, usdc } from '../support/detection'

const nowhere: Hash = `0x${'8'.repeat(64)}`

async function world() {
  const made = detectionWorld({ isPending: async (_chainId, hash) => hash === nowhere })
  const account = made.accounts.create()
  await made.scan()
  const pay = (token: Address, to: Address, amountRaw: bigint): Hash =>
    made.chain.mine({ paid: [{ token, to, amountRaw }] })[0]!
  const rescan = (hash: Hash, organizationId = 'org_1') => made.detection.rescan(base, hash, organizationId)
  return { ...made, account, pay, rescan }
}

test('an unseen deposit is found, and stays recorded', async () => {
  const { account, pay, rescan, chain, amounts } = await world()
  const hash = pay(usdc, account, 5n)
  const depositIds = [depositIdOf(base, hash, 0)]
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds })
  expect(await rescan(hash)).toEqual({ found: 'KNOWN', depositIds })
  chain.mineEmpty(4)
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds }) // its record begins
  expect(await rescan(hash)).toEqual({ found: 'KNOWN', depositIds })
  expect(amounts()).toEqual([5n])
})

test('native coins are measured immediately', async () => {
  const { account, pay, rescan, chain, scan } = await world()
  const hash = pay(zeroAddress, account, 5n)
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds: [] })
  chain.mineEmpty(5)
  await scan()
  const depositIds = [sweptDepositIdOf(base, account, zeroAddress, 1)]
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds })
  expect(await rescan(hash)).toEqual({ found: 'KNOWN', depositIds })
})

test('another organization’s deposit is recorded but not shown', async () => {
  const { account, pay, rescan, chain, amounts } = await world()
  const hash = pay(usdc, account, 5n)
  chain.mineEmpty(4)
  expect(await rescan(hash, 'org_2')).toEqual({ found: 'NO_TRANSFER_TO_US', depositIds: [] })
  expect(amounts()).toEqual([5n])
})

test('each response without a deposit has its own reason', async () => {
  const { account, pay, rescan, chain } = await world()
  const [reverted] = chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }], succeeded: false })
  expect((await rescan(reverted!)).found).toBe('REVERTED')
  expect((await rescan(nowhere)).found).toBe('NOT_MINED')
  expect((await rescan(`0x${'7'.repeat(64)}`)).found).toBe('NOT_FOUND')
  expect((await rescan(pay(unlisted, account, 5n))).found).toBe('DEPOSIT') // from now on it is wanted
  expect((await rescan(pay(usdc, '0x0000000000000000000000000000000000000777', 5n))).found).toBe('NO_TRANSFER_TO_US')
  chain.failure = new RoutingError('RPC_TIMEOUT')
  await expect(rescan(nowhere)).rejects.toThrow(RoutingError)
})

test('an old deposit whose log was missed is recorded once, by its balance', async () => {
  const { account, pay, rescan, chain, scan, amounts } = await world()
  const hash = pay(usdc, account, 5n)
  chain.hidden.add(chain.tip.number)
  chain.mineEmpty(20)
  await scan()
  const depositIds = [sweptDepositIdOf(base, account, usdc, 1)]
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds })
  expect(await rescan(hash)).toEqual({ found: 'KNOWN', depositIds })
  expect(amounts()).toEqual([5n])
})

test('native coin is found by the hash of any transaction that paid it, or reported as not searched', async () => {
  const { account, accounts, rescan, chain, scan, executions } = await world()
  const [second, nobody] = [accounts.create(), '0x0000000000000000000000000000000000000777' as const]
  const batch = [
    { token: usdc, to: account, amountRaw: 25n },
    { token: zeroAddress, to: account, amountRaw: 3n },
    { token: usdc, to: account, amountRaw: 25n },
    { token: zeroAddress, to: second, amountRaw: 5n },
  ]
  const coins = (to: Address) => ({ paid: [{ token: zeroAddress, to, amountRaw: 7n }], isInternal: true })
  const [all, foreign] = chain.mine({ paid: batch, isInternal: true }, coins(nobody))
  const [later] = chain.mine(coins(second))
  chain.mineEmpty(5)
  await scan()
  const found = await rescan(all!)
  const coinIds = [account, second].map((each) => sweptDepositIdOf(base, each, zeroAddress, 1))
  expect(found.found).toBe('DEPOSIT')
  expect(found.depositIds.toSorted()).toEqual(
    [0, 1]
      .map((log) => depositIdOf(base, all!, log))
      .concat(coinIds)
      .toSorted(),
  )
  // A payment in two transactions is one deposit, which both hashes find.
  expect([executions.get(coinIds[0]!), executions.get(coinIds[1]!)].map(({ deposit }) => deposit.paidIn)).toEqual([
    [all!],
    expect.arrayContaining([all!, later!]),
  ])
  expect((await rescan(all!)).found).toBe('KNOWN')
  expect((await rescan(foreign!)).found).toBe('NO_TRANSFER_TO_US')
  chain.isUntraced = true
  expect((await rescan(foreign!)).found).toBe('NOT_TRACED')
  expect(await rescan(all!)).toMatchObject({ found: 'KNOWN', isUntraced: true }) // by its logs alone
})

test('the rescan of a payment shows the deposit that it is part of, no matter how many came later', async () => {
  const { account, pay, rescan, chain, scan, sweep, executions } = await world()
  const settle = async () => {
    chain.mineEmpty(5)
    await scan()
    await sweep()
  }
  const hashes: Hash[] = []
  const finds = Array.from({ length: 102 }, (_, n) => n + 1)
  for (const find of finds) {
    hashes.push(pay(zeroAddress, account, BigInt(find)))
    await settle()
  }
  const idOf = (find: number) => sweptDepositIdOf(base, account, zeroAddress, find)
  const tried = [1, 2, 3, 101, 102]
  const shown = async () => Promise.all(tried.map((find) => rescan(hashes[find - 1]!)))
  const own = tried.map((find) => ({ found: 'KNOWN' as const, depositIds: [idOf(find)] }))
  expect(await shown()).toEqual(own)
  // Without the transactions' names, their blocks decide.
  for (const find of finds) {
    const { paidIn: _, ...deposit } = executions.get(idOf(find)).deposit
    executions.change(idOf(find), { deposit })
  }
  expect(await shown()).toEqual(own)
  // A block's payment was measured late: the deposit that names it counts, and not the first at or above its block.
  executions.change(idOf(3), { deposit: { ...executions.get(idOf(3)).deposit, paidIn: [hashes[0]!] } })
  expect((await rescan(hashes[0]!)).depositIds).toEqual([idOf(3)])
})

test('the rescan of a recorded payment does not name a later one that its sweep finds', async () => {
  const { account, pay, rescan, chain, scan, sweep, amounts } = await world()
  const hashes: Hash[] = []
  for (const amountRaw of [5n, 7n]) {
    if (hashes.length > 0) await sweep()
    hashes.push(pay(zeroAddress, account, amountRaw))
    chain.mineEmpty(5)
    await scan()
  }
  const known = (find: number) => ({
    found: 'KNOWN' as const,
    depositIds: [sweptDepositIdOf(base, account, zeroAddress, find)],
  })
  expect(await rescan(hashes[0]!)).toEqual(known(1))
  expect(amounts()).toEqual([5n, 7n])
  expect(await rescan(hashes[1]!)).toEqual(known(2))
})

test('a rescan that no node could trace says so, whatever else it found', async () => {
  const { account, pay, rescan, chain } = await world()
  const hash = pay(usdc, account, 5n)
  expect((await rescan(hash)).isUntraced).toBeUndefined()
  chain.isUntraced = true
  expect(await rescan(hash)).toMatchObject({ found: 'KNOWN', isUntraced: true })
  chain.mineEmpty(4)
  expect(await rescan(hash)).toMatchObject({ found: 'DEPOSIT', isUntraced: true })
})

test('an unlisted token without a balance is not reported as on its way', async () => {
  const { account, pay, rescan, chain, scan, unsupported, look } = await world()
  chain.silent.add(unlisted)
  const hash = pay(unlisted, account, 5n)
  expect((await rescan(hash)).found).toBe('DEPOSIT') // the balance is unknown before its block is confirmed
  chain.mineEmpty(20)
  await scan()
  for (let n = 0; n < 4; n++) await look()
  expect(unsupported.all().map(({ wantedTo, dueAt }) => [wantedTo, dueAt])).toEqual([[null, null]])
  expect((await rescan(hash)).found).toBe('TOKEN_NOT_SUPPORTED')
  chain.silent.clear()
  expect((await rescan(hash)).found).toBe('DEPOSIT')
})

test('a transaction that a reorganization moves while it is read is recorded once, at its new position', async () => {
  const { account, pay, rescan, chain, scan, ids } = await world()
  const hash = pay(usdc, account, 5n)
  const transactionOf = chain.transaction.bind(chain)
  chain.transaction = async (asked) => {
    chain.transaction = transactionOf
    const before = await transactionOf(asked)
    chain.reorg(1)
    const other = { paid: [{ token: usdc, to: '0x0000000000000000000000000000000000000777' as const, amountRaw: 1n }] }
    chain.mine(other, { paid: [{ token: usdc, to: account, amountRaw: 5n }], hash })
    chain.mineEmpty(4)
    await scan()
    return before
  }
  expect(await rescan(hash).catch((error) => error.code)).toBe('RPC_FAILED')
  expect(ids()).toEqual([depositIdOf(base, hash, 1)])
  expect(await rescan(hash)).toEqual({ found: 'KNOWN', depositIds: [depositIdOf(base, hash, 1)] })
})

test('coin that is not confirmed yet is not reported as an earlier deposit', async () => {
  const { account, pay, rescan, chain, scan, sweep } = await world()
  pay(zeroAddress, account, 5n)
  chain.mineEmpty(5)
  await scan()
  await sweep()
  const hash = pay(zeroAddress, account, 7n)
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds: [] })
  chain.mineEmpty(5)
  await scan()
  const depositIds = [sweptDepositIdOf(base, account, zeroAddress, 2)]
  expect(await rescan(hash)).toEqual({ found: 'DEPOSIT', depositIds })
})

test('twenty unlisted tokens of a transaction are measured immediately, and the others are wanted', async () => {
  const asked: [id: string, isMeasured: boolean][] = []
  const holder = { id: '0xa', organizationId: 'org_1', userId: 'ada' }
  const brought = Array.from({ length: 25 }, (_, n) => ({
    account: holder,
    token: '0xb',
    id: `${n}`,
    taken: 'UNSUPPORTED',
  }))
  const stranger = { ...brought[0]!, id: 'theirs', account: { ...holder, organizationId: 'org_2' } }
  const { byTransaction } = rescanWith({
    read: async () => ({ isMined: true, succeeded: true, block: 7, brought: [stranger, ...brought], isTraced: true }),
    want: async (_chainId: number, id: string, isMeasured: boolean) => {
      asked.push([id, isMeasured])
      return [id]
    },
  } as never)
  const { found, depositIds } = await byTransaction(base, nowhere, 'org_1')
  expect([found, depositIds.length]).toEqual(['DEPOSIT', 25])
  expect(asked).toEqual(brought.map(({ id }, n) => [id, n < 20]))
})
