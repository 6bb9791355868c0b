import type { NatsConnection } from 'nats'
import type { Use, UseNews } from '../../ports/limits'

const subject = 'switchyard.limits'

type Told = { from: string; uses: Use[] }

/** Tells the other processes what this one let in, by plain messages: what is lost costs precision, nothing else. */
export function natsUseNews(connection: NatsConnection, worker: string): UseNews {
  return {
    publish(uses) {
      const told: Told = { from: worker, uses }
      if (!connection.isClosed()) connection.publish(subject, JSON.stringify(told))
    },
    subscribe(hear) {
      connection.subscribe(subject, {
        callback: (error, message) => {
          const told = error ? null : read(message.string())
          if (told && told.from !== worker) hear(told.uses)
        },
      })
    },
  }
}

function read(text: string): Told | null {
  try {
    const { from, uses } = JSON.parse(text) as Partial<Told>
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
