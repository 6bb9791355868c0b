import { describe, expect, test } from 'bun:test'
import type { DepositIntent } from '../../src/domain/deposit/deposit-intent'
import { addressOf } from '../support/deposits'
import { engineStores, type OpenStore } from '../support/stores'

const account = addressOf(0xa1)
const recipient = (n: number) => addressOf(0x1_0000 + n)
const changedBy = { kind: 'API_KEY', id: 'key_1', label: 'production' } as const

const intentOf = (change: Partial<DepositIntent> = {}): DepositIntent => ({
  id: account,
  version: 0,
  organizationId: 'org_a',
  userId: 'ada',
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: addressOf(0x70),
  targetAddress: recipient(1),
  protocolFeeBps: 50,
  sponsoredGas: false,
  refundAddress: null,
  createdAt: 1,
  updatedAt: 1,
  seal: null,
  changedBy,
  ...change,
})

async function changed({ store }: OpenStore, times: number): Promise<DepositIntent> {
  let intent = (await store.intents.save(intentOf()))!
  for (let n = 2; n <= times; n++)
    intent = (await store.intents.save({ ...intent, targetAddress: recipient(n), updatedAt: n }))!
  return intent
}

describe.each(engineStores)('versions of intents %s', (_name, open) => {
  test('each replaced version is kept unchanged, and the current version is not listed among them', async () => {
    const opened = await open()
    const now = await changed(opened, 4)
    const kept = await opened.store.intentHistory.replaced(account, now.version, 10)
    expect(kept).toEqual(
      [3, 2, 1].map((n) => intentOf({ version: n, targetAddress: recipient(n), updatedAt: n })) as never,
    )
  })

  test('versions are read page by page, newest first, of one intent only', async () => {
    const opened = await open()
    await changed(opened, 6)
    const other = (await opened.store.intents.save(intentOf({ id: addressOf(0xa2) })))!
    await opened.store.intents.save({ ...other, targetAddress: recipient(9) })
    const versions = async (before: number) =>
      (await opened.store.intentHistory.replaced(account, before, 2)).map(({ version }) => version)
    expect([await versions(6), await versions(4), await versions(2), await versions(1)]).toEqual([
      [5, 4],
      [3, 2],
      [1],
      [],
    ])
  })

  test('racing writers keep each version once and lose none', async () => {
    const { store, other } = await open()
    await store.intents.save(intentOf())
    const write = async (n: number): Promise<void> => {
      const intents = (n % 2 ? store : other).intents
      const save = async () => intents.save({ ...(await intents.load(account))!, targetAddress: recipient(n) })
      while (!(await save()));
    }
    await Promise.all(Array.from({ length: 20 }, (_, n) => write(n + 2)))
    const now = (await store.intents.load(account))!
    const kept = await store.intentHistory.replaced(account, now.version, 100)
    expect(kept.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, n) => 20 - n))
    expect(new Set([now, ...kept].map(({ targetAddress }) => targetAddress)).size).toBe(21)
  })

  test('a change that is not the next version is refused without effect', async () => {
    const { store } = await open()
    const first = (await store.intents.save(intentOf()))!
    await store.intents.save({ ...first, targetAddress: recipient(2) })
    expect(await store.intents.save({ ...first, targetAddress: recipient(3) })).toBeNull()
    expect((await store.intentHistory.replaced(account, 9, 9)).map(({ version }) => version)).toEqual([1])
  })
})
