import { AccountProofView } from './account-proof'
import { CoverageView } from './coverage'
import { HealthView } from './health'
import { LifecycleView } from './lifecycle'
import { RescanRequest, RescanView } from './rescan'
import { AccountCreatedView, AccountRequest, AccountView } from './views/account'
import { ChainView } from './views/chain'
import { DepositDetailView, DepositView } from './views/deposit'
import { DepositAddressView } from './views/deposit-address'
import { DepositIntentRequest, DepositIntentView } from './views/deposit-intent'
import { EventView, MoveView } from './views/event'
import { ExecutionView } from './views/execution'
import { ExecutionDetailView, FullExecutionView } from './views/execution-full'
import { FailureView, SimulationRefusedView } from './views/failure'
import { FundsView } from './views/funds'
import { HistoryEntryView } from './views/history'
import { NextView } from './views/next'
import { PolicyView } from './views/policy'
import { SimulationRequest, SimulationView } from './views/simulation'
import { TokenView } from './views/token'
import { TransactionView } from './views/transaction'

/** What has a name in the OpenAPI document. */
export const models: Record<string, unknown> = {
  Health: HealthView,
  Chain: ChainView,
  Token: TokenView,
  DepositIntentRequest,
  DepositIntent: DepositIntentView,
  AccountRequest,
  Account: AccountView,
  AccountCreated: AccountCreatedView,
  AccountProof: AccountProofView,
  DepositAddress: DepositAddressView,
  Deposit: DepositView,
  DepositDetail: DepositDetailView,
  Execution: ExecutionView,
  FullExecution: FullExecutionView,
  ExecutionDetail: ExecutionDetailView,
  Event: EventView,
  Move: MoveView,
  Funds: FundsView,
  Next: NextView,
  HistoryEntry: HistoryEntryView,
  Transaction: TransactionView,
  Policy: PolicyView,
  SimulationRequest,
  Simulation: SimulationView,
  Lifecycle: LifecycleView,
  Coverage: CoverageView,
  RescanRequest,
  Rescan: RescanView,
  Error: FailureView,
  SimulationRefused: SimulationRefusedView,
}
