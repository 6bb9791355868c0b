import { expect, test } from 'bun:test'
import { chains } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { RoutingError } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { gasFeeOf } from '../../src/domain/money/fees'
import type { GasRecord } from '../../src/domain/money/gas'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import { gasBounds } from '../../src/gas/gas-bounds'
import { sharedGasBooks } from '../../src/gas/shared-gas-books'
import type { Chains } from '../../src/ports/chain-client'
import { executionOf } from '../support/deposits'
import { recordsInMemory } from '../support/records'
import { testAll } from '../support/test-all'
import { intent } from '../support/world'

const usd = 10n ** 8n
const target = { chainId: chains.arbitrum.id, token: `0x${'7'.repeat(40)}` as Address }

/** A deposit of 25 tokens with 6 decimals, routed into 24 of another token with 6 decimals. */
function world({
  tokenUsd = usd,
  targetUsd = usd as bigint | null,
  kind = 'BRIDGE',
  received = 25_000_000n,
  count = 1,
} = {}) {
  const priceOf = async (_chainId: number, token: Address) => {
    if (token !== target.token) return tokenUsd
    if (targetUsd === null) throw new RoutingError('PROVIDER_UNREACHABLE')
    return targetUsd
  }
  const evm = { [target.chainId]: { tokenMetadata: async () => ({ symbol: 'T', name: 'T', decimals: 6 }) } }
  const within = gasBounds({ chains: evm as unknown as Chains, quoting: { prices: { usd: priceOf } } })
  const clock = { at: 0 }
  const books = recordsInMemory<GasRecord>()
  const workers = Array.from({ length: count }, () => sharedGasBooks({ books, now: () => clock.at }))
  let asked = 0
  const made = executionOf(1, {
    facts: {
      intent: { ...intent, targetChainId: target.chainId, targetTokenAddress: target.token },
      balance: { totalReceivedRaw: String(received), block: 1 },
      route: { kind, amountIn: '25000000', amountOutExpected: '24000000' } as never,
    },
  })
  const execution = { ...made, deposit: { ...made.deposit, decimals: 6 } } as Execution
  /** Prices one deposit every ten seconds on a changing worker. */
  return async (weiPerGas: bigint, feeRaw: bigint) => {
    clock.at += 10_000
    const measured = { kind: 'a kind', gas: 1n, costWei: weiPerGas, extraWei: 0n }
    const book = await workers[asked++ % count]!.note(8453, measured)
    return within({ execution, feeRaw, noted: { measured, book } }).then(
      () => 'fine',
      (error: RoutingError | TemporarilyUnavailable) =>
        error instanceof TemporarilyUnavailable ? error.waitingFor : error.code,
    )
  }
}
const light = 2_500_000n
const heavy = 2_500_001n

test('a gas fee of at most a tenth of the deposit is never held back', async () => {
  const ask = world({ tokenUsd: 1n })
  for (let n = 0; n < 6; n++) expect(await ask(1_000n, light)).toBe('fine')
  expect(await ask(1_000_000n, light)).toBe('fine')
})

test('a large fee is charged in full while the gas price is usual', async () => {
  const ask = world()
  for (let n = 0; n < 6; n++) expect(await ask(1_000n, light)).toBe('fine')
  expect(await ask(3_000n, 24_999_999n)).toBe('fine')
})

testAll([1, 3, 10])(
  'a large fee at three times the median gas price waits for any number of workers, until that price becomes usual',
  async (count) => {
    const ask = world({ count })
    for (let n = 0; n < 5; n++) expect(await ask(1_000n, light)).toBe('fine')
    const answers: string[] = []
    for (let n = 0; n < 8; n++) answers.push(await ask(3_001n, heavy))
    // The deposit waits, without a retry, for the same time with any number of workers.
    expect(answers).toEqual([...Array(5).fill('NODE'), ...Array(3).fill('fine')])
  },
)

test('simultaneous routes count as one gas price', async () => {
  const books = sharedGasBooks({ books: recordsInMemory<GasRecord>(), now: () => 1_000 })
  const at = (weiPerGas: bigint) => ({ kind: 'a kind', gas: 10n, costWei: 10n * weiPerGas, extraWei: 0n })
  await Promise.all(Array.from({ length: 50 }, (_, n) => books.note(8453, at(BigInt(n + 1)))))
  expect((await books.read(8453)).prices).toHaveLength(1)
})

test('the first few estimates never count as unusual', async () => {
  const ask = world()
  for (let n = 0; n < 4; n++) expect(await ask(10n ** BigInt(n), heavy)).toBe('fine')
})

test('a fee is held back if its price would make the route pay more than it takes', async () => {
  expect(await world({ tokenUsd: (usd * 9n) / 10n })(1n, heavy)).toBe('WORTH')
  expect(await world({ tokenUsd: (usd * 92n) / 100n })(1n, heavy)).toBe('fine')
  expect(await world({ tokenUsd: 1n, kind: 'DIRECT' })(1n, heavy)).toBe('fine')
  expect(await world({ tokenUsd: 1n, targetUsd: null })(1n, heavy)).toBe('fine')
})

test('a wrong price of any size costs at most a tenth of the deposit, or the fee is held back', async () => {
  for (let lie = 1n; lie <= 10_000_000n; lie *= 10n) {
    const tokenUsd = usd / lie > 0n ? usd / lie : 1n
    const feeRaw = gasFeeOf({ costWei: 10n ** 13n, nativeUsd: 3_000n * usd, tokenUsd, tokenDecimals: 6 })
    const answer = await world({ tokenUsd })(1n, feeRaw)
    expect(answer === 'WORTH' || feeRaw <= light).toBe(true)
  }
})
