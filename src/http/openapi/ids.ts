import { type } from '../../domain/schema'
import { example } from '../views/examples'
import { described } from '../views/scalar'

const id = (what: string, ...examples: string[]) =>
  described(type('1 <= string <= 1024'), `${what}; opaque`, ...examples)

/** The models of ids. Every id can be any text, so the fields that hold it identify its model. */
export const ids: Record<string, unknown> = {
  DepositId: id('Names a deposit', example.depositId),
  ExecutionId: id('Names an execution', example.depositId, `${example.depositId}:r1`),
  EventId: id('Names an event', example.eventId),
  ApiKeyId: id('Names an API key', 'key_9fT2'),
  ActorId: id('Names an actor: a key or a member', 'key_9fT2'),
  OrganizationId: id('Names an organization', 'org_1'),
  JobId: id('Names a job', 'job_9fT2aQ'),
  ScanId: id('Names a scan', 'scan_9fT2aQ'),
  AuditEntryId: id('Names an entry of the audit log', 'aud_01M7YS2Q'),
  WebhookEndpointId: id('Names a webhook endpoint', 'whe_9fT2aQ'),
  WebhookDeliveryId: id('Names a delivery', 'dlv_9fT2aQ'),
  BlacklistEntryId: id('Names an entry of the security list', example.blacklistEntryId),
}

/** The model of the id or key in a field of this name, the same in every object. */
export const idFields: Record<string, string> = {
  userId: 'UserId',
  depositId: 'DepositId',
  eventId: 'EventId',
  executionId: 'ExecutionId',
  redriveOf: 'ExecutionId',
  redrivenBy: 'ExecutionId',
  refundOf: 'ExecutionId',
  continuedBy: 'ExecutionId',
  routeId: 'RouteId',
  apiKeyId: 'ApiKeyId',
  organizationId: 'OrganizationId',
  chainId: 'ChainId',
  chainKey: 'ChainKey',
  targetChainKey: 'ChainKey',
}

/** The model of the `id` field of each model. */
export const idsOfModels: Record<string, string> = {
  Deposit: 'DepositId',
  DepositDetail: 'DepositId',
  Execution: 'ExecutionId',
  FullExecution: 'ExecutionId',
  ExecutionDetail: 'ExecutionId',
  Move: 'ExecutionId',
  Approved: 'ExecutionId',
  Redriven: 'ExecutionId',
  DepositEvent: 'EventId',
  ExecutionEvent: 'EventId',
  MoveEvent: 'EventId',
  IntentEvent: 'EventId',
  IntentHeldEvent: 'EventId',
  ChainEvent: 'EventId',
  QuotaEvent: 'EventId',
  ApiKeyEvent: 'EventId',
  ExpiringKey: 'ApiKeyId',
  WebhookEndpointEvent: 'EventId',
  OtherEvent: 'EventId',
  Job: 'JobId',
  JobBegun: 'JobId',
  Scan: 'ScanId',
  ScanBegun: 'ScanId',
  AuditEntry: 'AuditEntryId',
  Actor: 'ActorId',
  BlacklistEntry: 'BlacklistEntryId',
  WebhookEndpoint: 'WebhookEndpointId',
  WebhookEndpointCreated: 'WebhookEndpointId',
  WebhookDelivery: 'WebhookDeliveryId',
  WebhookDeliveryDetail: 'WebhookDeliveryId',
}
