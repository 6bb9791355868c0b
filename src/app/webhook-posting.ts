import { repeat } from '../domain/repeat'
import { isDelivered, type Outcome } from '../domain/webhook/delivery'
import { type SenderPorts, webhookSender } from '../webhooks/webhook-sender'
import type { Log } from './logging/log'
import type { Meters } from './telemetry/meters'

type Ports = Omit<SenderPorts, 'onAttempt' | 'onDisabled' | 'onTrouble'> & {
  log: Pick<Log, 'say'>
  meters: Pick<Meters, 'count'>
  onTrouble: (work: string, error: unknown) => void
}

const beatMs = 400
/** Poll interval for a first endpoint while no organization has one. */
const idleMs = 4_000

/** The metric label of an attempt: delivered, refused by status, or the error that occurred before any status. */
const outcomeOf = (outcome: Outcome): string => {
  if (isDelivered(outcome)) return 'DELIVERED'
  return outcome.error ?? 'REFUSED'
}

/** Posts events to the organizations' endpoints between `start` and `stop`. */
export function webhookPosting(ports: Ports) {
  const { log, meters } = ports
  const onTrouble = (error: unknown) => ports.onTrouble('posting webhooks', error)
  const sender = webhookSender({
    ...ports,
    onTrouble,
    onAttempt: (outcome) => meters.count('webhook_attempts_total', { outcome: outcomeOf(outcome) }),
    onDisabled: ({ id, organizationId, disabledReason }) => {
      log.say('WEBHOOK_ENDPOINT_DISABLED', { endpoint: id, organization: organizationId, reason: disabledReason })
      meters.count('webhook_endpoints_disabled_total', { reason: disabledReason! })
    },
  })
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    if (sender.isEmpty() && performance.now() - lookedAt < idleMs) return
    lookedAt = performance.now()
    await sender.beat()
  }

  const beating = repeat({ everyMs: beatMs, first: 'LATER', work: look, onTrouble })
  return {
    sender,
    start: beating.start,
    async stop(): Promise<void> {
      await Promise.all([beating.stop(), sender.end()])
    },
  }
}
