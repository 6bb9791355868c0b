import { expect, test } from 'bun:test'
import { base, detectionWorld, usdc } from '../support/detection'

/** A block is scanned through a node without its logs, and read again on an operator's order. */
async function world() {
  const made = detectionWorld()
  const account = made.accounts.create()
  made.chain.mineEmpty(2)
  made.chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 8n }] })
  const block = made.chain.tip.number
  made.chain.hidden.add(block)
  for (const blocks of [20, 1]) {
    made.chain.mineEmpty(blocks)
    await made.scan()
  }
  const readAgain = () => {
    made.chain.hidden.delete(block)
    return made.detection.readRange(base, block - 1, block + 1)
  }
  return { ...made, readAgain }
}

test('reading blocks again creates no second record of money found by balance', async () => {
  const { sweep, readAgain, amounts } = await world()
  await sweep()
  expect(amounts()).toEqual([8n])
  expect(await readAgain()).toMatchObject({ deposits: 0 })
  expect(amounts()).toEqual([8n])
})

test('unrecorded deposits are found once by reading blocks again', async () => {
  const { sweep, readAgain, amounts } = await world()
  expect(await readAgain()).toMatchObject({ deposits: 1 })
  expect(await readAgain()).toMatchObject({ deposits: 0 })
  await sweep()
  expect(amounts()).toEqual([8n])
})

test('money that the sweep finds while blocks are read again is recorded once', async () => {
  const { accounts, chain, scan, sweep, detection, amounts } = detectionWorld()
  const account = accounts.create()
  await scan()
  chain.mine({ paid: [{ token: usdc, to: account, amountRaw: 8n }] })
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
  await detection.readRange(base, block, block + 5)
  expect(amounts()).toEqual([8n])
})
