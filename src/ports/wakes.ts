import type { Observable } from 'rxjs'
import type { OwedWake, Pointer } from '../domain/wake-messages'
import type { Carrier } from './observing'

/**
 * A message that makes a worker read a record. It carries no state: losing it costs time, and doubling it costs
 * nothing.
 */
export type Wake = {
  data: Uint8Array
  /** The trace in which it was sent. */
  carrier?: Carrier
  redeliveries: number
  ack(): void
  nak(delayMs: number): void
  term(reason: string): void
}

/** Wakes workers. Any message can be lost at any time. */
export interface Wakes {
  /** Wakes a worker for a due record. A wake-up sent within the last 15 seconds is not sent again. */
  wake(owed: OwedWake & { bucket: number }): Promise<void>
  /**
   * Wakes a worker because of an outside event, even if the execution is not due yet.
   *
   * @param wake `isDue`: this process has just stored it as due. If it was run since then, it is not run again.
   */
  wakeNow(wake: { id: string; bucket: number; isDue?: boolean }): Promise<void>
  /** @param inHand Returns how many executions the worker runs now. */
  wakes(concurrency: number, inHand?: () => number): Observable<Wake>
  /** Whether a wake-up of this queue would arrive now, as seen by this process. */
  isDelivering(bucket: number): boolean
}

export interface Pointers {
  publish(pointers: Pointer[]): Promise<void>
  pointers(concurrency: number): Observable<Wake>
}
