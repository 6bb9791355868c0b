import { expect, test } from 'bun:test'
import { keccak256 } from 'viem'
import { sweptDepositIdOf } from '../../src/domain/execution/execution'
import { TemporarilyUnavailable } from '../../src/domain/unavailable'
import type { ChainClient, Transfer } from '../../src/ports/chain-client'
import { assuringWhole, heavyKeyOf } from '../../src/signer/heavy-fee'
import { signableOf } from '../../src/signer/policy-signer'
import { account, addressOf, signable } from '../support/signable'

const thousand = 1_000_000_000n
const deposited = signable({ totalRaw: thousand })
const txHash = keccak256('0x01')
const idOf = (logIndex: number, hash = txHash) => `8453:${hash}:${logIndex}`
const heavy = (amountIn: bigint) => ({ amountIn: String(amountIn), gasFee: String((amountIn * 9n) / 10n) })

function reading(change: { transfers?: Transfer[]; receipt?: ChainClient['receipt'] } = {}) {
  const token = deposited.deposit.token
  const brought = { txHash, logIndex: 3, block: 9, blockHash: txHash, token, from: addressOf('x'), to: account }
  const { transfers = [{ ...brought, amountRaw: thousand }] } = change
  const receipt = change.receipt ?? (async () => ({ block: 9, succeeded: true, time: 1 }))
  const chain = { receipt, transfersTo: async () => transfers }
  const assure = assuringWhole(new Proxy({}, { get: () => chain }) as never)
  return (id: string, order: { amountIn: string; gasFee: string }) =>
    assure(signableOf({ ...deposited, id }), order).then(
      () => 'signed',
      (error) => (error instanceof TemporarilyUnavailable ? (error.cause as Error).message : error),
    )
}

test('an order with a heavy gas fee moves its whole deposit, which the signer’s own node shows', async () => {
  const outcomeOf = reading()
  expect(await outcomeOf(idOf(3), heavy(thousand))).toBe('signed')
  expect(await outcomeOf(idOf(3), heavy(thousand - 10n))).toBe('signed') // a share-counting token rounds
  expect(await outcomeOf(idOf(3), heavy(46_000_000n))).toContain('less than its deposit')
  // A worker that invents a deposit for each part of a real one.
  expect(await outcomeOf(idOf(30), heavy(46_000_000n))).toContain('not on chain')
  expect(await outcomeOf(`1:${txHash}:3`, heavy(thousand))).toContain('not on chain')
  expect(await outcomeOf(`${idOf(30)}:r1`, heavy(46_000_000n))).toContain('not on chain')
  // A re-drive moves what is left of its deposit. `hourlyCaps` bounds the number of its orders.
  expect(await outcomeOf(`${idOf(3)}:r1`, heavy(46_000_000n))).toBe('signed')
  const light = { amountIn: '46000000', gasFee: '1380000' }
  expect(await outcomeOf(idOf(30), light)).toBe('signed')
})

test('a heavy gas fee waits while the signer’s node shows no transfer, another token or no answer', async () => {
  const order = heavy(thousand)
  expect(await reading({ receipt: async () => null })(idOf(3), order)).toContain('not on chain')
  expect(await reading({ transfers: [] })(idOf(3), order)).toContain('not on chain')
  const away = reading({ receipt: () => Promise.reject(new Error('away')) })
  expect(await away(idOf(3), order)).toContain('cannot be read')
  // The balance sweep found it: the chain has no log with its amount.
  const swept = sweptDepositIdOf(8453, account, addressOf('t'), 1)
  expect(await away(swept, order)).toBe('signed')
})

test('heavy gas fees count for a deposit with its re-drives, and for the account if there is no log', () => {
  const keyOf = (executionId: string) => heavyKeyOf({ executionId, account })
  expect([idOf(3), `${idOf(3)}:r2`].map(keyOf)).toEqual([idOf(3), idOf(3)])
  const swept = sweptDepositIdOf(8453, account, addressOf('t'), 1)
  expect([swept, `${swept}:r1`, 'invented'].map(keyOf)).toEqual([account, account, account])
})
