import { expect, test } from 'bun:test'
import { chainName, clock } from '../../src/dashboard/data/format'
import { chainIds, chainKeyOf, chainKeys, chains } from '../../src/domain/chain/chain'
import { pausedChainView } from '../../src/http/views/chain'

test('a time of day has two digits for its hour at every hour, and names its zone', () => {
  for (let hour = 0; hour < 24; hour++) expect(clock(Date.UTC(2026, 10, 23, hour, 6, 31))).toMatch(/^\d\d:06:31 [A-Z]/)
})

test('the dashboard names a chain as the API does, from whose names the deposit card takes them', () => {
  const named = chainIds.map((id) => pausedChainView(id, 1, false, 0).name)
  expect(chainIds.map((id) => chainName(chainKeyOf(id)))).toEqual(named)
  expect(named).toEqual(chainKeys.map((key) => chains[key].name))
  // The hosted page reads this row, and a second name in it could differ.
  expect(Object.keys(chains.base).filter((field) => /name$/i.test(field))).toEqual(['name', 'relayName'])
})
