import { expect, test } from 'bun:test'
import { keccak256 } from 'viem'
import { attestedNow, isMint, isRefused, isToBeMinted, mintIdOf, mintOf } from '../../src/domain/execution/mint'
import { addressOf, hashOf } from '../support/deposits'

const attested = { target: addressOf(1), data: '0x1234', nonce: hashOf(7) } as const
const sent = (at: number) => ({ hash: hashOf(at), nonce: 1, sender: 'r', at })

test('burned money is to be minted until its delivery is proved, and only if we mint for its provider', () => {
  const facts = (provider: string, more: object = { spent: {} }) =>
    ({ facts: { route: { provider }, ...more } }) as never
  expect([isToBeMinted(facts('cctp')), isToBeMinted(facts('lifi')), isToBeMinted(facts('cctp', {}))]).toEqual([
    ...[true, false, false],
  ])
  expect(isToBeMinted(facts('cctp', { spent: {}, delivery: {} }))).toBe(false)
  expect(isToBeMinted({ facts: { spent: {} } } as never)).toBe(false)
})

test('a renewed attestation keeps the id of the call that was sent, and the first time', () => {
  const call = { target: attested.target, data: attested.data }
  const first = attestedNow(attested, undefined, 5)
  expect(first).toEqual({ id: keccak256('0x1234'), attestedAt: 5, transactions: [], nonce: hashOf(7), call })
  const renewed = { ...attested, data: '0x5678' } as const
  expect(attestedNow(renewed, first, 9)).toMatchObject({
    id: mintIdOf(renewed),
    attestedAt: 5,
    call: { data: '0x5678' },
  })
  const under = { ...first, transactions: [sent(6)], refusedAt: 8 }
  const again = attestedNow(renewed, under, 9)
  expect(again).toMatchObject({ id: first.id, transactions: [sent(6)] })
  expect('refusedAt' in again).toBe(false)
})

test('the destination refuses a call that it refused since it was last sent', () => {
  const minting = attestedNow(attested, undefined, 5)
  expect([isRefused(minting), isRefused({ ...minting, refusedAt: 1 })]).toEqual([false, true])
  const after = (refusedAt: number) => isRefused({ ...minting, transactions: [sent(3), sent(6)], refusedAt })
  expect([after(6), after(7)]).toEqual([false, true])
})

test('a mint has half as much gas again as it needs, and half an hour', () => {
  const mint = mintOf(attested, { chainId: 42161, routeId: hashOf(2), time: 1_000, gas: 100_001n })
  expect(mint).toEqual({
    ...{ kind: 'MINT', id: mintIdOf(attested), chainId: 42161, routeId: hashOf(2), nativeFee: '0', gasLimit: '150001' },
    ...{ target: attested.target, data: attested.data, deadline: 2_800 },
  })
  expect([isMint(mint), isMint({ kind: 'ROUTE' } as never)]).toEqual([true, false])
})
