import { repeat } from '../domain/repeat'
import { isDelivered, type Outcome } from '../domain/webhook/delivery'
import type { WebhookEndpoint } from '../domain/webhook/endpoint'
import type { NoticePorts } from '../webhooks/disabled-notices'
import type { RunPorts } from '../webhooks/run-ports'
import { webhookSender } from '../webhooks/webhook-sender'
import type { Log } from './logging/log'
import type { Meters } from './telemetry/meters'

type Ports = {
  posting: Omit<RunPorts, 'onAttempt' | 'onDisabled' | 'onTrouble'>
  notify: NoticePorts['notify']
  log: Pick<Log, 'write'>
  meters: Pick<Meters, 'count'>
  onTrouble: (work: string, error: unknown) => void
}

const tickMs = 400
/** Poll interval for a first endpoint while no organization has one. */
const idleMs = 4_000

/** The metric label of an attempt: delivered, refused by status, or the error that occurred before any status. */
const outcomeOf = (outcome: Outcome): string => {
  if (isDelivered(outcome)) return 'DELIVERED'
  return outcome.error ?? 'REFUSED'
}

/** Posts events to the organizations' endpoints between `start` and `stop`. */
export function webhookPosting({ posting, notify, log, meters, onTrouble: fault }: Ports) {
  const onTrouble = (error: unknown) => fault('posting webhooks', error)
  const running = {
    ...posting,
    onTrouble,
    onAttempt: (outcome: Outcome) => meters.count('webhook_attempts_total', { outcome: outcomeOf(outcome) }),
    onDisabled: ({ id, organizationId, disabledReason }: WebhookEndpoint) => {
      log.write('WEBHOOK_ENDPOINT_DISABLED', { endpoint: id, organization: organizationId, reason: disabledReason })
      meters.count('webhook_endpoints_disabled_total', { reason: disabledReason! })
    },
  }
  const sender = webhookSender(running, notify)
  let polledAt = Number.NEGATIVE_INFINITY

  async function poll(): Promise<void> {
    if (sender.isEmpty() && performance.now() - polledAt < idleMs) return
    polledAt = performance.now()
    await sender.tick()
  }

  const ticking = repeat({ everyMs: tickMs, first: 'LATER', work: poll, onTrouble })
  return {
    sender,
    start: ticking.start,
    async stop(): Promise<void> {
      await Promise.all([ticking.stop(), sender.end()])
    },
  }
}
