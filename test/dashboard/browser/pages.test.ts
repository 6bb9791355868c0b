import { inBrowser } from './in-browser'
import { brokenPageTests } from './suites/broken-page'
import { everyPageTests } from './suites/every-page'
import { firstLoadTests } from './suites/first-load'
import { firstSuccessTests } from './suites/first-success'
import { invitationTests } from './suites/invitation'
import { keyFeeTests } from './suites/key-fee'
import { quotaTests } from './suites/quota'
import { signedOutTests } from './suites/states'
import { tenantNameTests } from './suites/tenant-names'
import { twoOrganizationsTests } from './suites/two-organizations'

inBrowser(
  firstLoadTests,
  signedOutTests,
  everyPageTests,
  firstSuccessTests,
  twoOrganizationsTests,
  brokenPageTests,
  quotaTests,
  keyFeeTests,
  invitationTests,
  tenantNameTests,
)
