import { withHistoryEntry } from '../../../machines/execution'
import { executionOf, sightingOf } from '../../support/deposits'
import { type peopledWorld, target, usdc } from '../world'
import { account } from './values'

/**
 * Two organizations with deposits and executions of the same user. @returns the second one's view of everything it
 * owns.
 */
export async function neighbours({ ask, client, stranger, clock, store }: Awaited<ReturnType<typeof peopledWorld>>) {
  for (const [organizationId, key] of [
    ['org_a', client],
    ['org_b', stranger],
  ] as const) {
    await ask('/api/deposit-intents', { key, body: { userId: 'user-1', ...target } })
    const offset = organizationId === 'org_a' ? 0 : 1_000
    for (const n of [1, 2, 3]) {
      const fresh = executionOf(
        n + offset,
        { organizationId },
        { account, token: usdc.base, detectedAt: clock.now - 60_000 + n },
      )
      const at = clock.now - 30_000 + n
      await store.executions.save(
        withHistoryEntry(
          { ...fresh, status: 'RUNNING', state: 'RUNNING', createdAt: at },
          { at, event: 'sent', from: fresh.state, to: 'RUNNING', status: 'RUNNING', note: null },
        ),
      )
    }
    await store.sightings.save(
      sightingOf(7 + offset, { organizationId, account, token: usdc.base, detectedAt: clock.now - 10_000 }),
    )
  }

  const foreign = [
    'user-1/account',
    'user-1/deposit-intent',
    'user-1/executions',
    'user-1/deposits',
    'user-1/deposit-address',
  ]
  const looks = [
    ...foreign.map((path) => `/api/users/${path}`),
    '/api/executions',
    '/api/deposits',
    '/api/events',
    '/api/chains',
    '/api/tokens',
    '/api/lifecycle',
  ]
  /** All at the same time, because late records look different later. */
  const at = clock.now
  const seenByStranger = async () => {
    const { now } = clock
    clock.now = at
    const seen: string[] = []
    for (const path of looks) seen.push((await ask(path, { key: stranger })).text)
    clock.now = now
    return seen.join('\n')
  }
  return seenByStranger
}
