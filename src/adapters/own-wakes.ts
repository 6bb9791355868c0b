import { Observable, type Subscriber } from 'rxjs'
import { wakeText } from '../domain/wake-messages'
import type { Telemetry } from '../ports/observing'
import type { Wake, Wakes } from '../ports/wakes'

/** Share of the worker's concurrency up to which a process keeps its own wake-ups. */
const ownShare = 1 / 4

type Called = Parameters<Wakes['wakeNow']>[0]

/**
 * Hands a new wake-up to the worker of this process, without a message, while that worker is below its share of the
 * concurrency. Otherwise a message lets any process with capacity take it.
 */
export function ownWakesFirst(wakes: Wakes, telemetry: Telemetry): Wakes {
  let worker: { subscriber: Subscriber<Wake>; hasRoom: () => boolean } | null = null

  /** @returns whether the worker of this process takes it. */
  function keep(called: Called, redeliveries: number): boolean {
    const own = worker
    if (!own?.hasRoom()) return false
    const again = (): unknown => keep(called, redeliveries + 1) || wakes.wakeNow(called).catch(() => {})
    const data = new TextEncoder().encode(wakeText({ id: called.id, isImmediate: !called.isDue }))
    telemetry.within({ name: 'carry on', kind: 'CONSUMER', id: called.id }, (end) => {
      let isAnswered = false
      const answer = (act?: () => unknown): void => {
        if (isAnswered) return
        isAnswered = true
        end()
        act?.()
      }
      const nak = (delayMs: number): void => answer(() => setTimeout(again, delayMs))
      own.subscriber.next({ data, redeliveries, ack: () => answer(), nak, term: () => answer() })
    })
    return true
  }

  return {
    ...wakes,
    async wakeNow(called) {
      if (!keep(called, 0)) await wakes.wakeNow(called)
    },
    wakes: (concurrency, inHand = () => 0) =>
      new Observable((subscriber) => {
        const own = { subscriber, hasRoom: () => inHand() < Math.floor(concurrency * ownShare) }
        worker = own
        subscriber.add(() => {
          if (worker === own) worker = null
        })
        return wakes.wakes(concurrency, inHand).subscribe(subscriber)
      }),
  }
}
