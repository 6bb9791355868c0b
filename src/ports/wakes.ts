import type { Observable } from 'rxjs'
import { type ChainId, isChainId } from '../domain/chain'
import type { Hash } from '../domain/hex'
import type { Due } from './executions'

/** "Look at this." It carries no state: losing it costs time, doubling it costs nothing. */
export type Wake = {
  data: Uint8Array
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

/** Where a webhook says something arrived; nothing more of it is used. */
export type Pointer = { chainId: ChainId; txHash: Hash; seenAt: number }

export interface Pointers {
  publish(pointers: Pointer[]): Promise<void>
  pointers(concurrency: number): Observable<Wake>
}

/** `isNews`: something happened outside, so it is looked at even before it is due. */
export type Called = { id: string; isNews: boolean }

const newsMark = '!'
const idLengthMax = 200

/** What a wake-up says: an id, or an id that something happened to. */
export const wakeText = ({ id, isNews }: Called): string => (isNews ? `${newsMark}${id}` : id)

/** Null for what cannot be the id of an execution. */
export function calledBy(data: Uint8Array): Called | null {
  const text = new TextDecoder().decode(data)
  const isNews = text.startsWith(newsMark)
  const id = isNews ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isNews } : null
}

/** What a pointer's message says. */
export const pointerText = ({ chainId, txHash, seenAt }: Pointer): string => JSON.stringify({ chainId, txHash, seenAt })

/** Null for what cannot be a pointer. */
export function pointerIn(data: Uint8Array): Pointer | null {
  try {
    const { chainId, txHash, seenAt } = JSON.parse(new TextDecoder().decode(data))
    const isPointer = isChainId(chainId) && /^0x[0-9a-f]{64}$/.test(txHash) && Number.isSafeInteger(seenAt)
    return isPointer ? { chainId, txHash, seenAt } : null
  } catch {
    return null
  }
}
