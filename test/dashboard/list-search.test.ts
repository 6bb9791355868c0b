import { expect, test } from 'bun:test'
import type { Search } from '../../src/dashboard/data/types'
import { entriesOf, isCut } from '../../src/dashboard/find/entries'
import { addressesOf } from '../../src/dashboard/find/search'
import { resultsMax } from '../../src/dashboard/find/use-search'
import { hashOf } from '../support/deposits'

test('a list is searched for a user as typed, and then in lower case', () => {
  expect(addressesOf('/deposits', 'Ada@Example.com', { limit: 5 })).toEqual([
    '/app/api/deposits?limit=5&userId=Ada%40Example.com',
    '/app/api/deposits?limit=5&userId=ada%40example.com',
  ])
  expect(addressesOf('/executions', 'ada', {})).toEqual(['/app/api/executions?userId=ada'])
  expect(addressesOf('/executions', 'key_Ab', {}).at(-1)).toBe('/app/api/executions?userId=key_ab')
})

test('the whole list is offered only for a text that the list can be searched for', () => {
  const executions = Array.from({ length: resultsMax }, (_, n) => ({ id: `${n}`, amountIn: '500', next: {} }))
  const search = (kind: string, text: string, users: { userId: string; depositAddress: string }[] = []) =>
    ({ kind, text, users, tokenSymbol: null, deposits: [], executions }) as unknown as Search
  const found = (...of: Parameters<typeof search>) => entriesOf(search(...of)).map(({ key }) => key)
  expect(found('HASH', hashOf(7))).toContain('all')
  expect(found('USER', 'Ada', [{ userId: 'ada', depositAddress: '0x1' }])).toContain('all')
  for (const text of ['500', '0x8224a1']) expect(found('USER', text)).not.toContain('all')
  // The palette then states that there may be others.
  expect([isCut(search('USER', '500')), isCut(search('HASH', hashOf(7)))]).toEqual([true, false])
})

test('a hash in a list is searched as a transaction, a route and a user', () => {
  const names = addressesOf('/executions', hashOf(7), {}).map((address) => new URL(address, 'http://x').search)
  expect(names).toEqual([`?txHash=${hashOf(7)}`, `?routeId=${hashOf(7)}`, `?userId=${hashOf(7)}`])
})
