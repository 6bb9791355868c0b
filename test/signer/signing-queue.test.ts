import { expect, test } from 'bun:test'
import { signingQueue } from '../../src/signer/hourly-caps'

const minute = 60_000
const [rare, other] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`] as const

/** A queue in which the rare order asked at the start and again after 80 minutes. */
function waited() {
  const line = signingQueue()
  line.isBehind(rare, 0)
  line.isBehind(rare, 80 * minute)
  line.isBehind(other, 100 * minute)
  return line
}

test('a long-waiting order that is requested rarely stays ahead of later ones', () => {
  expect(waited().isBehind(other, 165 * minute)).toBe(true)
})

test('an order without a request for ninety minutes blocks no other, however rare its requests were', () => {
  expect(waited().isBehind(other, 171 * minute)).toBe(false)
})
