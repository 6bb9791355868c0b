import { inBrowser } from './in-browser'
import { executionsWidthTests } from './suites/executions-widths'
import { frozenServiceTests } from './suites/frozen-service'
import { hostedPageTests } from './suites/hosted-page'
import { killedWorkerTests } from './suites/killed-worker'
import { longWordTests } from './suites/long-words'
import { overcomeFailureTests } from './suites/overcome-failure'
import { pretendDepositTests } from './suites/pretend-deposit'
import { rawWebhookTests } from './suites/raw-webhook'
import { recipientChangeTests } from './suites/recipient-changes'
import { redirectTests } from './suites/redirect'
import { searchAndViewTests } from './suites/search-and-views'
import { hashSearchTests } from './suites/search-for-a-hash'
import { statementTests } from './suites/statement'
import { dialogTests, operatorTests } from './suites/states'
import { taskTests } from './suites/tasks'
import { timeFilterTests } from './suites/time-filter'
import { unlistedTokenTests } from './suites/unlisted-tokens'

/** The outcome of deposits, and where they go; operators’ pages and every dialog. */
await inBrowser(
  searchAndViewTests,
  executionsWidthTests,
  longWordTests,
  hashSearchTests,
  overcomeFailureTests,
  taskTests,
  timeFilterTests,
  statementTests,
  redirectTests,
  rawWebhookTests,
  pretendDepositTests,
  hostedPageTests,
  recipientChangeTests,
  unlistedTokenTests,
  frozenServiceTests,
  killedWorkerTests,
  dialogTests,
  operatorTests,
)
