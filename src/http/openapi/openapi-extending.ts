import type { Json } from './json'

/** Models that extend another model, each with its base. */
export const bases: Record<string, string> = {
  AccountCreated: 'Account',
  DepositDetail: 'Deposit',
  FullExecution: 'Execution',
  UserExecution: 'Execution',
  IntentChange: 'DepositIntent',
  HeldIntent: 'IntentChange',
  ExecutionDetail: 'FullExecution',
  SimulationRefused: 'Error',
  StatementRow: 'StatementTotals',
  WebhookEndpointCreated: 'WebhookEndpoint',
  WebhookAttemptDetail: 'WebhookAttempt',
  WebhookDeliveryDetail: 'WebhookDelivery',
}

/** Describes a model by a reference to its base and the fields that it adds. */
export function extending(base: Json, inherited: Json, { properties, required, ...rest }: Json): Json {
  const isOwn = (field: string) => !(field in inherited)
  const own = Object.entries(properties as Json).filter(([field]) => isOwn(field))
  const more = { ...rest, properties: Object.fromEntries(own), required: (required as string[]).filter(isOwn) }
  return { allOf: [base, more] }
}
