import { HealthView } from './health'
import { AccountCreatedView, AccountRequest, AccountView } from './views/account'
import { DepositIntentRequest, DepositIntentView } from './views/deposit-intent'
import { ExecutionView } from './views/execution'
import { FailureView } from './views/failure'

/** What has a name in the OpenAPI document. */
export const models: Record<string, unknown> = {
  Health: HealthView,
  DepositIntentRequest,
  DepositIntent: DepositIntentView,
  AccountRequest,
  Account: AccountView,
  AccountCreated: AccountCreatedView,
  Execution: ExecutionView,
  Error: FailureView,
}
