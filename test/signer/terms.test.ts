import { expect, test } from 'bun:test'
import { assumedSplit, minGasOf, SigningRefusal } from '../../src/signer/terms'
import { signable } from '../support/signable'

/** The split of a draft whose route takes this amount of 25,000,000, with a protocol fee of a hundredth. */
function splitFor(amountIn: bigint) {
  const { facts, ...execution } = signable()
  return assumedSplit({ ...execution, facts: { ...facts, route: { ...facts.route!, amountIn: String(amountIn) } } })
}

test('a draft counts what its route leaves over as the protocol fee, and the rest as gas', () => {
  const parts = (amountIn: bigint) => {
    const { protocolFee, gasFee, amount } = splitFor(amountIn)
    return [amount, protocolFee, gasFee]
  }
  expect(parts(24_749_000n)).toEqual([24_749_000n, 250_000n, 1_000n])
  expect(parts(24_750_000n)).toEqual([24_750_000n, 250_000n, 0n])
  expect(parts(24_900_000n)).toEqual([24_900_000n, 100_000n, 0n])
  expect(parts(25_000_000n)).toEqual([25_000_000n, 0n, 0n])
  expect(parts(1n)).toEqual([1n, 250_000n, 24_749_999n])
})

test('a draft’s route takes at least one unit and at most the balance', () => {
  for (const amountIn of [0n, 25_000_001n]) expect(() => splitFor(amountIn)).toThrow(SigningRefusal)
})

test('before the balance is verified, a draft splits the logged amount', () => {
  const { facts, ...execution } = signable()
  const { balance: _, ...unverified } = facts
  expect(assumedSplit({ ...execution, facts: unverified }).amountIn).toBe(25_000_000n)
})

test('an order’s least gas is five sixths of its limit, less the gas that its transaction pays first', () => {
  const least = (gasLimit: bigint | null, chainId: 8453 | 42161 = 8453, kind: 'SWAP' | 'DIRECT' = 'SWAP') =>
    minGasOf({ kind, data: '0x', chainId }, gasLimit)
  // 21,000 for the transaction, and 16 for each of the order's 1,000 bytes and the one that "0x" counts as.
  expect([least(1_200_000n), least(1_200_006n)]).toEqual([962_984n, 962_989n])
  expect([least(null), least(1_200_000n, 42161), least(100_000n)]).toEqual([170_000n, 170_000n, 170_000n])
  expect([least(null, 8453, 'DIRECT'), least(100_000n, 8453, 'DIRECT')]).toEqual([110_000n, 110_000n])
})

test('a refusal has its own name in the log', () => {
  expect(`${new SigningRefusal('The route has no call')}`).toBe('Refusal: The route has no call')
})
