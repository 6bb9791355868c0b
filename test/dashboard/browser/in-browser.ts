import { afterAll, beforeAll, describe } from 'bun:test'
import type { Browser } from 'playwright-core'
import { type Environment, startEnvironment } from '../../support/environment'
import { findChromium, launch } from './browser'

/** One browser and one running Switchyard, for every suite of a test file. */
export type Seen = {
  world: Environment
  browser: Browser
  url: string
  account: { email: string; password: string }
}
type Suite = (seen: () => Seen) => void

/** What the users `shown-1` to `shown-8` deposit: each of these has ended before the first test begins. */
const shownDeposits = [
  { token: 'USDC', chainKey: 'base' },
  { token: 'SY-NOROUTE', chainKey: 'base' },
  { token: 'SY-FLAKY', chainKey: 'base' },
  { token: 'SY-SCAM', chainKey: 'base' },
  { token: 'SY-WEIRD', chainKey: 'base' },
  { token: 'SY-GHOST', chainKey: 'base' },
  { token: 'USDC', chainKey: 'polygon' },
  { token: 'USDC', chainKey: 'ethereum' },
] as const

/** Nobody waits for a block here, and a service that asks less often leaves the processor to the browser. */
const calm = { CHAIN_POLL_MS: '400', SWEEP_MS: '400' }

/**
 * Runs the suites one after the other in a browser of their own, on a Switchyard of their own. A suite is a file in
 * `suites/`; it is named in exactly one test file, and those take about equally long, since they run side by side.
 */
export function inBrowser(...suites: Suite[]): void {
  const chromium = findChromium()
  if (!chromium) console.error('SKIPPED: no browser is here and none could be installed; set CHROMIUM_PATH')
  let seen: Seen
  beforeAll(async () => {
    if (!chromium) return
    const [world, browser] = await Promise.all([startEnvironment({ env: calm }), launch(chromium)])
    seen = { world, browser, url: world.installation.apiUrl, account: world.installation.dashboard }
    await makeDeposits(world)
  }, 600_000)
  afterAll(async () => {
    await seen?.browser.close()
    await seen?.world.stop()
  }, 600_000)
  describe.skipIf(!chromium)('in a browser', () => {
    for (const suite of suites) suite(() => seen)
  })
}

async function makeDeposits(world: Environment): Promise<void> {
  const users = shownDeposits.map(() => world.newUserId('shown'))
  await Promise.all(
    shownDeposits.map(async ({ token, chainKey }, n) => {
      const { depositAddress } = await world.intend(users[n]!, { to: 'arbitrum', receive: 'USDC' })
      await world.devnet.sendDeposit({ chainKey, token, amountRaw: BigInt(n + 1) * 25_000_000n, to: depositAddress })
      await world.ended(users[n]!, 1)
    }),
  )
}
