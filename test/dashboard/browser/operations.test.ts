import { inBrowser } from './in-browser'
import { incidentTests } from './suites/incidents'
import { overdueTests } from './suites/overdue'
import { dialogTests, operatorTests } from './suites/states'
import { webhookTests } from './suites/webhooks'

inBrowser(overdueTests, dialogTests, operatorTests, incidentTests, webhookTests)
