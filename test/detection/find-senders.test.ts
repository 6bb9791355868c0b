import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findSenders, risesUpTo } from '../../src/detection/sweeps/sweep-balances'
import { type Address, zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { sweptDepositIdOf } from '../../src/domain/execution/execution'
import { addressOf, base, sweepingWorld, usdc } from '../support/detection'
import { stranger } from '../support/detection-chain'
import { executionsInMemory } from '../support/records'

const [one, other] = [addressOf(0x501), addressOf(0x502)]
const coins = (to: Address, amountRaw: bigint, from?: Address) => ({
  paid: [{ token: zeroAddress, to, amountRaw, ...(from && { from }) }],
  isInternal: true,
})
const find = (account: Address, n: number, token = zeroAddress) => sweptDepositIdOf(base, account, token, n)

test('the only sender of money found by balance is named as its sender', async () => {
  const { chain, account, settle, executions } = await sweepingWorld()
  chain.mine(coins(account, 5n, one))
  await settle()
  expect(executions.get(find(account, 1)).deposit).toMatchObject({ fromAddress: one, senders: [one] })
  expect(executions.get(find(account, 1)).deposit.isSenderUnknown).toBeUndefined()
})

test('several senders are all stored, and none is named as the only sender', async () => {
  const { chain, account, settle, executions } = await sweepingWorld()
  chain.mine(coins(account, 5n, one))
  chain.mineEmpty(40)
  chain.mine(coins(account, 6n, other))
  await settle()
  const { deposit } = executions.get(find(account, 1))
  expect(deposit).toMatchObject({ amountRaw: '11', fromAddress: null })
  expect(deposit.senders!.toSorted()).toEqual([one, other].toSorted())
})

test('the sender of an earlier deposit is not a sender of the next, whether or not its money has left', async () => {
  const { chain, account, settle, spend, executions } = await sweepingWorld()
  chain.mine(coins(account, 5n, one))
  await settle()
  chain.mine(coins(account, 6n, other))
  await settle()
  spend(find(account, 1), 5n)
  chain.mine(coins(account, 7n))
  await settle()
  const senders = [1, 2, 3].map((n) => executions.get(find(account, n)).deposit.fromAddress)
  expect(senders).toEqual([one, other, stranger])
})

test('many small payments cannot hide the sender of a large one', async () => {
  const { chain, account, settle, executions } = await sweepingWorld()
  for (let n = 0; n < 300; n++) chain.mine(coins(account, 1n, other))
  chain.mine(coins(account, 1_000n, one))
  for (let n = 0; n < 300; n++) chain.mine(coins(account, 1n, other))
  await settle()
  const { deposit } = executions.get(find(account, 1))
  expect(deposit).toMatchObject({ amountRaw: '1600', fromAddress: null, isSenderUnknown: true })
  expect(deposit.senders).toContain(one)
})

test('a token whose log was missed still gets a sender', async () => {
  const { chain, account, scan, sweep, executions } = await sweepingWorld()
  chain.hidden.add(chain.tip.number + 1)
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n, from: one }] })
  chain.mineEmpty(10)
  await scan()
  chain.hidden.clear()
  await sweep()
  expect(executions.get(find(account, 1, usdc)).deposit).toMatchObject({ fromAddress: one, senders: [one] })
})

test('an unavailable node is queried for the sender a few more times before the sender counts as unknown', async () => {
  const { chain, account, sweep, settle, executions } = await sweepingWorld()
  const told = chain.paidIn.bind(chain)
  chain.paidIn = async () => {
    throw new RoutingError('RPC_TIMEOUT')
  }
  chain.mine(coins(account, 5n, one))
  await settle()
  expect(executions.all()).toEqual([])
  for (let n = 0; n < 6; n++) await sweep()
  const found = executions.get(find(account, 1))
  expect(found.deposit).toMatchObject({ amountRaw: '5', fromAddress: null, senders: [], isSenderUnknown: true })
  expect(found.history[0]!.note).toBe('Not every sender could be identified.')

  chain.paidIn = told
  chain.mine(coins(account, 6n, one))
  await settle()
  expect(executions.get(find(account, 2)).deposit).toMatchObject({ fromAddress: one })
})

test('accounts without payments cost no request', async () => {
  const { chain, settle, sweep } = await sweepingWorld()
  const asked = chain.balanceOf.bind(chain)
  let questions = 0
  await settle()
  chain.balanceOf = (...about) => {
    if (about[0] === zeroAddress) questions++
    return asked(...about)
  }
  for (let n = 0; n < 5; n++) await sweep()
  expect(questions).toBe(5) // one read of all balances each time
})

test('the search finds exactly the blocks in which money arrived', async () => {
  const payment = fc.record({ block: fc.integer({ min: 1, max: 5_000 }), amountRaw: fc.bigInt({ min: 1n, max: 9n }) })
  const payments = fc.array(payment, { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(payments, fc.nat({ max: 100 }), fc.nat({ max: 7 }), async (paid, after, knownFirst) => {
      const inOrder = paid.toSorted((a, b) => a.block - b.block)
      const block = inOrder.at(-1)!.block + after
      const upTo = (at: number) => paid.reduce((sum, each) => (each.block <= at ? sum + each.amountRaw : sum), 0n)
      const known = knownFirst < inOrder.length ? inOrder[knownFirst]!.block - 1 : 0
      let asked = 0
      const paidUpTo = async (at: number) => {
        asked++
        return upTo(at)
      }
      const found = await risesUpTo({ paidUpTo, recordedRaw: upTo(known), block, isLastTry: false })
      const blocks = [...new Set(inOrder.map((each) => each.block))].filter((each) => each > known)
      expect(found.isWhole).toBe(true)
      expect(found.rises.map((rise) => rise.block).toSorted((a, b) => a - b)).toEqual(blocks)
      for (const rise of found.rises) expect(rise.amountRaw).toBe(upTo(rise.block) - upTo(rise.block - 1))
      expect(asked).toBeLessThan(20 + 14 * blocks.length)
    }),
    { numRuns: 500 },
  )
})

const txHash = `0x${'7'.repeat(64)}` as const

test('no account held a token before its contract existed', async () => {
  const account = addressOf(0xac1)
  const [begins, paidAt, block] = [100, 103, 120]
  const balanceOf = async (_token: Address, _account: Address, at: number) => {
    if (at < begins) throw new RoutingError('TOKEN_NOT_SUPPORTED')
    return at < paidAt ? 0n : 7n
  }
  const transfers = async () => [{ to: account, from: one, amountRaw: 7n, txHash }]
  const sendersOf = findSenders({ balanceOf, transfers } as never, executionsInMemory())
  const book = { spends: [], broughtRaw: 0n } as never
  expect(await sendersOf(account, addressOf(0x70), block, book)).toEqual({
    fromAddress: one,
    senders: [one],
    paidIn: [txHash],
  })
})

test('money that left a lane before the block of its sum is read record by record, once', async () => {
  const account = addressOf(0xac2)
  const spends = [5, 40, 60].map((block) => ({ block, amountRaw: 10n }))
  let asked = 0
  const spendsOf = async () => {
    asked += 1
    return spends
  }
  // 10 came and left at each of these blocks, and 7 came at block 70.
  const balanceOf = async (_token: Address, _account: Address, at: number) => (at < 70 ? 0n : 7n)
  const transfers = async () => [{ to: account, from: one, amountRaw: 7n, txHash }]
  const sendersOf = findSenders({ chainId: 8453, balanceOf, transfers } as never, { spendsOf })
  const book = { spends: [{ block: 60, amountRaw: 30n }], summedTo: 60, broughtRaw: 30n } as never
  const found = { fromAddress: one, senders: [one], paidIn: [txHash] }
  expect(await sendersOf(account, addressOf(0x70), 75, book)).toEqual(found)
  expect(asked).toBe(1)
  const whole = { spends, broughtRaw: 30n } as never
  expect(await sendersOf(account, addressOf(0x70), 75, whole)).toEqual(found)
  expect(asked).toBe(1)
})
