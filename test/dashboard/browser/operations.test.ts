import { inBrowser } from './in-browser'
import { incidentTests } from './suites/incidents'
import { mintTests } from './suites/mint'
import { overdueTests } from './suites/overdue'
import { dialogTests, operatorTests } from './suites/states'
import { tenantNameTests } from './suites/tenant-names'
import { webhookTests } from './suites/webhooks'

/** Pages and actions of operators, and every dialog. */
inBrowser(overdueTests, mintTests, dialogTests, operatorTests, incidentTests, webhookTests, tenantNameTests)
