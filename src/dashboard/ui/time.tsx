import { useSyncExternalStore } from 'react'
import { deviceClock } from '../data/device-clock'
import { ago, exact } from '../data/format'

let now = deviceClock()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | null = null

function tick(): void {
  now = deviceClock()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0 || !timer) return
    clearInterval(timer)
    timer = null
  }
}

/** Returns the displayed time. Without listeners it does not advance, so it is renewed once it is a second old. */
function current(): number {
  if (!timer && deviceClock() - now > 1_000) now = deviceClock()
  return now
}

/** One clock for the page, so a thousand times on screen need a single timer. */
export const useNow = (): number => useSyncExternalStore(subscribe, current)

export function Ago({ at }: { at: string | number | null }) {
  const seenAt = useNow()
  if (at === null) return <span className="sub">never</span>
  const time = new Date(at).getTime()
  return (
    // A live region does not read it each time it changes.
    <time dateTime={new Date(time).toISOString()} title={exact(time)} className="nowrap" aria-live="off">
      {ago(time, seenAt)}
    </time>
  )
}
