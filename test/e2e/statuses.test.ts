import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Environment, startEnvironment, until } from '../support/environment'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { RETRY_BASE_MS: '100', RETRY_MAX_MS: '1000' } })
}, 120_000)
afterAll(() => environment?.stop(), 60_000)

const toArbitrum = { to: 'arbitrum', receive: 'USDC' } as const

test.each(['PENDING','RUNNING','SUCCESS','FAILED','DEAD_LETTER','TOKEN_BLACKLISTED','FAILED_UNROUTABLE_MAIN','FAILED_INVALID_INPUT','FAILED_NO_FUNDS','FAILED_INSUFFICIENT_AFTER_FEES'])('%s', async (outcome) => {
  const { newUserId, intend, executionsOf, devnet, api, store } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  const t = performance.now()
  const r = await fetch(`${devnet.controlUrl}/deposits`, { method: 'POST', body: JSON.stringify({ depositAddress, fromChainKey: 'base', outcome }) })
  console.log(outcome, r.status, await r.text())
  let last = ''
  const end = performance.now() + 8000
  while (performance.now() < end) {
    const [e] = await executionsOf(userId)
    const s = e ? `${e.status} ${e.state} ${e.retryCount} ${e.cause?.code} ${JSON.stringify(e.facts.waiting)}` : ''
    if (s !== last) console.log(Math.round(performance.now() - t), last = s)
    if (e?.completedAt) break
    await Bun.sleep(20)
  }
  const waiting = (await store.executions.waitingForIntent(depositAddress))
  if (!last) console.log('none', waiting)
}, 60_000)
