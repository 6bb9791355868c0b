import { type ReactNode, useSyncExternalStore } from 'react'
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
export const useNow = (): number => useSyncExternalStore(subscribe, current, current)

const exactAt = 'switchyard exact times'
/** Whether times are shown in full everywhere, for people without a mouse to point at one. */
export function areTimesExact(): boolean {
  isExact ??= localStorage.getItem(exactAt) !== null
  return isExact
}
/** Read once, because a page has a thousand times. */
let isExact: boolean | null = null
export function showExactTimes(isOn: boolean): void {
  isExact = isOn
  if (isOn) localStorage.setItem(exactAt, 'yes')
  else localStorage.removeItem(exactAt)
  for (const listener of listeners) listener()
}

export const useExactTimes = (): boolean => useSyncExternalStore(subscribe, areTimesExact, () => false)

type TimeProps = { at: string | number; children: ReactNode; className?: string }
/** A short time. Its full form appears on hover, on paper, and while exact times are on. */
export function Time({ at, children, className = 'nowrap' }: TimeProps) {
  const isInFull = useExactTimes()
  const time = new Date(at).getTime()
  const full = exact(time)
  return (
    // Keeps a live region around it from announcing every change.
    <time
      dateTime={new Date(time).toISOString()}
      title={isInFull ? undefined : full}
      className={isInFull ? `${className} exact` : className}
      aria-live="off"
    >
      {isInFull ? full : children}
    </time>
  )
}

export function Ago({ at }: { at: string | number | null }) {
  const now = useNow()
  return at === null ? <span className="sub">never</span> : <Time at={at}>{ago(new Date(at).getTime(), now)}</Time>
}
