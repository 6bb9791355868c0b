import { expect, test } from 'bun:test'
import { readTransaction } from '../../src/detection/chains/read-transaction'
import { type Address, type Hash, zeroAddress } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import { pointersText } from '../../src/domain/wake-messages'
import { base, detectionWorld, unlisted, usdc } from '../support/detection'
import { testAll } from '../support/test-all'

type Answer = 'ack' | 'term' | `nak ${number}`

async function world() {
  const made = detectionWorld()
  const account = made.accounts.create()
  await made.scan()
  made.detection.start()
  /** @returns how the message was acknowledged. */
  const point = (txHash: Hash | string, redeliveries = 0): Promise<Answer> =>
    new Promise((resolve) => {
      const text = txHash.startsWith('0x')
        ? pointersText([{ chainId: base, txHash: txHash as Hash, seenAt: 1 }])
        : txHash
      made.pointed.next({
        data: new TextEncoder().encode(text),
        redeliveries,
        ack: () => resolve('ack'),
        nak: (delayMs) => resolve(`nak ${delayMs}`),
        term: () => resolve('term'),
      })
    })
  const pay = (to: Address, amountRaw: bigint, token: Address = usdc): Hash =>
    made.chain.mine({ paid: [{ token, to, amountRaw }] })[0]!
  return { ...made, account, point, pay, end: () => made.detection.stop() }
}

test('fifty simultaneous copies of one pointer start one execution', async () => {
  const { account, point, pay, chain, amounts, woken, end } = await world()
  const hash = pay(account, 25n)
  chain.mineEmpty(4)
  expect(await Promise.all(Array.from({ length: 50 }, () => point(hash)))).toEqual(Array(50).fill('ack'))
  expect(await point(hash)).toBe('ack')
  expect(amounts()).toEqual([25n])
  expect(woken).toHaveLength(1)
  await end()
})

testAll([
  ['above', 6, 'seen'],
  ['below', 7, 'confirmed'],
])('only the receipt is requested for a deposit that is unscanned or recorded', async (_where, scanned, taken) => {
  const [account, from] = ['0x5e', '0x5f'] as unknown as Address[]
  const transfer = { token: usdc, from, to: account, amountRaw: 25n, txHash: '0x7', logIndex: 0, block: 7 }
  const transaction = async () => ({ block: 7, succeeded: true, to: usdc, transfers: [transfer] })
  const calls: string[] = []
  const called = (name: string) => async () => void calls.push(name)
  const read = readTransaction({
    chains: { [base]: { transaction } }, // no other method exists
    accounts: { find: async (address: Address) => (address === account ? { id: account } : null) },
    intake: { seen: called('seen'), confirmed: called('confirmed') },
    executions: { load: async () => ({}) },
    isScanned: () => true,
    scannedTo: async () => scanned,
  } as never)
  await read(base, '0x7', 'WEBHOOK')
  expect(calls).toEqual([taken])
})

test('only the receipt is requested for a transaction that takes money out of an account', async () => {
  const { account, point, chain, sightings, end } = await world()
  const [hash] = chain.mine({ paid: [{ token: usdc, from: account, to: unlisted, amountRaw: 25n }] })
  const { confirmed, nativeValueOf } = chain.asked
  expect(await point(hash!)).toBe('ack')
  expect(chain.asked).toMatchObject({ confirmed, nativeValueOf })
  expect(sightings.all()).toEqual([])
  await end()
})

test('every detector that saw a deposit is recorded, not only the first', async () => {
  const { account, point, pay, chain, scan, executions, sightings, end } = await world()
  const hash = pay(account, 25n)
  await point(hash)
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMING', detectedBy: ['WEBHOOK'] }])
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toMatchObject([{ deposit: { detectedBy: ['WEBHOOK', 'SCANNER'] } }])

  const late = pay(account, 26n)
  chain.mineEmpty(4)
  await scan()
  await point(late)
  const seen = sightings.all().find(({ txHash }) => txHash === late)
  expect(seen).toMatchObject({ stage: 'CONFIRMED', detectedBy: ['SCANNER', 'WEBHOOK'] })
  expect(executions.all()).toHaveLength(2)
  await end()
})

test('a newly created account is found', async () => {
  const { accounts, point, pay, chain, scan, amounts, end } = await world()
  const fresh = accounts.create()
  const hash = pay(fresh, 3n)
  chain.mineEmpty(4)
  await point(hash)
  await scan()
  expect(amounts()).toEqual([3n])
  await end()
})

test('an unmined transaction is looked up a few times and then left to the scanner', async () => {
  const { point, end } = await world()
  const unknown: Hash = `0x${'9'.repeat(64)}`
  expect(await point(unknown)).toBe('nak 2000')
  expect(await point(unknown, 2)).toBe('nak 8000')
  expect(await point(unknown, 4)).toBe('ack')
  await end()
})

test('a message is redelivered after a node failed, and never if it is unreadable', async () => {
  const { account, point, pay, chain, troubles, end } = await world()
  const hash = pay(account, 3n)
  chain.failure = new RoutingError('RPC_UNREACHABLE')
  expect(await point(hash)).toBe('nak 2000')
  expect(troubles.some(({ work }) => work === 'pointers')).toBe(true)
  chain.failure = null
  const before = troubles.length
  expect(await point('rubbish')).toBe('term')
  expect(troubles.slice(before).map(({ work }) => work)).toEqual(['pointers']) // also reported
  expect(await point('{"chainId":5,"txHash":"0x"}')).toBe('term')
  expect(await point(hash)).toBe('ack')
  await end()
})

test('a reverted transaction, an outgoing one and a foreign one bring nothing', async () => {
  const { account, point, chain, executions, sightings, end } = await world()
  const stranger: Address = '0x0000000000000000000000000000000000000777'
  const [reverted] = chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 5n }], succeeded: false })
  const [other] = chain.mine({ paid: [{ token: usdc, to: stranger, amountRaw: 5n }] })
  const [rare] = chain.mine({ paid: [{ token: unlisted, to: account, amountRaw: 5n }] })
  chain.mineEmpty(4)
  for (const hash of [reverted!, other!, rare!]) expect(await point(hash)).toBe('ack')
  expect(executions.all()).toEqual([])
  expect(sightings.all()).toEqual([])
  await end()
})

test('native coin named by a pointer is measured instead of trusted', async () => {
  const { account, point, pay, chain, scan, sweep, amounts, end } = await world()
  const hash = pay(account, 11n, zeroAddress)
  await point(hash)
  chain.mineEmpty(5)
  await scan()
  await sweep()
  expect(amounts()).toEqual([11n])
  await end()
})

test('a pointer to a block scanned long ago creates no second record of money found by balance', async () => {
  const { account, point, pay, chain, scan, sweep, amounts, end } = await world()
  const hash = pay(account, 8n)
  chain.hidden.add(chain.tip.number)
  chain.mineEmpty(20)
  await scan()
  chain.mineEmpty(1)
  await scan()
  await sweep()
  expect(amounts()).toEqual([8n])
  await point(hash)
  await sweep()
  expect(amounts()).toEqual([8n])
  await end()
})

test('a message of many pointers is acknowledged once all are followed, and redelivered while one is not mined', async () => {
  const { account, chain, pay, pointed, amounts, end } = await world()
  const hashes = [1n, 2n, 3n].map((amountRaw) => pay(account, amountRaw))
  chain.mineEmpty(4)
  const send = (all: Hash[], redeliveries: number): Promise<Answer> =>
    new Promise((resolve) =>
      pointed.next({
        data: new TextEncoder().encode(pointersText(all.map((txHash) => ({ chainId: base, txHash, seenAt: 1 })))),
        redeliveries,
        ack: () => resolve('ack'),
        nak: (delayMs) => resolve(`nak ${delayMs}`),
        term: () => resolve('term'),
      }),
    )
  const unknown: Hash = `0x${'0'.repeat(64)}`
  expect(await send([...hashes, unknown], 0)).toStartWith('nak')
  expect(await send([...hashes, unknown], 4)).toBe('ack')
  expect(await send(hashes, 0)).toBe('ack')
  expect(amounts().toSorted()).toEqual([1n, 2n, 3n])
  await end()
})
