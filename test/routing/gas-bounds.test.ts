import { expect, test } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { gasFeeOf } from '../../src/domain/money/fees'
import type { Chains } from '../../src/ports/chain-client'
import { WorthUnknown } from '../../src/ports/prices'
import { gasBounds } from '../../src/routing/pricing/gas-bounds'
import { executionOf } from '../support/deposits'
import { intent } from '../support/world'

const usd = 10n ** 8n
const target = { chainId: chains.arbitrum.id, token: `0x${'7'.repeat(40)}` as Address }

/** A deposit of 25 tokens of 6 decimals, routed into 24 of another of 6. */
function world({ tokenUsd = usd, targetUsd = usd as bigint | null, kind = 'BRIDGE', received = 25_000_000n } = {}) {
  const priceOf = async (_chainId: number, token: Address) => {
    if (token !== target.token) return tokenUsd
    if (targetUsd === null) throw new RoutingError('PROVIDER_UNREACHABLE')
    return targetUsd
  }
  const evm = { [target.chainId]: { tokenMetadata: async () => ({ symbol: 'T', name: 'T', decimals: 6 }) } }
  const within = gasBounds({ chains: evm as unknown as Chains, quoting: { prices: { usd: priceOf } } })
  const made = executionOf(1, {
    facts: {
      intent: { ...intent, targetChainId: target.chainId, targetTokenAddress: target.token },
      balance: { totalReceivedRaw: String(received), block: 1 },
      route: { kind, amountIn: '25000000', amountOutExpected: '24000000' } as never,
    },
  })
  const execution = { ...made, deposit: { ...made.deposit, decimals: 6 } } as Execution
  return (costWei: bigint, feeRaw: bigint) =>
    within({ execution, costWei, feeRaw }).then(
      () => 'fine',
      (error: RoutingError | WorthUnknown) => (error instanceof WorthUnknown ? error.waitingFor : error.code),
    )
}
const light = 2_500_000n
const heavy = 2_500_001n

test('a gas fee of a tenth of the deposit or less is never held back', async () => {
  const ask = world({ tokenUsd: 1n })
  for (let n = 0; n < 6; n++) expect(await ask(1_000n, light)).toBe('fine')
  expect(await ask(1_000_000n, light)).toBe('fine')
})

test('a large fee is charged in full as long as gas costs what it usually costs', async () => {
  const ask = world()
  for (let n = 0; n < 6; n++) expect(await ask(1_000n, light)).toBe('fine')
  expect(await ask(3_000n, 24_999_999n)).toBe('fine')
})

test('a large fee at more than three times the recent median is held back, and a cost that lasts becomes usual', async () => {
  const ask = world()
  for (let n = 0; n < 5; n++) expect(await ask(1_000n, light)).toBe('fine')
  const answers: string[] = []
  for (let n = 0; n < 8; n++) answers.push(await ask(3_001n, heavy))
  expect(answers[0]).toBe('RPC_FAILED')
  expect(answers.at(-1)).toBe('fine')
})

test('the first few estimates are never called unusual', async () => {
  const ask = world()
  for (let n = 0; n < 4; n++) expect(await ask(10n ** BigInt(n), heavy)).toBe('fine')
})

test('a fee is held back when its price would make the route pay more than it takes', async () => {
  expect(await world({ tokenUsd: (usd * 9n) / 10n })(1n, heavy)).toBe('WORTH')
  expect(await world({ tokenUsd: (usd * 92n) / 100n })(1n, heavy)).toBe('fine')
  expect(await world({ tokenUsd: 1n, kind: 'DIRECT' })(1n, heavy)).toBe('fine')
  expect(await world({ tokenUsd: 1n, targetUsd: null })(1n, heavy)).toBe('fine')
})

test('a wrong price of any size takes at most a tenth of the deposit, or is held back', async () => {
  for (let lie = 1n; lie <= 10_000_000n; lie *= 10n) {
    const tokenUsd = usd / lie > 0n ? usd / lie : 1n
    const feeRaw = gasFeeOf({ costWei: 10n ** 13n, nativeUsd: 3_000n * usd, tokenUsd, tokenDecimals: 6 })
    const answer = await world({ tokenUsd })(1n, feeRaw)
    expect(answer === 'WORTH' || feeRaw <= light).toBe(true)
  }
})
