import { inBrowser } from './in-browser'
import { incidentTests } from './suites/incidents'
import { overdueTests } from './suites/overdue'
import { dialogTests, operatorTests } from './suites/states'

inBrowser(overdueTests, dialogTests, operatorTests, incidentTests)
