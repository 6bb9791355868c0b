import { inBrowser } from './in-browser'
import { brokenPageTests } from './suites/broken-page'
import { certifiedSignOnTests } from './suites/certified-sign-on'
import { everyPageTests } from './suites/every-page'
import { firstLoadTests } from './suites/first-load'
import { firstSuccessTests } from './suites/first-success'
import { invitationTests } from './suites/invitation'
import { keyFeeTests } from './suites/key-fee'
import { keyboardTests } from './suites/keyboard'
import { memberTests } from './suites/members'
import { offlineTests } from './suites/offline'
import { quotaTests } from './suites/quota'
import { secondStepTests } from './suites/second-step'
import { singleSignOnTests } from './suites/single-sign-on'
import { signedOutTests } from './suites/states'
import { twoOrganizationsTests } from './suites/two-organizations'
import { unreadTests } from './suites/unread'

/** The pages, and how people reach them. */
await inBrowser(
  firstLoadTests,
  signedOutTests,
  keyboardTests,
  everyPageTests,
  unreadTests,
  firstSuccessTests,
  twoOrganizationsTests,
  brokenPageTests,
  offlineTests,
  quotaTests,
  keyFeeTests,
  invitationTests,
  memberTests,
  secondStepTests,
  singleSignOnTests,
  certifiedSignOnTests,
)
