import { inBrowserAtNight } from './in-browser'
import { incidentTests } from './suites/incidents'
import { keyboardWalkTests } from './suites/keyboard'
import { mintTests } from './suites/mint'
import { overdueTests } from './suites/overdue'
import { tenantNameTests } from './suites/tenant-names'
import { webhookTests } from './suites/webhooks'

/** Actions of operators. All of them run at night; the normal run has their pages in deposits.test.ts. */
await inBrowserAtNight(overdueTests, mintTests, incidentTests, webhookTests, tenantNameTests, keyboardWalkTests)
