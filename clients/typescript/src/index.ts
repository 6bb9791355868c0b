export { formatUnits, parseAmount, parseUnits } from './amounts.js'
export { Switchyard } from './client.js'
export { type ErrorCode, errorCodes } from './error-codes.js'
export { ApiError, ConnectionError, type ErrorBody, EventsLostError, SwitchyardError } from './errors.js'
export { List, type Page } from './list.js'
export type { Answer, Body, ItemOf, Query, Schema } from './operations.js'
export type { RetryOptions } from './retry.js'
export type { components, operations, paths } from './schema.js'
export type { StreamOptions } from './stream.js'
export type { ClientOptions, Fetch, RequestOptions } from './transport.js'
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookProblem,
  type WebhookRequest,
  WebhookVerificationError,
} from './webhooks.js'
