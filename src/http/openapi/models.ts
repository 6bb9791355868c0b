import { depositStages } from '../../domain/deposit/deposit-stage'
import { rescanOutcomes } from '../../domain/deposit/rescan-outcome'
import { searchKinds } from '../../domain/deposit/search-text'
import { errorCodes } from '../../domain/error'
import { overdueNames } from '../../domain/execution/overdue'
import { quoteOutcomes } from '../../domain/execution/route'
import { type } from '../../domain/schema'
import { attemptCauses, attemptErrors, deliveryStatuses } from '../../domain/webhook/delivery'
import { disabledReasons } from '../../domain/webhook/endpoint'
import { ApproveBody, ApprovedView } from '../operator/approval'
import { AuditEntryView } from '../operator/audit'
import { BlacklistEntryBody, BlacklistEntryView } from '../operator/blacklist-entry'
import { DeadLetterBody, RedriveBody, RedrivenView, RefundBody } from '../operator/executions'
import { BegunView as JobBegunView, JobBody, JobView } from '../operator/jobs'
import { ProviderView, StateCountView } from '../operator/operator-reads'
import { OverdueView } from '../operator/overdue'
import { PauseBody, PauseView } from '../operator/pauses'
import { Reason, ReasonBody } from '../operator/reason'
import { BegunView as ScanBegunView, ScanBody, ScanView } from '../operator/scans'
import {
  ReceiptDeliveredView,
  ReceiptDepositView,
  ReceiptDomainView,
  ReceiptFeesView,
  ReceiptFieldView,
  ReceiptIntentView,
  ReceiptMessageView,
  ReceiptRouteView,
  ReceiptSpentView,
  ReceiptView,
} from '../receipts/views'
import { AccountProofView, DeploymentView } from '../routes/account-proof'
import { CoverageView, DetectorView } from '../routes/coverage'
import { HealthView } from '../routes/health'
import { LifecycleView } from '../routes/lifecycle'
import { RescanRequest, RescanView } from '../routes/rescan'
import { UsageDayView, UsageView } from '../routes/usage'
import { LedgerEntryView, LedgerLineView, PostingView } from '../statements/ledger-view'
import { StatementRowView, StatementTotalsView, StatementView } from '../statements/views'
import { AccountCreatedView, AccountRequest, AccountView } from '../views/account'
import { ActorView } from '../views/actor'
import { ChainView } from '../views/chain'
import { DepositDetailView, DepositView } from '../views/deposit'
import { AcceptedView, DepositAddressView } from '../views/deposit-address'
import { DepositIntentRequest, DepositIntentView } from '../views/deposit-intent'
import { DepositEventView, EventView, ExecutionEventView, MoveEventView, MoveView } from '../views/event'
import { example } from '../views/examples'
import { ExecutionView, errorCategory, executionFields, UserExecutionView } from '../views/execution'
import {
  CauseView,
  CurrentIntentView,
  ExecutionDetailView,
  FeesView,
  FullExecutionView,
  IntentSnapshotView,
  QuoteView,
} from '../views/execution-full'
import { FailureView, SimulationRefusedView } from '../views/failure'
import { FundsView } from '../views/funds'
import { HistoryEntryView, TransitionView } from '../views/history'
import { IntentVersionView } from '../views/intent-version'
import { NextView } from '../views/next'
import { OtherEventView } from '../views/other-event'
import { PolicyView } from '../views/policy'
import {
  ChainEventView,
  EndpointEventView,
  ExpiringKeyView,
  FormerTargetView,
  HeldIntentView,
  IntentChangeView,
  IntentEventView,
  IntentHeldEventView,
  KeyEventView,
  QuotaEventView,
  RequestedChangeView,
} from '../views/rare-event'
import {
  address,
  amount,
  calendarDate,
  chainId,
  chainKey,
  described,
  hash,
  requestTime,
  Status,
  TraceIdText,
  userIdText,
} from '../views/scalar'
import { FoundUserView, ReadChainView, SearchView } from '../views/search'
import { SimulationRequest, SimulationView } from '../views/simulation'
import { DurationView, TokenRouteView, TokenView } from '../views/token'
import { TransactionView } from '../views/transaction'
import { QuotaView } from '../views/usage-days'
import {
  ResendBody,
  RotationBody,
  TestBody,
  WebhookAttemptDetailView,
  WebhookAttemptView,
  WebhookDeliveryDetailView,
  WebhookDeliveryView,
  WebhookEndpointBody,
  WebhookEndpointChange,
  WebhookEndpointCreatedView,
  WebhookEndpointView,
  WebhookResentView,
  WebhookSecretView,
} from '../webhooks/views'
import { ids } from './ids'

/** Enumerations that may gain values without notice (extensions 8.4). */
export const openModels: Record<string, unknown> = {
  DepositStage: described(type.enumerated(...depositStages), 'Stage of a deposit', 'ROUTED'),
  CauseCode: described(type.enumerated(...errorCodes), 'Cause of a failure', 'PROVIDER_TIMEOUT'),
  QuoteOutcome: described(type.enumerated(...quoteOutcomes), 'Result of an offer', 'CHOSEN'),
  RescanResult: described(type.enumerated(...rescanOutcomes), 'Result of a rescan', 'KNOWN'),
  SearchKind: described(type.enumerated(...searchKinds), 'Interpretation of a search text', 'HASH'),
  ChainId: described(chainId, 'EIP-155 id of a chain', example.fromChainId),
  ChainKey: described(chainKey, 'Chain key', 'base'),
  WebhookDeliveryStatus: described(type.enumerated(...deliveryStatuses), 'Status of a delivery', 'RETRYING'),
  WebhookAttemptError: described(type.enumerated(...attemptErrors), 'Why there was no response', 'TIMEOUT'),
  WebhookAttemptCause: described(type.enumerated(...attemptCauses), 'Finer reason of an error', 'EXPIRED'),
  WebhookDisabledReason: described(type.enumerated(...disabledReasons), 'Why an endpoint is disabled', 'GONE'),
  OverdueKind: described(type.enumerated(...overdueNames), 'What is overdue', 'DELIVERY'),
}

/** The closed models that replace open enumerations in requests. */
export const requestModels: Record<string, string> = { ChainId: 'SupportedChainId', ChainKey: 'SupportedChainKey' }

const scalars: Record<string, unknown> = {
  ...ids,
  UserId: described(userIdText, 'Your stable identifier of the user, compared byte for byte', 'user-1'),
  Address: described(address, 'An EVM address; responses use its EIP-55 checksum', example.depositAddress),
  Hash: described(hash, 'A hash of 32 bytes', example.txHash),
  Amount: described(amount, 'An amount in atomic units', '25000000'),
  ExecutionStatus: described(Status, 'Status of an execution; [what each means](#/Service/getLifecycle)', 'RUNNING'),
  RouteId: executionFields.routeId,
  TraceId: TraceIdText,
  Reason,
  CalendarDate: described(calendarDate, 'A day in UTC', '2026-11-21'),
  SentTime: described(requestTime, 'A time with any UTC offset', '2026-11-21T10:00:24.640Z'),
  ErrorCategory: described(errorCategory, 'Category of an error', 'TIMEOUT'),
  ...openModels,
  SupportedChainId: described(chainId, 'EIP-155 id of a supported chain', example.fromChainId),
  SupportedChainKey: described(chainKey, 'Key of a supported chain', 'base'),
}

/** Every schema with a name in the OpenAPI document. */
export const models: Record<string, unknown> = {
  ...scalars,
  Health: HealthView,
  Chain: ChainView,
  Token: TokenView,
  TokenRoute: TokenRouteView,
  Duration: DurationView,
  DepositIntentRequest,
  DepositIntent: DepositIntentView,
  DepositIntentVersion: IntentVersionView,
  AccountRequest,
  Account: AccountView,
  AccountCreated: AccountCreatedView,
  AccountProof: AccountProofView,
  Deployment: DeploymentView,
  DepositAddress: DepositAddressView,
  AcceptedToken: AcceptedView,
  Deposit: DepositView,
  DepositDetail: DepositDetailView,
  Execution: ExecutionView,
  FullExecution: FullExecutionView,
  UserExecution: UserExecutionView,
  ExecutionDetail: ExecutionDetailView,
  Receipt: ReceiptView,
  ReceiptMessage: ReceiptMessageView,
  ReceiptDeposit: ReceiptDepositView,
  ReceiptIntent: ReceiptIntentView,
  ReceiptFees: ReceiptFeesView,
  ReceiptRoute: ReceiptRouteView,
  ReceiptSpent: ReceiptSpentView,
  ReceiptDelivered: ReceiptDeliveredView,
  ReceiptDomain: ReceiptDomainView,
  ReceiptTypeField: ReceiptFieldView,
  Cause: CauseView,
  Fees: FeesView,
  Quote: QuoteView,
  IntentSnapshot: IntentSnapshotView,
  CurrentIntent: CurrentIntentView,
  Event: EventView,
  DepositEvent: DepositEventView,
  ExecutionEvent: ExecutionEventView,
  MoveEvent: MoveEventView,
  IntentEvent: IntentEventView,
  IntentChange: IntentChangeView,
  IntentHeldEvent: IntentHeldEventView,
  HeldIntent: HeldIntentView,
  HeldTarget: RequestedChangeView,
  FormerTarget: FormerTargetView,
  ChainEvent: ChainEventView,
  QuotaEvent: QuotaEventView,
  ApiKeyEvent: KeyEventView,
  ExpiringKey: ExpiringKeyView,
  WebhookEndpointEvent: EndpointEventView,
  OtherEvent: OtherEventView,
  Move: MoveView,
  Transition: TransitionView,
  Funds: FundsView,
  Next: NextView,
  HistoryEntry: HistoryEntryView,
  Transaction: TransactionView,
  Policy: PolicyView,
  SimulationRequest,
  Simulation: SimulationView,
  Lifecycle: LifecycleView,
  Statement: StatementView,
  StatementRow: StatementRowView,
  StatementTotals: StatementTotalsView,
  LedgerLine: LedgerLineView,
  LedgerEntry: LedgerEntryView,
  Posting: PostingView,
  Usage: UsageView,
  UsageDay: UsageDayView,
  Quota: QuotaView,
  Coverage: CoverageView,
  Detector: DetectorView,
  RescanRequest,
  Rescan: RescanView,
  Search: SearchView,
  FoundUser: FoundUserView,
  ReadChain: ReadChainView,
  ReasonRequest: ReasonBody,
  ApprovalRequest: ApproveBody,
  Approved: ApprovedView,
  DeadLetterRequest: DeadLetterBody,
  RedriveRequest: RedriveBody,
  RefundRequest: RefundBody,
  Redriven: RedrivenView,
  JobRequest: JobBody,
  JobBegun: JobBegunView,
  Job: JobView,
  PauseRequest: PauseBody,
  Pause: PauseView,
  ScanRequest: ScanBody,
  ScanBegun: ScanBegunView,
  Scan: ScanView,
  BlacklistEntryRequest: BlacklistEntryBody,
  BlacklistEntry: BlacklistEntryView,
  StateCount: StateCountView,
  ProviderHealth: ProviderView,
  AuditEntry: AuditEntryView,
  Actor: ActorView,
  Overdue: OverdueView,
  WebhookEndpointRequest: WebhookEndpointBody,
  WebhookEndpointChangeRequest: WebhookEndpointChange,
  WebhookEndpoint: WebhookEndpointView,
  WebhookEndpointCreated: WebhookEndpointCreatedView,
  WebhookRotationRequest: RotationBody,
  WebhookSecret: WebhookSecretView,
  WebhookTestRequest: TestBody,
  WebhookAttempt: WebhookAttemptView,
  WebhookAttemptDetail: WebhookAttemptDetailView,
  WebhookDelivery: WebhookDeliveryView,
  WebhookDeliveryDetail: WebhookDeliveryDetailView,
  WebhookResendRequest: ResendBody,
  WebhookResent: WebhookResentView,
  Error: FailureView,
  SimulationRefused: SimulationRefusedView,
}
