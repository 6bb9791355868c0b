import { commands } from './commands'
import { dashboard } from './dashboard'
import { deliveries } from './deliveries'
import { deposits } from './deposits'
import { engine } from './engine'
import { eventLog } from './event-log'
import { following } from './following'
import { freshClone } from './fresh-clone'
import { http } from './http'
import { httpDatabase } from './http-database'
import { limits } from './limits'
import { nodesBill } from './nodes-bill'
import { outage } from './outage'
import { providers } from './providers'
import { quotes } from './quotes'
import { scanner } from './scanner'
import { serverStart } from './server-start'
import { svix } from './svix'
import { webhook } from './webhook'

/** The measurements by name. Each resolves to the lines of its result. */
export const measurements: Record<string, () => Promise<string[]>> = {
  'fresh-clone': freshClone,
  'server-start': serverStart,
  deposits,
  commands,
  limits,
  outage,
  engine,
  http,
  'http-database': httpDatabase,
  scanner,
  following,
  quotes,
  providers,
  webhook,
  deliveries,
  'event-log': eventLog,
  svix,
  'nodes-bill': nodesBill,
  dashboard,
}
