import { expect, test } from 'bun:test'
import { addressMap, packedAddresses } from '../../src/detection/intake/address-map'
import type { Account } from '../../src/domain/chain/account'
import { accountsMade, addressOf } from '../support/detection'
import { testAll } from '../support/test-all'

const world = () => {
  const clock = { at: 1_000_000 }
  const now = () => clock.at
  const accounts = accountsMade(now)
  return { clock, accounts, map: addressMap({ accounts, now }) }
}

test('a loaded address is found in any case', async () => {
  const { accounts, map } = world()
  const account = accounts.create()
  expect(map.has(account)).toBe(false)
  await map.refresh()
  expect([account, account.toLowerCase()].map(map.has)).toEqual([true, true])
  expect(map.has(addressOf(99))).toBe(false)
  expect(['', '0x', 'hello', `${account}00`].map(map.has)).toEqual([false, false, false, false])
})

test('a refresh reads everything stored before its call, even while another one is under way', async () => {
  const { accounts, map } = world()
  await map.refresh()
  const first = map.refresh()
  const account = accounts.create()
  await Promise.all([first, map.refresh(), map.refresh()])
  expect(map.has(account)).toBe(true)
})

test('an account stored later than its timestamp is found and reported', async () => {
  const { accounts, clock, map } = world()
  await map.refresh()
  const joined: string[] = []
  map.joined.subscribe((addresses) => joined.push(...addresses))
  clock.at += 60_000
  await map.refresh()
  const account = accounts.create({ createdAt: clock.at - 30_000 })
  clock.at += 11_000
  await map.refresh()
  expect(joined).toEqual([account])
})

testAll([
  ['ten minutes', 600_000, 5 * 60_000],
  ['six hours', 6 * 3_600_000, 3_600_000],
])('an account that was stored late is found by a running scanner', async (_late, lateMs, withinMs) => {
  const { accounts, clock, map } = world()
  clock.at = 1_700_000_000_000
  await map.refresh()
  const joined: string[] = []
  map.joined.subscribe((addresses) => joined.push(...addresses))
  const account = accounts.create({ createdAt: clock.at - lateMs })
  const until = clock.at + withinMs
  for (; clock.at < until; clock.at += 1_000) await map.refresh()
  await map.refresh()
  expect(joined).toEqual([account])
})

test('many accounts with one timestamp are read in pages', async () => {
  const { accounts, map } = world()
  for (let n = 0; n < 41_000; n++) accounts.create({ createdAt: 5 })
  await map.refresh()
  expect(map.size).toBe(41_000)
})

test('a failed read fails its call but not the next one', async () => {
  const { accounts, map } = world()
  const account = accounts.create()
  const read = accounts.createdSince
  accounts.createdSince = async () => {
    throw new Error('no answer')
  }
  const flaky = addressMap({ accounts, now: () => 1 })
  await expect(flaky.refresh()).rejects.toThrow('no answer')
  accounts.createdSince = read
  await flaky.refresh()
  expect(flaky.has(account)).toBe(true)
  expect(await map.find(addressOf(1))).toBeNull()
})

test('the store decides who owns an address, even before the map has loaded it', async () => {
  const { accounts, map } = world()
  const account = accounts.create()
  expect(await map.find(account.toLowerCase() as Account['id'])).toEqual({
    id: account,
    organizationId: 'org_1',
    userId: 'user-1',
  })
})

test('an unknown address is queried again after two seconds, without a refresh', async () => {
  const { accounts, clock, map } = world()
  expect(await map.find(addressOf(0))).toBeNull()
  const account = accounts.create()
  expect(await map.find(account)).toBeNull()
  clock.at += 2_000
  expect(await map.find(account)).toMatchObject({ id: account })
})

test('many addresses take less than 40 bytes each and keep their order', () => {
  const addresses = packedAddresses()
  const hex = (n: number) =>
    `0x${Bun.hash(String(n)).toString(16).padStart(16, '0')}${n.toString(16).padStart(24, '0')}`
  for (let n = 0; n < 100_000; n++) addresses.add(hex(n))
  expect(addresses.size).toBe(100_000)
  expect(addresses.bytes).toBeLessThan(100_000 * 40)
  for (const n of [0, 1, 49_999, 99_999]) expect(addresses.has(hex(n))).toBe(true)
  for (const n of [100_000, 100_001]) expect(addresses.has(hex(n))).toBe(false)
  expect(addresses.add(hex(7))).toBe(false)
  expect(addresses.slice(99_998, 200_000)).toEqual([hex(99_998), hex(99_999)] as `0x${string}`[])
})
