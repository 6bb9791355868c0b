import { useQuery } from '@tanstack/react-query'
import type { DisabledReason } from '../../../domain/webhook/endpoint'
import type { EndpointPageView } from '../../../http/webhooks/pages'
import type { WebhookDeliveryDetailView, WebhookDeliveryView } from '../../../http/webhooks/views'
import { ask } from '../../data/api'
import { useHere } from '../../data/session'

export type Endpoint = EndpointPageView
export type Delivery = typeof WebhookDeliveryView.infer
export type DeliveryDetail = typeof WebhookDeliveryDetailView.infer

/** Poll interval of deliveries: they change without an event. */
export const pollMs = 4_000

export const pathOf = (id: string, more = ''): string => `/webhook-endpoints/${encodeURIComponent(id)}${more}`

export function useEndpoints() {
  const { organization } = useHere()
  return useQuery({
    queryKey: ['webhooks', organization.id],
    queryFn: () => ask<Endpoint[]>('/webhooks'),
    refetchInterval: pollMs,
  })
}

const whyDisabled: Record<DisabledReason, string> = {
  GONE: 'It answered 410 Gone, which means that it accepts no more events.',
  FAILING: 'Every attempt failed for five days.',
  BY_REQUEST: 'Your organization disabled it.',
}
export const disabledWords = (reason: DisabledReason): string => whyDisabled[reason]

/** Describes an endpoint's response to an attempt, or the reason for its absence. */
type Answer = Pick<DeliveryDetail['allAttempts'][number], 'statusCode' | 'error'>
export function answerWords(attempt: Answer | null): string {
  if (attempt === null) return 'Not sent yet'
  return attempt.error === null ? `Answered ${attempt.statusCode}` : errorWords[attempt.error]
}

type AttemptError = NonNullable<DeliveryDetail['allAttempts'][number]['error']>
const errorWords: Record<AttemptError, string> = {
  TIMEOUT: 'No answer within 15 s',
  NAME_NOT_FOUND: 'The name was not found',
  ADDRESS_REFUSED: 'The address is not public',
  CERTIFICATE_REFUSED: 'The certificate is not trusted: it is expired, self-signed or for another name',
  CONNECTION_FAILED: 'The connection failed: it was refused or reset',
  SECRET_UNREADABLE: 'Switchyard could not sign the event; its operator must act',
}
