import { afterAll, beforeAll, expect, test } from 'bun:test'
import { amount } from '../../support/depth'
import { walk } from './hostile-walk'
import { type HostileWorld, hostileWorld } from './hostile-world'

/** Hostile requests per route. `HOSTILE_REQUESTS=all` sends every one. */
const { HOSTILE_REQUESTS: wanted = amount('hostile requests per route', { usual: 2, full: 20 }) } = process.env
const most = wanted === 'all' ? Number.POSITIVE_INFINITY : Number(wanted)

let world: HostileWorld
beforeAll(async () => {
  world = await hostileWorld()
})
afterAll(() => world.close())

/**
 * Routes that need more than a valid body: an existing entry, an entry that `/api` has not added before, money in a lane,
 * the link in an e-mail, a code, a name server's answer.
 */
const needMore = [
  'DELETE /api/operator/blacklist/:id',
  'DELETE /app/api/operator/blacklist/:id',
  'POST /app/api/operator/blacklist',
  'POST /app/api/sso/domains/:name/prove',
  'POST /app/auth/sso/start',
  'POST /api/routing/simulate-deposit',
  'POST /app/api/routing/simulate-deposit',
  ...['redrive', 'refund'].flatMap((verb) => [
    `POST /api/operator/executions/:id/${verb}`,
    `POST /app/api/operator/executions/:id/${verb}`,
  ]),
  ...['change-password', 'reset-password', 'revoke-session', 'send-verification-email', 'update-user'].map(
    (name) => `POST /app/auth/${name}`,
  ),
  ...['organization', 'account'].map((name) => `POST /app/api/${name}/delete`),
  ...['verify-backup-code', 'generate-backup-codes', 'verify-totp', 'enable', 'disable'].map(
    (name) => `POST /app/auth/two-factor/${name}`,
  ),
]

test('no request touches another organization, plants a field, changes an identity, or escapes the log', async () => {
  const { routes, tried, carriedOut, neverCarriedOut, objections } = await walk(world, most)
  console.log(`${tried} hostile requests to ${routes} routes; ${carriedOut} of them changed something of their own`)
  expect(objections).toEqual([])
  // A new route must be carried out at least once, or be listed here with a reason.
  expect(neverCarriedOut.filter((route) => !needMore.includes(route))).toEqual([])
})
