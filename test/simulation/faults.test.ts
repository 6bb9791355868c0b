import { expect, test } from 'bun:test'
import { amount, nightly, sample } from '../support/depth'
import { bugs } from '../support/simulation/bugs'
import { simulate } from '../support/simulation/simulate'
import { expectAllToKeep, testAll } from '../support/test-all'

// Each seed is a world of 20 deposits, three workers, two scanners, an operator and ten faulty minutes. Those that end
// in 5, 6, 9 or 0 have more: mints, a quota and an API; confirmed blocks that vanish; a signer with hourly caps; or a
// sweep of balances, in every other world while confirmed blocks vanish.
const seeds = amount('seeds', { usual: 10, full: 20 })

testAll(Array.from({ length: seeds }, (_, n) => n + 1))('simulation: nothing is lost, doubled or stuck', async (seed) =>
  expect((await simulate(seed)).found).toEqual([]),
)

const seedsMax = 100
/** The number of seeds that it takes to find a bug, if that is not 1. */
const seedsTaken: Record<string, number> = {
  'a deposit that cannot be stored is passed over': 2,
  'a mark is cleared before its events are in the log': 2,
  'an error ends an order that is on its way': 2,
  'an operator ends an order that is on its way': 2,
  'the gas fee forgets the bridge’s native fee': 2,
  'the scan moves on from a block that it has not read': 2,
  'a lost delivery counts as delivered': 3,
  'a revert ends an order before its block is confirmed': 3,
  'a slot is forgotten before its block is confirmed': 3,
  'an order is signed for a key that has no free slot': 3,
  'an order lapses by our clock': 3,
  'an unconfirmed deposit is routed': 4,
  'events count as appended without a response': 4,
  'the second node is the first one again': 4,
  'a burn is left for others to mint': 5,
  'a mint by somebody else is not found': 5,
  'a mint is sent before it is stored': 5,
  'a nonce is assigned without a condition': 5,
  'a provider’s call is not read before it is signed': 5,
  'a unit of a quota is free again once its deposit is signed': 5,
  'less than the minimum is called delivered': 5,
  'the API answers before an intent is stored': 5,
  'the signed executions of a quota are not counted': 5,
  'a batched order is not stored with the nonce': 6,
  'a gap in the nonces of a relayer stays': 6,
  'the scan does not see that its last block was replaced': 6,
  'the signer counts nothing toward the hour': 6,
  'a lane is taken without a condition': 7,
  'an order is signed for a key that cannot pay': 7,
  'a range that is read again takes what the sweep has found': 9,
  'a signer that starts again forgets what it signed': 9,
  'all money that the sweep finds in an account has one number': 9,
  'the sweep does not wait for the scan': 9,
  'the sweep ignores that money left after the block that it reads': 9,
  'one node decides about a large deposit': 10,
  'the scan forgets that a reorganization set it back': 10,
  'an expired attestation is sent as it is': 45,
  'a delivery is not claimed': 65,
}

const finds = async (seed: number, name: string) => (await simulate(seed, { bug: bugs[name]! })).found.length > 0

/** Raise it with each new bug. */
const bugsAtLeast = 72

test('simulation: no planted bug disappears, and every recorded seed belongs to one', () => {
  expect(Object.keys(bugs).length).toBeGreaterThanOrEqual(bugsAtLeast)
  expect(Object.keys(seedsTaken).filter((name) => !(name in bugs))).toEqual([])
})

testAll(sample('planted bugs', Object.keys(bugs), 14))(
  'simulation: a planted bug is found by the seed that is recorded for it',
  async (name) => {
    if (await finds(seedsTaken[name] ?? 1, name)) return
    for (let seed = 1; seed <= seedsMax; seed++)
      if (await finds(seed, name)) expect.unreachable(`found by seed ${seed}: record it`)
    expect.unreachable(`not found in ${seedsMax} seeds`)
  },
)

nightly('simulation: no seed before the recorded one finds a planted bug', () =>
  expectAllToKeep(Object.entries(seedsTaken), async (name: string, taken: number) => {
    for (let seed = 1; seed < taken; seed++) expect([seed, await finds(seed, name)]).toEqual([seed, false])
    console.info(`simulation: ${taken - 1} seeds do not find that ${name}`) // all of them take minutes
  }),
)
