import { expect, test } from 'bun:test'
import { addressesOf } from '../../src/dashboard/find/search'
import { hashOf } from '../support/deposits'

test('a list is searched for a user as typed, and then in lower case', () => {
  expect(addressesOf('/deposits', 'Ada@Example.com', { limit: 5 })).toEqual([
    '/app/api/deposits?limit=5&userId=Ada%40Example.com',
    '/app/api/deposits?limit=5&userId=ada%40example.com',
  ])
  expect(addressesOf('/executions', 'ada', {})).toEqual(['/app/api/executions?userId=ada'])
  expect(addressesOf('/executions', 'key_Ab', {}).at(-1)).toBe('/app/api/executions?userId=key_ab')
})

test('a hash in a list is searched as a transaction, a route and a user', () => {
  const names = addressesOf('/executions', hashOf(7), {}).map((address) => new URL(address, 'http://x').search)
  expect(names).toEqual([`?txHash=${hashOf(7)}`, `?routeId=${hashOf(7)}`, `?userId=${hashOf(7)}`])
})
