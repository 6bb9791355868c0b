import type { Observable } from 'rxjs'
import type { Pointer } from '../domain/deposit/pointer'
import type { Due } from './executions'
import type { Carrier } from './telemetry'

/** "Look at this." It carries no state: losing it costs time, doubling it costs nothing. */
export type Wake = {
  data: Uint8Array
  /** The trace in which it was sent. */
  carrier?: Carrier
  redeliveries: number
  ack(): void
  nak(delayMs: number): void
  term(reason: string): void
}

/** The bell. Everything in it may vanish at any time. */
export interface Wakes {
  /** What became due. */
  wake(due: Pick<Due, 'id' | 'version' | 'bucket'>): Promise<void>
  /** News from outside: looked at now, even when it is not due yet. */
  wakeNow(wake: { id: string; bucket: number }): Promise<void>
  wakes(concurrency: number): Observable<Wake>
}

export interface Pointers {
  publish(pointers: Pointer[]): Promise<void>
  pointers(concurrency: number): Observable<Wake>
}
