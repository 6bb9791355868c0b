import { expect, test } from 'bun:test'
import { type Hash, zeroAddress } from '../../src/domain/chain/hex'
import { movedTo } from '../../src/domain/deposit/sighting'
import { RoutingError } from '../../src/domain/error'
import { depositIdOf } from '../../src/domain/execution/execution'
import { pointersText } from '../../src/domain/wake-messages'
import { base, detectionWorld, unlisted, usdc } from '../support/detection'
import { testAll } from '../support/test-all'

const paid = (to: `0x${string}`, amountRaw: bigint) => ({ paid: [{ token: usdc, to, amountRaw }] })

test('a confirmed transfer becomes one record with the values of its log, woken once', async () => {
  const { accounts, chain, scan, executions, woken } = detectionWorld()
  const account = accounts.create()
  await scan()
  const [hash] = chain.mine(paid(account, 25n))
  chain.mineEmpty(4)
  await scan()
  await scan()

  const id = depositIdOf(base, hash!, 0)
  expect(woken).toEqual([id])
  expect(executions.all()).toHaveLength(1)
  expect(executions.get(id)).toMatchObject({
    state: 'matching intent',
    status: null,
    organizationId: 'org_1',
    userId: 'user-1',
    deposit: { account, token: usdc, symbol: 'USDC', decimals: 6, amountRaw: '25', block: 1, detectedBy: ['SCANNER'] },
  })
})

test('a deposit that is confirmed during a pause after the head was read is not missed', async () => {
  const { accounts, chain, scan, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  const head = chain.head.bind(chain)
  let isPaused = true
  chain.head = async () => {
    const before = await head()
    if (isPaused) {
      chain.mineEmpty(5)
      chain.mine(paid(account, 25n))
      chain.mineEmpty(30)
    }
    isPaused = false
    return before
  }
  chain.mineEmpty(1)
  await scan()
  chain.mineEmpty(1)
  await scan()
  expect(amounts()).toEqual([25n])
})

test('an unconfirmed transfer is shown but not routed', async () => {
  const { accounts, chain, scan, executions, sightings } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine(paid(account, 25n))
  await scan()
  expect(executions.all()).toEqual([])
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMING', amountRaw: '25', account }])

  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toHaveLength(1)
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMED' }])
})

test('two deposits of one token in one block and one transaction are two records', async () => {
  const { accounts, chain, scan, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  const twice = [
    { token: usdc, to: account, amountRaw: 1n },
    { token: usdc, to: account, amountRaw: 2n },
  ]
  chain.mine({ paid: twice }, paid(account, 4n))
  chain.mineEmpty(4)
  await scan()
  expect(amounts().toSorted()).toEqual([1n, 2n, 4n])
})

test('a deposit to an account created a moment earlier is found', async () => {
  const { accounts, chain, clock, scan, amounts } = detectionWorld()
  await scan()
  const account = accounts.create({ createdAt: clock.at - 3_000 }) // the clock of its creator is behind
  chain.mine(paid(account, 7n))
  chain.mineEmpty(4)
  await scan()
  expect(amounts()).toEqual([7n])
})

testAll([
  ['zero', 0n, usdc],
  ['a token that is not supported', 5n, unlisted],
])('a zero amount or an unsupported token is not a deposit', async (_what, amountRaw, token) => {
  const { accounts, chain, scan, executions, sightings } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token, to: account, amountRaw }] })
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toEqual([])
  expect(sightings.all()).toEqual([])
})

test('a transfer from an account to itself is ignored', async () => {
  const { accounts, chain, scan, executions } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token: usdc, to: account, from: account, amountRaw: 5n }] })
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toEqual([])
})

test('a reorganization before confirmation orphans the shown transfer, and nothing was routed', async () => {
  const { accounts, chain, scan, executions, sightings } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine(paid(account, 25n))
  await scan()
  chain.reorg(1)
  chain.mineEmpty(6)
  await scan()
  expect(executions.all()).toEqual([])
  expect(sightings.all()).toMatchObject([{ stage: 'ORPHANED' }])
})

test('a transfer that a reorganization moves to a later block is recorded once, there', async () => {
  const { accounts, chain, scan, executions, sightings } = detectionWorld()
  const account = accounts.create()
  await scan()
  const [hash] = chain.mine(paid(account, 25n))
  await scan()
  chain.reorg(1)
  chain.mineEmpty(1)
  await scan()
  expect(sightings.all()).toMatchObject([{ stage: 'ORPHANED' }])
  chain.mine({ ...paid(account, 25n), hash: hash! })
  await scan()
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMING', block: 2 }])
  chain.mineEmpty(4)
  await scan()
  expect(executions.all()).toMatchObject([{ deposit: { block: 2, amountRaw: '25' } }])
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMED' }])
})

test('a transfer that moves within its block is one deposit, under the id of its new position', async () => {
  const { accounts, chain, scan, executions, sightings, ids } = detectionWorld()
  const [account, other] = [accounts.create(), accounts.create()]
  await scan()
  const [hash] = chain.mine(paid(account, 25n))
  await scan()
  chain.reorg(1)
  chain.mine(paid(other, 1n), { ...paid(account, 25n), hash: hash! })
  await scan()
  const at = (logIndex: number) => depositIdOf(base, hash!, logIndex)
  expect([0, 1].map((log) => sightings.get(at(log)).stage)).toEqual(['ORPHANED', 'CONFIRMING'])
  expect(movedTo(sightings.get(at(0)), sightings.all())).toBe(at(1))
  chain.mineEmpty(4)
  await scan()
  expect(ids()).toContain(at(1))
  expect(executions.all()).toHaveLength(2)
  expect(sightings.get(at(0)).stage).toBe('ORPHANED')
})

test('a transfer whose transaction is in an unread block does not count as dropped', async () => {
  const { accounts, chain, scan, sightings } = detectionWorld()
  const account = accounts.create()
  await scan()
  const [hash] = chain.mine(paid(account, 25n))
  await scan()
  chain.reorg(1)
  chain.mineEmpty(2)
  const transactionOf = chain.transaction.bind(chain)
  // It is mined during this poll, at another position of a block above the poll's head.
  chain.transaction = async (asked) => {
    chain.transaction = transactionOf
    chain.mine(paid(account, 1n), { ...paid(account, 25n), hash: hash! })
    return transactionOf(asked)
  }
  await scan()
  expect(sightings.all().map(({ stage }) => stage)).toEqual(['CONFIRMING'])
  await scan()
  expect(sightings.get(depositIdOf(base, hash!, 1)).stage).toBe('CONFIRMING')
  chain.mineEmpty(4)
  await scan()
  expect(sightings.get(depositIdOf(base, hash!, 0)).stage).toBe('ORPHANED')
})

test('a shown transfer is not withdrawn because a node does not have its transaction yet', async () => {
  const { accounts, chain, scan, sightings, detection } = detectionWorld()
  const account = accounts.create()
  chain.mineEmpty(6)
  await scan()
  const [hash] = chain.mine(paid(account, 25n))
  await detection.rescan(base, hash!, 'org_1')
  chain.hidden.add(chain.tip.number)
  const transaction = chain.transaction.bind(chain)
  chain.transaction = async () => null
  await scan()
  expect(sightings.all().map(({ stage }) => stage)).toEqual(['CONFIRMING'])
  chain.transaction = transaction
  chain.hidden.clear()
  chain.mineEmpty(4)
  await scan()
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMED' }])
  expect(sightings.all()[0]!.orphanedAt).toBeUndefined()
})

test('a shown transfer that stands on the chain is not withdrawn before its block is read again', async () => {
  const { accounts, chain, scan, sightings, detection } = detectionWorld()
  const account = accounts.create()
  chain.mineEmpty(6)
  await scan()
  const [hash] = chain.mine(paid(account, 25n))
  await detection.rescan(base, hash!, 'org_1')
  chain.hidden.add(chain.tip.number)
  chain.mineEmpty(4)
  await scan()
  expect(sightings.all().map(({ stage }) => stage)).toEqual(['CONFIRMING'])
  chain.hidden.clear()
  chain.mineEmpty(1)
  await scan()
  expect(sightings.all()).toMatchObject([{ stage: 'CONFIRMED' }])
  expect(sightings.all()[0]!.orphanedAt).toBeUndefined()
})

test('a change of a confirmed block is reported, and the scan restarts further back', async () => {
  const { accounts, chain, scan, reorgs, amounts, cursors } = detectionWorld()
  const account = accounts.create()
  chain.mineEmpty(20)
  await scan()
  chain.reorg(12)
  chain.mine(paid(account, 9n))
  chain.mineEmpty(14)
  await scan()
  expect(reorgs).toHaveLength(1)
  expect(amounts()).toEqual([9n])
  expect(cursors.all()[0]).toMatchObject({ scannedBlock: chain.tip.number - 4 })
})

test('the sweep records nothing of a lane in blocks that the scan has to read again', async () => {
  const { accounts, chain, scan, sweep, executions } = detectionWorld()
  const account = accounts.create()
  chain.mineEmpty(20)
  await scan()
  chain.reorg(12)
  const [hash] = chain.mine(paid(account, 9n))
  chain.mineEmpty(14)
  await sweep()
  expect(executions.all()).toEqual([])
  await scan()
  await sweep()
  expect(executions.all().map(({ deposit }) => [deposit.amountRaw, deposit.txHash])).toEqual([['9', hash!]])
})

test('blocks that are read again after a reorganization bring no second record of money found by balance', async () => {
  const { accounts, chain, scan, sweep, reorgs, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine(paid(account, 8n))
  chain.hidden.add(chain.tip.number)
  for (const blocks of [20, 1]) {
    chain.mineEmpty(blocks)
    await scan()
  }
  await sweep()
  expect(amounts()).toEqual([8n])
  chain.hidden.clear()
  chain.reorg(8)
  chain.mine(paid(account, 9n))
  chain.mineEmpty(14)
  for (const blocks of [0, 4]) {
    chain.mineEmpty(blocks)
    await scan()
    await sweep()
  }
  expect(reorgs).toHaveLength(1)
  expect(amounts()).toEqual([8n, 9n])
})

const readings: [what: string, read: (world: ReturnType<typeof detectionWorld>, txHash: Hash) => unknown][] = [
  ['scan', ({ another }) => another().watch.scanOnce(new AbortController().signal)],
  ['read range', ({ another }) => another().readRange(base, 0, 5)],
  ['rescan', ({ another }, txHash) => another().rescan(base, txHash, null)],
  ['webhook', byWebhook],
]

/** Has a process that watches no chain read a transaction that a webhook named. */
async function byWebhook({ another, pointed }: ReturnType<typeof detectionWorld>, txHash: Hash) {
  const next = another({ watched: [] })
  next.start()
  const data = new TextEncoder().encode(pointersText([{ chainId: base, txHash, seenAt: 1 }]))
  const answer = await new Promise<string>((resolve) =>
    pointed.next({
      ...{ data, redeliveries: 0 },
      ack: () => resolve('ack'),
      nak: () => resolve('nak'),
      term: () => resolve('term'),
    }),
  )
  await next.stop()
  expect(answer).toBe('ack')
}

testAll(readings)(
  'the next process after one that died in a reorganization records found money once',
  async (_, read) => {
    const world = detectionWorld()
    const { accounts, chain, scan, sweep, amounts } = world
    const account = accounts.create()
    await scan()
    const [txHash] = chain.mine(paid(account, 8n))
    chain.hidden.add(chain.tip.number)
    for (const blocks of [32, 1]) {
      chain.mineEmpty(blocks)
      await scan()
    }
    await sweep()
    chain.hidden.clear()
    chain.reorg(8)
    chain.mineEmpty(15)
    const transfers = chain.transfers.bind(chain)
    chain.transfers = () => Promise.reject(new Error('the process dies'))
    await expect(scan()).rejects.toThrow('the process dies')
    chain.transfers = transfers
    await read(world, txHash!)
    expect(amounts()).toEqual([8n])
  },
)

test('a scanner that another overtakes brings no second record of money found by balance', async () => {
  const { accounts, chain, scan, sweep, another, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine(paid(account, 8n))
  const block = chain.tip.number
  chain.mineEmpty(10)
  const transfers = chain.transfers.bind(chain)
  chain.transfers = async (...asked) => {
    chain.transfers = transfers
    const answer = await transfers(...asked)
    chain.hidden.add(block)
    await scan()
    chain.mineEmpty(1)
    await scan()
    await sweep()
    return answer
  }
  await another().watch.scanOnce(new AbortController().signal)
  expect(amounts()).toEqual([8n])
})

test('a different chain served by the node moves no cursor', async () => {
  const { accounts, chain, scan, reorgs, amounts, cursors } = detectionWorld()
  const account = accounts.create()
  chain.mineEmpty(20)
  await scan()
  const before = cursors.all()
  chain.reorg(12)
  chain.mineEmpty(30)
  chain.isStranger = true
  expect(await scan().catch((error) => error.code)).toBe('RPC_FAILED')
  expect([reorgs, cursors.all()]).toEqual([[], before])

  chain.isStranger = false
  chain.mine(paid(account, 9n))
  chain.mineEmpty(4)
  await scan()
  expect(amounts()).toEqual([9n])
})

test('a log that a node lacked at first is found by the overlap', async () => {
  const { accounts, chain, scan, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine(paid(account, 3n))
  chain.mineEmpty(4)
  chain.hidden.add(1)
  await scan()
  expect(amounts()).toEqual([])
  chain.hidden.clear()
  chain.mineEmpty(1)
  await scan()
  expect(amounts()).toEqual([3n])
})

test('a scanner catches up with 10,000 blocks after a downtime even if the node refuses long ranges', async () => {
  const { accounts, chain, scan, amounts, cursors } = detectionWorld()
  const account = accounts.create()
  await scan()
  for (let n = 0; n < 100; n++) {
    chain.mine(paid(account, BigInt(n + 1)))
    chain.mineEmpty(99)
  }
  chain.rangeMax = 100
  await scan()
  chain.mineEmpty(5)
  await scan()
  expect(amounts()).toHaveLength(100)
  expect(cursors.all()[0]!.scannedBlock).toBe(chain.tip.number - 4)
  expect(chain.asked.transfers).toBeLessThan(400)
})

test('confirmed deposits are recorded even if the node answers for one block at a time', async () => {
  const { accounts, chain, scan, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.rangeMax = 1
  chain.mine(paid(account, 8n))
  chain.mineEmpty(6)
  await expect(scan()).rejects.toThrow(RoutingError) // only the head, of four blocks, cannot be shown
  expect(amounts()).toEqual([8n])
})

test('the watermark stays while the node is unreachable, and the scan continues from it', async () => {
  const { accounts, chain, scan, cursors, amounts, detection } = detectionWorld()
  const account = accounts.create()
  await scan()
  const before = cursors.all()[0]!.scannedBlock
  chain.mine(paid(account, 8n))
  chain.mineEmpty(6)
  chain.failure = new RoutingError('RPC_UNREACHABLE')
  await expect(scan()).rejects.toThrow(RoutingError)
  expect(await detection.scannedTo(base)).toBe(before)
  chain.failure = null
  await scan()
  expect(amounts()).toEqual([8n])
})

test('two scanners of one chain create one record of each deposit', async () => {
  const { accounts, chain, another, scan, amounts, woken } = detectionWorld()
  const account = accounts.create()
  await scan()
  for (let n = 1; n <= 20; n++) chain.mine(paid(account, BigInt(n)))
  chain.mineEmpty(4)
  const signal = new AbortController().signal
  await Promise.all([scan(), another().watch.scanOnce(signal), another().watch.scanOnce(signal)])
  expect(amounts()).toHaveLength(20)
  expect(new Set(woken).size).toBe(woken.length)
})

test('the first scan starts at the configured block, and otherwise at the confirmed block', async () => {
  const early = detectionWorld({ fromBlock: () => 0 })
  const account = early.accounts.create()
  early.chain.mine(paid(account, 1n))
  early.chain.mineEmpty(10)
  await early.scan()
  expect(early.amounts()).toEqual([1n])

  const now = detectionWorld()
  now.chain.mine(paid(now.accounts.create(), 1n))
  now.chain.mineEmpty(10)
  await now.scan()
  expect(now.amounts()).toEqual([])
  expect(await now.detection.scannedTo(base)).toBe(7)
})

test('polling an unchanged chain costs one request', async () => {
  const { chain, scan } = detectionWorld()
  await scan()
  const { transfers } = chain.asked
  await scan()
  expect(chain.asked.transfers).toBe(transfers)
})

test('an account that a transaction pays in native coin is measured immediately', async () => {
  const { accounts, chain, scan, detection, executions } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token: zeroAddress, to: account, amountRaw: 5n }] })
  chain.mineEmpty(4)
  await scan()
  await detection.watch.sweepOnce()
  expect(executions.all()).toMatchObject([{ deposit: { amountRaw: '5', symbol: 'ETH', detectedBy: ['SWEEP'] } }])
})

test('a node that lacks the scanned blocks is reported after a minute', async () => {
  const { clock, chain, cursors, scan } = detectionWorld()
  chain.mineEmpty(9)
  await scan()
  cursors.change('base', { scannedBlock: 60_000_000 })
  chain.mineEmpty(1)
  await scan()
  clock.at += 61_000
  expect(scan()).rejects.toMatchObject({ code: 'RPC_FAILED' })
})
