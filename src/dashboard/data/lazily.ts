import { type ComponentType, lazy } from 'react'
import { deviceClock } from './device-clock'

const retryMs = [500, 1_000, 2_000, 4_000] as const
/** A page is not reloaded twice within this time, because the file itself is broken then. */
const reloadedMs = 60_000
const reloadedAt = 'switchyard reloaded for a module at'

let waiting = 0
const listeners = new Set<() => void>()
function count(step: 1 | -1): void {
  waiting += step
  for (const listener of listeners) listener()
}
export const isModuleWaiting = (): boolean => waiting > 0
export function onModuleWaiting(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const isServed = (): Promise<boolean> =>
  fetch('/app', { cache: 'no-store', headers: { accept: 'text/html' } }).then(
    ({ ok }) => ok,
    () => false,
  )

/** Reloads the page, for the file names of a new release. Never twice in a minute. */
function reloadOnce(): boolean {
  if (deviceClock() - Number(sessionStorage.getItem(reloadedAt)) < reloadedMs) return false
  sessionStorage.setItem(reloadedAt, String(deviceClock()))
  window.location.reload()
  return true
}

/**
 * Imports a module. A failed import is a failed fetch: this waits until the server responds and tries again. If it
 * still fails, the file belongs to an earlier release, and the page is reloaded.
 */
async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch {
    count(1)
  }
  try {
    for (let n = 0; !(await isServed()); n++) await pause(retryMs[Math.min(n, retryMs.length - 1)]!)
    return await load().catch((error: unknown) => {
      if (!reloadOnce()) throw error
      return new Promise<Module>(() => {})
    })
  } finally {
    count(-1)
  }
}

/** A component that is loaded on demand. Use this instead of React's `lazy`, which gives up after one failed fetch. */
// biome-ignore lint/suspicious/noExplicitAny: each component has props of its own
export const lazily = <Component extends ComponentType<any>>(load: () => Promise<{ default: Component }>) =>
  lazy(() => loaded(load))
