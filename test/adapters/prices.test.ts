import { expect, test } from 'bun:test'
import { prices } from '../../src/adapters/prices'
import { RoutingError } from '../../src/domain/error'
import { zeroAddress } from '../../src/domain/hex'

type Says = bigint | null | Error
const provider = (...says: Says[]) => {
  const made = {
    asked: 0,
    async priceUsd() {
      const said = says[Math.min(made.asked++, says.length - 1)]!
      if (said instanceof Error) throw said
      return said
    },
  }
  return made
}
const away = new RoutingError('PROVIDER_UNREACHABLE')
let now = 0
const pricesOf = (...providers: ReturnType<typeof provider>[]) => prices(providers, { now: () => now })
const codeOf = (act: Promise<unknown>) => act.catch(({ code }) => code)

test('prices: the first that knows is believed', async () => {
  expect(await pricesOf(provider(away), provider(null), provider(7n)).usd(1, zeroAddress)).toBe(7n)
})

test('prices: asked once for all who ask at once, and then kept for half a minute', async () => {
  now = 0
  const one = provider(7n, 8n)
  const known = pricesOf(one)
  expect(await Promise.all([known.usd(1, zeroAddress), known.usd(1, zeroAddress)])).toEqual([7n, 7n])
  now = 29_999
  expect(await known.usd(1, zeroAddress)).toBe(7n)
  expect(one.asked).toBe(1)
  now = 30_000
  expect(await known.usd(1, zeroAddress)).toBe(8n)
})

test('prices: of each token on each chain', async () => {
  const one = provider(7n)
  const known = pricesOf(one)
  await known.usd(1, zeroAddress)
  await known.usd(137, zeroAddress)
  await known.usd(1, `0x${'1'.repeat(40)}`)
  expect(one.asked).toBe(3)
})

test('prices: an older one serves while nobody answers, but not for long', async () => {
  now = 0
  const known = pricesOf(provider(7n, away))
  await known.usd(1, zeroAddress)
  now = 299_999
  expect(await known.usd(1, zeroAddress)).toBe(7n)
  now = 300_000
  expect(await codeOf(known.usd(1, zeroAddress))).toBe('PROVIDER_UNREACHABLE')
})

test.each([[0n], [-1n], [10n ** 16n], [null]])('prices: %s is none', async (said) => {
  expect(await codeOf(pricesOf(provider(said)).usd(1, zeroAddress))).toBe('PROVIDER_FAILED')
})

test('prices: a bug of a provider stays one', async () => {
  expect(pricesOf(provider(new TypeError('bug'))).usd(1, zeroAddress)).rejects.toThrow(TypeError)
})
