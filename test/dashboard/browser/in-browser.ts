import { afterAll, afterEach, beforeAll, expect } from 'bun:test'
import type { Browser } from 'playwright-core'
import { isNightly } from '../../support/depth'
import { type Environment, startEnvironment } from '../../support/environment'
import { describeWith, isRequired } from '../../support/tools'
import { findChromium, launch, reportOpen } from './browser'

/** One browser and one running Switchyard, for every suite of a test file. */
export type Seen = {
  world: Environment
  browser: Browser
  url: string
  account: { email: string; password: string }
}
type Suite = (seen: () => Seen) => void

/** Deposits of the users `shown-1` to `shown-8`, all ended before the first test begins. */
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

/** No test waits for a block here, and slower polling leaves the processor to the browser. */
const calm = { CHAIN_POLL_MS: '600', SWEEP_MS: '400' }

/**
 * Runs the suites in order, in their own browser on their own Switchyard. A suite is a file in `suites/`, named in
 * exactly one test file. There are few test files, because their setup costs as much as many tests. They take about
 * equally long, because they run in parallel.
 */
export async function inBrowser(...suites: Suite[]): Promise<void> {
  const chromium = await findChromium()
  if (!chromium && isRequired) throw new Error('No browser is here and none could be installed; set CHROMIUM_PATH')
  describeWith('browser, and none could be installed (set CHROMIUM_PATH),', chromium !== null, 'in a browser', () => {
    let seen: Seen
    beforeAll(async () => {
      const [world, browser] = await Promise.all([startEnvironment({ env: calm }), launch(chromium!)])
      seen = { world, browser, url: world.installation.apiUrl, account: world.installation.dashboard }
      await makeDeposits(world)
    })
    afterEach(() => reportOpen(seen?.browser))
    afterAll(async () => {
      await seen?.browser.close()
      await seen?.world.stop()
    })
    for (const suite of suites) suite(() => seen)
  })
}

/** Suites that run only at night. A normal run starts nothing for them and names them as left out. */
export async function inBrowserAtNight(...suites: Suite[]): Promise<void> {
  if (isNightly) await inBrowser(...suites)
  else for (const suite of suites) suite(() => expect.unreachable('a suite of the night declared another test'))
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
