import type { Browser } from 'playwright-core'
import type { Environment } from '../../support/environment'

/** One browser and one running Switchyard, for every test that looks at the pages. */
export type Seen = {
  world: Environment
  browser: Browser
  url: string
  account: { email: string; password: string }
}
