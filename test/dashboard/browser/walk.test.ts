import { inBrowser } from './in-browser'
import { brokenPageTests } from './suites/broken-page'
import { certifiedSignOnTests } from './suites/certified-sign-on'
import { everyPageTests } from './suites/every-page'
import { firstLoadTests } from './suites/first-load'
import { firstSuccessTests } from './suites/first-success'
import { frozenServiceTests } from './suites/frozen-service'
import { hostedPageTests } from './suites/hosted-page'
import { incidentTests } from './suites/incidents'
import { invitationTests } from './suites/invitation'
import { keyFeeTests } from './suites/key-fee'
import { killedWorkerTests } from './suites/killed-worker'
import { mintTests } from './suites/mint'
import { overcomeFailureTests } from './suites/overcome-failure'
import { overdueTests } from './suites/overdue'
import { pretendDepositTests } from './suites/pretend-deposit'
import { quotaTests } from './suites/quota'
import { rawWebhookTests } from './suites/raw-webhook'
import { recipientChangeTests } from './suites/recipient-changes'
import { redirectTests } from './suites/redirect'
import { searchAndViewTests } from './suites/search-and-views'
import { hashSearchTests } from './suites/search-for-a-hash'
import { secondStepTests } from './suites/second-step'
import { singleSignOnTests } from './suites/single-sign-on'
import { dialogTests, operatorTests, signedOutTests } from './suites/states'
import { tenantNameTests } from './suites/tenant-names'
import { timeFilterTests } from './suites/time-filter'
import { twoOrganizationsTests } from './suites/two-organizations'
import { unlistedTokenTests } from './suites/unlisted-tokens'
import { webhookTests } from './suites/webhooks'

const pages = [
  firstLoadTests,
  signedOutTests,
  everyPageTests,
  firstSuccessTests,
  twoOrganizationsTests,
  brokenPageTests,
]
const members = [
  quotaTests,
  keyFeeTests,
  invitationTests,
  secondStepTests,
  singleSignOnTests,
  certifiedSignOnTests,
  tenantNameTests,
]
const operations = [overdueTests, mintTests, dialogTests, operatorTests, incidentTests, webhookTests]
const deposits = [searchAndViewTests, hashSearchTests, overcomeFailureTests, timeFilterTests, unlistedTokenTests]
const devnet = [redirectTests, rawWebhookTests, pretendDepositTests, hostedPageTests, recipientChangeTests]
/** These leave a service behind that was stopped or killed. */
const broken = [frozenServiceTests, killedWorkerTests]

inBrowser(...pages, ...members, ...operations, ...deposits, ...devnet, ...broken)
