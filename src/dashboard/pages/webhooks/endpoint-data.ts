import type { DisabledReason } from '../../../domain/webhook/endpoint'
import type { EndpointPageView } from '../../../http/webhooks/pages'
import type { WebhookDeliveryDetailView, WebhookDeliveryView } from '../../../http/webhooks/views'
import { useRead } from '../../data/use-read'

export type Endpoint = EndpointPageView
export type Delivery = typeof WebhookDeliveryView.infer
export type DeliveryDetail = typeof WebhookDeliveryDetailView.infer

/** Poll interval of deliveries: they change without an event. */
export const pollMs = 4_000

export const pathOf = (id: string, more = ''): string => `/webhook-endpoints/${encodeURIComponent(id)}${more}`

export function useEndpoints() {
  return useRead<Endpoint[]>(['webhooks'], '/webhooks', { refetchInterval: pollMs })
}

const whyDisabled: Record<DisabledReason, string> = {
  GONE: 'It answered 410 Gone, which means that it accepts no more events.',
  FAILING: 'Every attempt failed for five days.',
  BY_REQUEST: 'Your organization disabled it.',
}
export const disabledWords = (reason: DisabledReason): string => whyDisabled[reason]

/** Describes an endpoint's response to an attempt, or the reason for its absence. */
type Answer = Pick<DeliveryDetail['allAttempts'][number], 'statusCode' | 'error' | 'cause'>
export function answerWords(attempt: Answer | null): string {
  if (attempt === null) return 'Not sent yet'
  const { statusCode, error, cause } = attempt
  if (error === null) return `Answered ${statusCode}`
  return cause === null ? errorWords[error] : causeWords[cause]
}

type AttemptError = NonNullable<DeliveryDetail['allAttempts'][number]['error']>
const errorWords: Record<AttemptError, string> = {
  TIMEOUT: 'No answer within 15 s',
  NAME_NOT_FOUND: 'The name was not found',
  ADDRESS_REFUSED: 'The address is not public',
  CERTIFICATE_REFUSED: 'The certificate is not trusted',
  CONNECTION_FAILED: 'The connection failed',
  SECRET_UNREADABLE: 'Switchyard could not sign the event; the platform’s operators must act',
}

const causeWords: Record<NonNullable<Answer['cause']>, string> = {
  EXPIRED: 'The certificate has expired',
  SELF_SIGNED: 'The certificate is self-signed: use one of a public authority',
  OTHER_NAME: 'The certificate is for another name',
  UNKNOWN_ISSUER: 'The certificate’s issuer is not trusted, or the server does not send the intermediate certificate',
  REFUSED: 'The connection was refused: nothing listens on this port',
  CLOSED: 'The connection was closed without an answer',
  NO_TLS: 'The port does not speak TLS: https does not work there',
}
