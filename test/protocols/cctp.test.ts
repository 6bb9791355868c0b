import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { keccak256, recoverAddress, slice } from 'viem/utils'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hash, Hex } from '../../src/domain/chain/hex'
import { type Burn, depositForBurn, readDepositForBurn, tokenMessenger, wordOf } from '../../src/protocols/cctp/burn'
import { type BurnMessage, isMessageOf, messageOf, readMessage } from '../../src/protocols/cctp/message'
import { samplesIn } from '../support/real-answers'
import { testAll } from '../support/test-all'

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value): Hex => `0x${Buffer.from(value).toString('hex')}`)
const anyBurn: fc.Arbitrary<Burn> = fc.record({
  amount: fc.bigInt(0n, 2n ** 256n - 1n),
  destinationDomain: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  mintRecipient: hex(32),
  burnToken: hex(20),
  destinationCaller: hex(32),
  maxFee: fc.bigInt(0n, 2n ** 256n - 1n),
  minFinalityThreshold: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
})
const lower = <Value>(value: Value): Value => JSON.parse(textOf(value).toLowerCase())
const textOf = (value: unknown) => JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? `${each}` : each))

test('a burn is read as it was written', () =>
  fc.assert(
    fc.property(anyBurn, (burn) => expect(lower(readDepositForBurn(depositForBurn(burn)))).toEqual(lower(burn))),
  ))

test('a burn with other bytes before it, after it or in its padding is rejected', () => {
  const call = depositForBurn({
    amount: 25_000_000n,
    destinationDomain: 3,
    mintRecipient: wordOf(`0x${'1'.repeat(40)}`),
    burnToken: `0x${'2'.repeat(40)}`,
    destinationCaller: `0x${'0'.repeat(64)}`,
    maxFee: 2_500n,
    minFinalityThreshold: 1_000,
  })
  const others: Hex[] = [`${call}00`, call.slice(0, -2) as Hex, `0x${'00'.repeat(228)}`, '0x']
  for (const other of others) expect(readDepositForBurn(other)).toBeNull()
  // The words of the domain, the token and the threshold have padding.
  for (const word of [1, 3, 6]) {
    const at = 2 + (4 + word * 32) * 2
    expect(readDepositForBurn(`${call.slice(0, at)}01${call.slice(at + 2)}` as Hex)).toBeNull()
  }
})

type Sample = { message: Hex; attestation: Hex; reads: Record<string, unknown> }
const samples = await samplesIn<Sample>('cctp')

testAll(samples)('a message of Circle is read field by field', (_name, { message, reads }) => {
  const read = readMessage(message)!
  expect(JSON.parse(textOf(read))).toEqual(reads)
  expect(messageOf(read)).toBe(message)
})

testAll(samples)(
  'Circle’s attesters signed the hash of the message, in the order of their addresses',
  async (_, it) => {
    const signatures = [slice(it.attestation, 0, 65), slice(it.attestation, 65, 130)]
    const hash = keccak256(it.message)
    const attesters = await Promise.all(signatures.map((signature) => recoverAddress({ hash, signature })))
    expect(attesters.map((attester) => attester.toLowerCase()).toSorted()).toEqual(
      attesters.map((attester) => attester.toLowerCase()),
    )
    expect(new Set(attesters).size).toBe(2)
  },
)

const account: Address = `0x${'A'.repeat(40)}`
const burn: Burn = {
  amount: 25_000_000n,
  destinationDomain: 3,
  mintRecipient: wordOf(`0x${'1'.repeat(40)}`),
  burnToken: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  destinationCaller: `0x${'0'.repeat(64)}`,
  maxFee: 2_500n,
  minFinalityThreshold: 1_000,
}
const message: BurnMessage = {
  version: 1,
  sourceDomain: 6,
  destinationDomain: 3,
  nonce: `0x${'7'.repeat(64)}`,
  sender: wordOf(tokenMessenger),
  recipient: wordOf(tokenMessenger),
  destinationCaller: burn.destinationCaller,
  minFinalityThreshold: 1_000,
  finalityThresholdExecuted: 1_000,
  bodyVersion: 1,
  burnToken: wordOf(burn.burnToken),
  mintRecipient: burn.mintRecipient,
  amount: burn.amount,
  messageSender: wordOf(account),
  maxFee: burn.maxFee,
  feeExecuted: 2_500n,
  expirationBlock: 99n,
  hookData: '0x',
}
const from = { account, chainId: chains.base.id }

test('bytes that are too short or of another version are no message', () => {
  const text = messageOf(message)
  expect(readMessage(text)).toEqual(message)
  const others = [text.slice(0, -2), text.slice(0, -1), `${text.slice(0, -1)}g`, '0x', 'message'] as Hex[]
  for (const other of others) expect(readMessage(other)).toBeNull()
  expect(readMessage(messageOf({ ...message, version: 0 }))).toBeNull()
  expect(readMessage(messageOf({ ...message, bodyVersion: 2 }))).toBeNull()
})

test('a message matches a burn if Circle changed only its own fields', () => {
  const other: Hash = `0x${'9'.repeat(64)}`
  const notOurs: Partial<BurnMessage>[] = [
    { sourceDomain: 0 },
    { destinationDomain: 0 },
    { nonce: `0x${'0'.repeat(64)}` },
    { sender: other },
    { recipient: other },
    { destinationCaller: other },
    { minFinalityThreshold: 2_000 },
    { finalityThresholdExecuted: 999 },
    { burnToken: other },
    { mintRecipient: other },
    { amount: burn.amount - 1n },
    { messageSender: other },
    { maxFee: burn.maxFee + 1n },
    { feeExecuted: burn.maxFee + 1n },
    { hookData: '0x00' },
  ]
  for (const part of notOurs) expect(isMessageOf({ ...message, ...part }, burn, from), textOf(part)).toBe(false)
  const ours: Partial<BurnMessage>[] = [
    {},
    { nonce: other },
    { feeExecuted: 0n },
    { finalityThresholdExecuted: 2_000 },
    { expirationBlock: 0n },
  ]
  for (const part of ours) expect(isMessageOf({ ...message, ...part }, burn, from), textOf(part)).toBe(true)
  expect(isMessageOf(message, burn, { ...from, chainId: chains.ethereum.id })).toBe(false)
  expect(isMessageOf(message, burn, { ...from, account: tokenMessenger })).toBe(false)
})
