import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { deviceClock } from '../data/device-clock'
import { followEvents, type LiveEvent, type LiveState } from './stream'
import { type ThrottledRefresh, throttledRefresh } from './throttled-refresh'

type Listener = (events: LiveEvent[]) => void
type TabMessage =
  | { kind: 'events'; events: LiveEvent[] }
  | { kind: 'state'; state: LiveState }
  | { kind: 'reset' }
  | { kind: 'who leads' }

let state: LiveState = 'connecting'
/** Since when the screen might be out of date; null while it is live. */
let notLiveSince: number | null = null
const stateListeners = new Set<() => void>()
const listeners = new Set<Listener>()
const resetListeners = new Set<() => void>()

function setState(next: LiveState): void {
  if (next === state) return
  state = next
  notLiveSince = next === 'live' ? null : (notLiveSince ?? deviceClock())
  for (const listener of stateListeners) listener()
}

const receive = (tabMessage: TabMessage): void => {
  if (tabMessage.kind === 'state') setState(tabMessage.state)
  if (tabMessage.kind === 'reset') for (const listener of resetListeners) listener()
  if (tabMessage.kind === 'events') for (const listener of listeners) listener(tabMessage.events)
}

/**
 * Follows one stream per browser and organization, for any number of tabs. The tab with the lock follows it and
 * passes events on. A browser opens six connections to a host, so a seventh tab with its own stream would not load.
 */
export function startLive(organizationId: string, onSignedOut: () => void): () => void {
  const name = `switchyard live ${organizationId}`
  const ending = new AbortController()
  const channel = new BroadcastChannel(name)
  let isLeader = false
  const broadcast = (tabMessage: TabMessage): void => {
    receive(tabMessage)
    channel.postMessage(tabMessage)
  }
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind !== 'who leads') receive(data)
    else if (isLeader) channel.postMessage({ kind: 'state', state })
  }
  setState('connecting')
  channel.postMessage({ kind: 'who leads' })

  const lead = async (): Promise<void> => {
    if (ending.signal.aborted) return
    isLeader = true
    await followEvents(ending.signal, {
      onEvents: (events) => broadcast({ kind: 'events', events }),
      onState: (next) => broadcast({ kind: 'state', state: next }),
      onReset: () => broadcast({ kind: 'reset' }),
      onSignedOut,
    })
  }
  if (navigator.locks) navigator.locks.request(name, { signal: ending.signal }, lead).catch(() => {})
  else void lead()

  return () => {
    ending.abort()
    channel.close()
  }
}

const listenToState = (listener: () => void) => {
  stateListeners.add(listener)
  return () => stateListeners.delete(listener)
}

export const useLiveState = (): LiveState => useSyncExternalStore(listenToState, () => state)
export const useNotLiveSince = (): number | null => useSyncExternalStore(listenToState, () => notLiveSince)

/** Calls `listen` with batches of events while the component is on screen. */
export function useEvents(listen: Listener, isOn = true): void {
  const onEvents = useEffectEvent(listen)
  useEffect(() => {
    if (!isOn) return
    const listener: Listener = (events) => onEvents(events)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  }, [isOn])
}

/**
 * Fetches again shortly after a relevant event. Further events during that time cause only one more fetch at the end,
 * because the server's cached response might not include them.
 */
export function useThrottledRefresh(matters: (event: LiveEvent) => boolean, act: () => void, soonMs = 700): void {
  const actNow = useEffectEvent(act)
  const soon = useRef<ThrottledRefresh | null>(null)
  useEffect(() => {
    const begun = throttledRefresh(() => actNow(), soonMs)
    soon.current = begun
    return () => begun.stop()
  }, [soonMs])
  useEvents((events) => {
    if (events.some(matters)) soon.current?.ask()
  })
}

export function useReset(reset: () => void): void {
  const onReset = useEffectEvent(reset)
  useEffect(() => {
    const listener = () => onReset()
    resetListeners.add(listener)
    return () => {
      resetListeners.delete(listener)
    }
  }, [])
}

/** Poll interval while the stream is interrupted; `false` while it is live. */
export const usePolling = (ms = 4_000): number | false => (useLiveState() === 'live' ? false : ms)
