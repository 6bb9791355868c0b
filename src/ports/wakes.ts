import type { Observable } from 'rxjs'
import { type ChainId, isChainId } from '../domain/chain/chain'
import type { Hash } from '../domain/chain/hex'
import type { Due } from './executions'
import type { Carrier } from './telemetry'

/** A message that says "look at this". It carries no state: losing it costs time, and doubling it costs nothing. */
export type Wake = {
  data: Uint8Array
  /** The trace in which it was sent. */
  carrier?: Carrier
  redeliveries: number
  ack(): void
  nak(delayMs: number): void
  term(reason: string): void
}

/** Wakes workers. Every message in it may vanish at any time. */
export interface Wakes {
  /** Wakes a worker for what became due. */
  wake(due: Pick<Due, 'id' | 'version' | 'bucket'>): Promise<void>
  /** Wakes a worker because of news from outside, even when the execution is not due yet. */
  wakeNow(wake: { id: string; bucket: number }): Promise<void>
  wakes(concurrency: number): Observable<Wake>
}

/** A transaction in which something arrived, according to a webhook. Nothing else of the webhook is used. */
export type Pointer = { chainId: ChainId; txHash: Hash; seenAt: number }

export interface Pointers {
  publish(pointers: Pointer[]): Promise<void>
  pointers(concurrency: number): Observable<Wake>
}

/** The execution to look at. `isNews`: something happened outside, so it is looked at even before it is due. */
export type Called = { id: string; isNews: boolean }

const newsMark = '!'
const idLengthMax = 200

/** Returns the text of a wake-up: an id, marked when there is news. */
export const wakeText = ({ id, isNews }: Called): string => (isNews ? `${newsMark}${id}` : id)

/** Reads a wake-up. Returns null for what cannot be the id of an execution. */
export function calledBy(data: Uint8Array): Called | null {
  const text = new TextDecoder().decode(data)
  const isNews = text.startsWith(newsMark)
  const id = isNews ? text.slice(1) : text
  return /^\d+(:\w+)+$/.test(id) && id.length <= idLengthMax ? { id, isNews } : null
}

/** Returns the text of a message with pointers. Most carry one. */
export function pointersText(pointers: readonly Pointer[]): string {
  const said = pointers.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt }))
  return JSON.stringify(said.length === 1 ? said[0] : said)
}

/** Reads the pointers of a message. Returns null for what cannot be pointers. */
export function pointersIn(data: Uint8Array): Pointer[] | null {
  try {
    const said = [JSON.parse(new TextDecoder().decode(data))].flat() as Pointer[]
    const isPointer = ({ chainId, txHash, seenAt }: Pointer) =>
      isChainId(chainId) && /^0x[0-9a-f]{64}$/.test(txHash) && Number.isSafeInteger(seenAt)
    const isGood = said.length > 0 && said.every(isPointer)
    return isGood ? said.map(({ chainId, txHash, seenAt }) => ({ chainId, txHash, seenAt })) : null
  } catch {
    return null
  }
}
