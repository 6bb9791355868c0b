import { afterAll, beforeAll, expect, test } from 'bun:test'
import { isNightly } from '../../support/depth'
import { walk } from './hostile-walk'
import { type HostileWorld, hostileWorld } from './hostile-world'

/** The number of hostile requests for each route; `HOSTILE_REQUESTS=all` sends every one there is. */
const { HOSTILE_REQUESTS: wanted = isNightly ? '20' : '3' } = process.env
const most = wanted === 'all' ? Number.POSITIVE_INFINITY : Number(wanted)

let world: HostileWorld
beforeAll(async () => {
  world = await hostileWorld()
}, 600_000)
afterAll(() => world.close())

/**
 * What needs more than its route and a good body: an entry that is there, money in a lane, a letter's link, a code, what
 * a name server says.
 */
const needMore = [
  'DELETE /api/operator/blacklist/:id',
  'DELETE /app/api/operator/blacklist/:id',
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
  ...['verify-backup-code', 'verify-totp', 'enable', 'disable'].map((name) => `POST /app/auth/two-factor/${name}`),
]

test(
  'no route lets a request touch another organization, plant a field, change an identity or leave no trace',
  async () => {
    const { routes, tried, carriedOut, neverCarriedOut, objections } = await walk(world, most)
    console.log(`${tried} hostile requests to ${routes} routes; ${carriedOut} of them changed something of their own`)
    expect(objections).toEqual([])
    // A new route has to be carried out at least once, or to say here why it is not.
    expect(neverCarriedOut.filter((route) => !needMore.includes(route))).toEqual([])
  },
  30 * 60_000,
)
