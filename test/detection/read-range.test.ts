import { expect, test } from 'bun:test'
import { base, detectionWorld, usdc } from '../support/detection'

/** A block is scanned by a node that does not know its logs yet, and read again by an operator's order. */
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

test('blocks that are read again make no second record of what the sweep has found', async () => {
  const { sweep, readAgain, amounts } = await world()
  await sweep()
  expect(amounts()).toEqual([8n])
  expect(await readAgain()).toMatchObject({ found: 0 })
  expect(amounts()).toEqual([8n])
})

test('deposits that nobody has recorded are found by reading blocks again, once', async () => {
  const { sweep, readAgain, amounts } = await world()
  expect(await readAgain()).toMatchObject({ found: 1 })
  expect(await readAgain()).toMatchObject({ found: 0 })
  await sweep()
  expect(amounts()).toEqual([8n])
})
