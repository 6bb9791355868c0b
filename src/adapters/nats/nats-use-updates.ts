import type { NatsConnection } from 'nats'
import type { Use, UseUpdates } from '../../ports/limits'

const subject = 'switchyard.limits'

type UseMessage = { from: string; uses: Use[] }

/**
 * Sends the requests that this process admitted to the other processes, in plain NATS messages. A lost message costs
 * only precision.
 */
export function natsUseUpdates(connection: NatsConnection, worker: string): UseUpdates {
  return {
    publish(uses) {
      const message: UseMessage = { from: worker, uses }
      if (!connection.isClosed()) connection.publish(subject, JSON.stringify(message))
    },
    subscribe(listener) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          const news = error ? null : read(message.string())
          if (news && news.from !== worker) listener(news.uses)
        },
      })
    },
  }
}

function read(text: string): UseMessage | null {
  try {
    const { from, uses } = JSON.parse(text) as Partial<UseMessage>
    return typeof from === 'string' && Array.isArray(uses) ? { from, uses: uses.filter(isUse) } : null
  } catch {
    return null
  }
}

const isUse = ({ id, rateClass, count, stepMs }: Partial<Use>): boolean =>
  typeof id === 'string' &&
  typeof rateClass === 'string' &&
  Number.isFinite(count) &&
  count! > 0 &&
  Number.isFinite(stepMs) &&
  stepMs! > 0
