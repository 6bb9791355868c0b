import fc from 'fast-check'
import { executionOf, sightingOf } from '../../support/deposits'
import { target, usdc } from '../world'

export const account = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
const hostile = [
  '',
  ' ',
  '.',
  '..',
  '../..',
  '%00',
  '%2F',
  '%E0%A4%A',
  '\u0000',
  '\ufffd',
  '\ud800',
  '😀',
  "' or 1=1",
  '{"$gt":""}',
  '$where',
  '__proto__',
  'constructor',
  'toString',
  'a/b',
  '\r\nx: y',
  '0',
  '-1',
  '1e9',
  'NaN',
  'null',
  '0x0',
  'x'.repeat(300),
  'undefined',
  '9'.repeat(90),
  '<script>alert(1)</script>',
  '${7*7}',
  '%',
  '%%',
  'a,b',
  ',',
  'ä',
  'a\u0308',
]
const addresses = [
  usdc.base,
  usdc.arbitrum,
  target.targetAddress,
  `0x${'0'.repeat(40)}`,
  account,
  account.toLowerCase(),
  '0x1',
]
const ids = [
  executionOf(1).id,
  executionOf(2).id,
  executionOf(99).id,
  sightingOf(7).id,
  '8453:sweep:x:y:1',
  `${executionOf(1).id}:r1`,
]

export const text = fc.oneof(
  fc.constantFrom(...hostile),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
)
export const user = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('user-1', 'user-2', 'user-3', 'a b', 'ä') },
  { weight: 1, arbitrary: text },
)
export const address = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<string>(...addresses) },
  { weight: 1, arbitrary: text },
)
export const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: text })
const chain = fc.constantFrom<unknown>(8453, 1, 137, 42161, 43114, 5, '8453', null, -1, 1.5)
const amount = fc.oneof(fc.constantFrom('1', '25000000', '0', '-1', '1.5', (2n ** 256n).toString()), text)
export const anything = fc.oneof(fc.anything({ maxDepth: 3, withBigInt: false }), fc.jsonValue())

const fields: Record<string, fc.Arbitrary<unknown>> = {
  userId: user,
  targetChainId: chain,
  targetTokenAddress: address,
  targetAddress: address,
  refundAddress: address,
  ownerAddress: user,
  chainKey: fc.constantFrom('base', 'polygon', 'solana'),
  label: text,
  fromChainId: chain,
  fromTokenSymbol: fc.constantFrom('USDC', 'usdc', 'ETH', 'NOPE'),
  amountInAtomic: amount,
  overrideTargetChainId: chain,
  overrideTargetTokenAddress: address,
  overrideTargetAddress: address,
  reason: fc.constantFrom('because of the fuzz', '', 'x'),
  intent: fc.constantFrom('CURRENT', 'ORIGINAL'),
  verb: fc.constantFrom('retry', 'redrive'),
  filter: fc.constantFrom<unknown>({}, { status: 'FAILED' }, [], null),
  until: fc.constantFrom<unknown>(null, '2026-12-01T00:00:00.000Z', 'soon'),
  kind: fc.constantFrom('TOKEN', 'ADDRESS', 'x'),
  address,
  chainId: chain,
  listedAs: fc.constantFrom('SCAM', 'ALLOWED', 'x'),
  fromBlock: fc.integer(),
  toBlock: fc.integer(),
}
const names = Object.keys(fields)

/** A value for a field of a body: mostly a sensible one, sometimes any. */
export const change = fc
  .tuple(fc.constantFrom(...names), fc.nat(9))
  .chain(([name, n]) => fc.tuple(fc.constant(name), n === 0 ? anything : fields[name]!))
