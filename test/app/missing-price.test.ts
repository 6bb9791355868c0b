import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { pricing } from '../../src/app/pricing'
import { chainKeys } from '../../src/domain/chain/chain'
import { TokenList } from '../../src/domain/money/token'
import type { PriceSource } from '../../src/ports/prices'
import { oneDeposit } from '../support/one-deposit'
import { recordsInMemory } from '../support/records'

afterEach(() => void setSystemTime())

const hour = 3_600_000

test('a deposit waits without a retry while no source of the service has a price, and is delivered once two have one', async () => {
  let isMissing = true
  // Both adapters return null for the devnet's fault NO_PRICE.
  const source = (name: string): PriceSource => ({ name, priceUsd: async () => (isMissing ? null : 10n ** 8n) })
  const { wake, run, clock, execution } = oneDeposit({
    sponsoredGas: false,
    pricing: (chains, now) =>
      pricing({
        providers: [source('lifi')],
        relayPrices: source('relay'),
        secrets: { rpcUrls: Object.fromEntries(chainKeys.map((key) => [key, []])) as never },
        tokens: new TokenList([]),
        chains,
        priceBooks: recordsInMemory(),
        now,
        telemetry: noTelemetry,
      }),
  })
  for (let due = execution().dueAt!; due < 3 * hour; due = execution().dueAt!) {
    clock.at = due
    await wake()
  }
  expect(execution()).toMatchObject({ status: null, retryCount: 0, cause: null, facts: { waiting: { for: 'WORTH' } } })
  isMissing = false
  expect(await run()).toMatchObject({ status: 'SUCCESS', retryCount: 0, facts: { fees: { gasFeeSkipReason: 'NONE' } } })
  expect(clock.at).toBeLessThan(3.2 * hour)
})
