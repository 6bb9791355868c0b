import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Subject } from 'rxjs'
import { assetTransfers } from '../../src/adapters/alchemy/asset-transfers'
import { backfill, gapsOf } from '../../src/detection/sweeps/backfill'
import type { Address } from '../../src/domain/chain/hex'
import type { Pointer } from '../../src/domain/wake-messages'
import type { AssetTransfer, ScanCursor } from '../../src/ports/detection'
import { recordsInMemory } from '../support/records'
import { eventually } from '../support/until'
import { newAddress, startWorld, type World } from './world'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.end())

async function received(address: Address, key: 'base' | 'avalanche', from = 0): Promise<AssetTransfer[]> {
  const all: AssetTransfer[] = []
  for await (const page of assetTransfers(world.alchemyRpcUrls[key]).to(address, from)) all.push(...page)
  return all
}

test('asset transfers name the tokens and coins that an address received, even on chains without internal transfers', async () => {
  for (const chainKey of ['base', 'avalanche'] as const) {
    const to = newAddress()
    const token = await world.sendDeposit({ chainKey, token: 'USDC', amountRaw: 5n, to })
    const coin = await world.sendDeposit({ chainKey, token: 'native', amountRaw: 7n, to })
    const found = await eventually(
      'two received transfers',
      () => received(to, chainKey),
      (all) => all.length === 2,
    )
    expect(found).toEqual([
      { hash: token, isNative: false },
      { hash: coin, isNative: true },
    ])
  }
})

test('detection gets pointers to missed transfers and to accounts with coins after downtime', async () => {
  const [idle, paid] = [newAddress(), newAddress()]
  const { blockNumber } = await world.waitForReceipt(
    'base',
    await world.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 5n, to: paid }),
  )
  const token = await world.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 5n, to: paid })
  const coin = await world.sendDeposit({ chainKey: 'base', token: 'native', amountRaw: 5n, to: paid })
  await eventually(
    'three received transfers',
    () => received(paid, 'base'),
    (all) => all.length === 3,
  )

  const cursors = recordsInMemory<ScanCursor>()
  const scannedBlock = Number(blockNumber)
  await cursors.save({ id: 'base', version: 0, scannedBlock, scannedBlockHash: '0x', updatedAt: 0 })
  await cursors.save({ id: 'polygon', version: 0, scannedBlock, scannedBlockHash: '0x', updatedAt: 950_000 })
  const gaps = await gapsOf(cursors, 1_000_000)
  expect(gaps).toEqual([{ chainId: 8453, fromBlock: scannedBlock + 1 }])

  const published: Pointer[] = []
  const requested: Address[] = []
  const troubles: string[] = []
  const addresses = [idle, paid]
  const book = {
    size: 2,
    joined: new Subject<Address[]>(),
    refresh: async () => {},
    slice: (a: number, b: number) => addresses.slice(a, b),
  }
  await backfill(gaps, book, {
    transfersOf: { 8453: assetTransfers(world.alchemyRpcUrls.base) },
    pointers: { publish: async (pointers) => void published.push(...pointers) },
    requestSweep: (_chainId, account) => requested.push(account),
    now: () => 1,
    onTrouble: (work) => troubles.push(work),
  })
  expect(published.map(({ txHash }) => txHash).sort()).toEqual([token, coin].sort())
  expect(requested).toEqual([paid])
  expect(troubles).toEqual([])
})
