import { expect, test } from 'bun:test'
import { meaningOf } from '../../../src/adapters/evm/rpc/node-words'

const revert = { code: 3, message: 'execution reverted: ERC20: transfer amount exceeds balance' }
const words = { code: -32005, message: 'too many requests, your plan was reverted' }
const known = { code: -32000, message: 'already known' }

test('a refusal counts as the chain’s own only with an HTTP status that JSON-RPC uses, for any text and code', () => {
  const others = Array.from({ length: 200 }, (_, n) => 400 + n).filter((status) => status !== 400 && status !== 500)
  const answers = ['REVERTED', 'TAKEN', 'DELEGATED']
  const misread = others.flatMap((status) =>
    [revert, words, known].flatMap((refused) => {
      const meaning = meaningOf({ ...refused, status })
      return answers.includes(meaning!) || (status === 429 && meaning !== 'RATE_LIMITED') ? [{ status, refused }] : []
    }),
  )
  expect(misread).toEqual([])
  for (const status of [null, 400, 500]) expect(meaningOf({ ...revert, status })).toBe('REVERTED')
})

test('a code of a limit counts more than any word of its text, unless the text begins as a revert does', () => {
  for (const code of [-32005, 429, -32007, -32097])
    for (const message of [
      words.message,
      'your plan is out of gas',
      'nonce too low for your plan',
      'Already known: limit',
    ])
      for (const status of [null, 400, 500])
        expect([code, message, meaningOf({ code, message, status })]).toEqual([code, message, 'RATE_LIMITED'])
  for (const message of ['execution reverted', 'Execution reverted: too many requests'])
    expect(meaningOf({ code: -32005, message, status: null })).toBe('REVERTED')
  expect(meaningOf({ code: -32005, message: 'query returned more than 10000 results', status: null })).toBe(
    'RANGE_TOO_LONG',
  )
})

test('a node’s limit of one transaction for a delegated key is recognized', () => {
  for (const message of [
    'in-flight transaction limit reached for delegated accounts',
    'gapped-nonce tx from delegated accounts',
    'DelegatorHasPendingTx',
  ])
    expect(meaningOf({ code: -32000, message, status: null })).toBe('DELEGATED')
})
