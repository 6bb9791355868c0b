import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { clock } from '../data/format'
import { useLiveState, useNotLiveSince } from '../live/live'
import { steadily, steady } from '../live/steady'
import type { LiveState } from '../live/stream'
import { useNow } from '../ui/time'
import { announce } from '../ui/toast'

const liveWords = {
  connecting: ['mute', 'Connecting', 'Opening the live stream'],
  live: ['ok', 'Live', 'Changes are shown as they happen'],
  silent: ['warn', 'Not live', 'The service has sent nothing for some seconds, so this page may be out of date'],
  offline: ['warn', 'Reconnecting', 'The live stream is interrupted. This page polls until it recovers'],
} as const

const readWords = {
  loading: ['mute', 'Loading', 'Some parts of this page are not loaded yet'],
  failed: ['warn', 'Not up to date', 'Some parts of this page could not be read. Each has a button to try again'],
} as const

/** Whether a part of the page on screen failed to load or is not loaded yet. */
function useUnread(): keyof typeof readWords | null {
  const cache = useQueryClient().getQueryCache()
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache])
  return useSyncExternalStore(subscribe, () => {
    const shown = cache.getAll().filter((query) => query.isActive())
    if (shown.some(({ state }) => state.status === 'error' || (state.data === undefined && state.errorUpdateCount > 0)))
      return 'failed'
    return shown.some(({ state }) => state.status === 'pending' && state.fetchStatus !== 'idle') ? 'loading' : null
  })
}

type Mark = { tone: 'ok' | 'mute' | 'warn'; text: string; hint: string }
function markOf(state: LiveState, since: number | null, unread: keyof typeof readWords | null): Mark {
  const [tone, text, hint] = state === 'live' && unread ? readWords[unread] : liveWords[state]
  return { tone, hint, text: state === 'silent' && since !== null ? `Not live since ${clock(since)}` : text }
}

function useSteady(next: Mark): Mark {
  const now = useNow()
  const [before, setBefore] = useState(() => steadily(next, now))
  const after = steady(before, next, now)
  if (after.shown.text !== before.shown.text || after.next.text !== before.next.text) setBefore(after)
  return after.shown
}

/** Whether the page is up to date: Live only while the stream is live and every part of the page is loaded. */
export function LiveMark() {
  const state = useLiveState()
  const since = useNotLiveSince()
  const unread = useUnread()
  const { tone, text, hint } = useSteady(markOf(state, since, unread))
  // Every page loads, so only what is wrong is announced, and its end.
  const wasWrong = useRef(false)
  useEffect(() => {
    if (tone === 'warn') announce(hint)
    else if (tone === 'ok' && wasWrong.current) announce('Up to date again.')
    if (tone !== 'mute') wasWrong.current = tone === 'warn'
  }, [tone, hint])
  return (
    <span className={`pill t-${tone} ${tone === 'ok' ? '' : 'is-busy'}`} data-live={state} title={hint}>
      {text}
    </span>
  )
}
