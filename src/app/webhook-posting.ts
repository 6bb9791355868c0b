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
  let beat: ReturnType<typeof setInterval> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY

  function look(): void {
    if (sender.isEmpty() && performance.now() - lookedAt < idleMs) return
    lookedAt = performance.now()
    void sender.beat()
  }

  return {
    sender,
    start(): void {
      beat = setInterval(look, beatMs)
    },
    async stop(): Promise<void> {
      clearInterval(beat)
      await sender.end()
    },
  }
}
