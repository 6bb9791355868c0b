import { expect, test } from 'bun:test'
import { chainIds, perChain } from '../../src/domain/chain/chain'
import { pinnedTokens, TokenList } from '../../src/domain/money/token'
import { viewContext } from '../../src/http/views/view-context'

test('no view states a scanned block that could not be read, not even right after the failure', async () => {
  let isDown = true
  const clock = { now: 1_000_000 }
  const contextFor = viewContext({
    tokens: new TokenList(pinnedTokens),
    chains: perChain(() => ({ confirmations: 5 })),
    scanCursors: {
      load: async () => {
        if (isDown) throw new Error('the database is down')
        return { id: 'base', version: 1, scannedBlock: 77, newest: [] } as never
      },
    },
    now: () => clock.now,
  })
  for (const _again of [1, 2]) await expect(contextFor({ tenant: null })).rejects.toThrow('the database is down')
  isDown = false
  const context = await contextFor({ tenant: null })
  expect(chainIds.map(context.scannedBlock)).toEqual(chainIds.map(() => 77))
})
