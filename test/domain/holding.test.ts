import { expect, test } from 'bun:test'
import type { Execution } from '../../src/domain/execution/execution'
import { successorOf, supersededThen } from '../../src/domain/execution/lane'
import { hasLeft, holdingOf, holdingOfUnrouted } from '../../src/domain/money/holding'
import { account, addressOf, executionOf, sender, sightingOf, token } from '../support/deposits'
import { testAll } from '../support/test-all'
import { delivery, intent, order, spent } from '../support/world'

const cause = (code: string) => ({ code, category: null, message: 'why', at: 1 }) as never
const ended = (status: string) => ({ state: status, status, completedAt: 5, dueAt: null }) as Partial<Execution>
const out = { intent, order, spent }

// Columns: the state of the record; then the holder, the amount and the token.
testAll<[string, Partial<Execution>, string, string, string]>([
  ['it was just confirmed', {}, 'DEPOSIT_ACCOUNT', '1000', token],
  ['its order is signed', { status: 'PENDING', facts: { intent, order } }, 'DEPOSIT_ACCOUNT', '1000', token],
  [
    'more than its own lies there',
    { facts: { balance: { totalReceivedRaw: '7000', block: 4 } } },
    'DEPOSIT_ACCOUNT',
    '1000',
    token,
  ],
  ['its money left', { status: 'RUNNING', facts: out }, 'PROVIDER', '1000', token],
  ['an operator gave it up on its way', { ...ended('DEAD_LETTER'), facts: out }, 'PROVIDER', '1000', token],
  ['it arrived', { ...ended('SUCCESS'), facts: { ...out, delivery } }, 'RECIPIENT', '985', delivery.token],
  [
    'another token arrived',
    { ...ended('DEAD_LETTER'), facts: { ...out, delivery: { ...delivery, token: addressOf(0x99) } } },
    'RECIPIENT',
    '985',
    addressOf(0x99),
  ],
  ['no route was found', ended('FAILED_UNROUTABLE_MAIN'), 'DEPOSIT_ACCOUNT', '1000', token],
  ['it was re-driven', { ...ended('DEAD_LETTER'), redrivenBy: 'x:r1' }, 'NONE', '0', token],
  ['its leftover was included', { ...ended('DEAD_LETTER'), takenBy: 'y' }, 'NONE', '0', token],
  ['it was refunded and is a deposit', { status: 'RUNNING', facts: out, continuedBy: 'z' }, 'NONE', '0', token],
  [
    'it is reported as refunded',
    { ...ended('DEAD_LETTER'), facts: out, cause: cause('FUNDS_RETURNED') },
    'NONE',
    '0',
    token,
  ],
  [
    'the chain does not have it',
    { ...ended('FAILED_NO_FUNDS'), cause: cause('DEPOSIT_NOT_ON_CHAIN') },
    'SENDER',
    '1000',
    token,
  ],
  [
    'it is another deposit after a reorganization',
    { ...ended('FAILED_NO_FUNDS'), cause: cause('DEPOSIT_MOVED') },
    'NONE',
    '0',
    token,
  ],
  ['less is there', { ...ended('FAILED_NO_FUNDS'), cause: cause('BALANCE_TOO_LOW') }, 'NONE', '0', token],
])('the holder of the money follows from the facts of an execution', (_what, changed, holder, amountRaw, heldToken) => {
  expect(holdingOf(executionOf(1, changed))).toMatchObject({ holder, amountRaw, token: heldToken })
})

test('a record shows the holder of its money, the chain, and the block at which this was true', () => {
  const of = (changed: Partial<Execution>) => holdingOf(executionOf(1, changed))
  expect(of({})).toMatchObject({ address: account, chainId: 8453, block: 1 })
  expect(of({ facts: out })).toMatchObject({ address: order.target, block: spent.block })
  expect(of({ facts: { ...out, delivery } })).toMatchObject({ address: intent.targetAddress, chainId: 42161, block: 9 })
  const gone = { ...ended('FAILED_NO_FUNDS'), cause: cause('DEPOSIT_NOT_ON_CHAIN') }
  expect(of(gone).address).toBe(sender)
  expect(of({ redrivenBy: 'x' }).address).toBeNull()
  const burned = { ...out, route: { provider: 'cctp' } as never }
  expect(of({ facts: burned })).toMatchObject({ holder: 'PROVIDER', address: null, amountRaw: '1000' })
})

test('a record stored before a successor field existed has no successor by that field', () => {
  const { takenBy: _, ...old } = executionOf(1)
  expect(successorOf(old)).toBeNull()
  expect(holdingOf(old).holder).toBe('DEPOSIT_ACCOUNT')
  expect(hasLeft(old)).toBe(false)
})

test('an earlier state of a record shows a successor only if its history has that entry or has dropped it', () => {
  const entry = (seq: number, event: string) => ({ seq, at: seq, event, from: 's', to: 's', status: null, note: null })
  const record = executionOf(1, { redrivenBy: 'x', history: [entry(1, 'deposit detected'), entry(2, 're-driven')] })
  expect(supersededThen(record, 1).redrivenBy).toBeNull()
  expect(supersededThen(record, 2).redrivenBy).toBe('x')
  expect(supersededThen({ ...record, history: [entry(9, 'later')] }, 1).redrivenBy).toBe('x')
})

test('the money of an unconfirmed transfer is in the account until its block is dropped', () => {
  const of = (stage: 'CONFIRMING' | 'ORPHANED', movedTo: string | null = null) =>
    holdingOfUnrouted({ ...sightingOf(1, { stage }), movedTo })
  const there = { chainId: 8453, token, block: 1 }
  expect(of('CONFIRMING')).toEqual({
    ...there,
    holder: 'DEPOSIT_ACCOUNT',
    address: account,
    amountRaw: '1000',
  } as never)
  expect(of('ORPHANED')).toEqual({ ...there, holder: 'SENDER', address: sender, amountRaw: '1000' } as never)
  expect(of('ORPHANED', 'x')).toEqual({ ...there, holder: 'NONE', address: null, amountRaw: '0' } as never)
})

test('the money of an unlisted token is in the account until a deposit of it is routed', () => {
  const of = (successorId: string | null) =>
    holdingOfUnrouted({ ...sightingOf(1), stage: 'UNSUPPORTED', successorId } as never)
  expect(of(null)).toMatchObject({ holder: 'DEPOSIT_ACCOUNT', address: account, amountRaw: '1000' })
  expect(of('x')).toMatchObject({ holder: 'NONE', address: null })
})

test('the block of a holding is that of the last evidence', () => {
  const of = (changed: Partial<Execution>) => holdingOf(executionOf(1, changed)).block
  const balance = { totalReceivedRaw: '1000', block: 4 }
  expect([of({}), of({ facts: { balance } }), of({ facts: { ...out, balance } })]).toEqual([1, 4, spent.block])
})

test('the amount on its way is the routed one, and the address is the one that received it', () => {
  const of = (facts: object) => holdingOf(executionOf(1, { facts: facts as Execution['facts'] }))
  expect(of({ ...out, fees: { amountForSwapRaw: '890' } }).amountRaw).toBe('890')
  const { order: _, ...unordered } = out
  expect(of({ ...unordered, route: { provider: 'lifi', call: { target: addressOf(9) } } }).address).toBe(addressOf(9))
  expect(of({ ...unordered, route: { provider: 'lifi' } }).address).toBeNull()
})
