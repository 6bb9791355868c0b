const pollMs = 60_000
/** The server beats every 15 seconds, so longer silence means a dead connection. */
const silentMsMax = 45_000
const readMsMax = 20_000
/** Many pages read after one change, so they are spread over this time. */
const spreadMs = 1_000
const retryMs = { first: 1_000, most: 30_000 }
const retryAfterMs = (failures) =>
  Math.min(retryMs.most, retryMs.first * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)

/**
 * Keeps a page up to date: it reads at the start, after each change, after each break of the stream of changes, and
 * every minute. Calls `onChange` with the newest data, the time of its reading, and the problem of the last reading:
 * null, `OFFLINE`, `SIGNED_OUT` or `UNAVAILABLE`. It never ends by itself.
 */
export function feed({ readUrl, changesUrl, onChange }) {
  let state = { data: null, readAt: null, problem: null }
  let isReading = false
  let isOutdated = false
  let failures = 0
  let breaks = 0
  let source = null
  const timers = { poll: 0, silence: 0, reconnect: 0, spread: 0 }
  const set = (change) => {
    state = { ...state, ...change }
    onChange(state)
  }
  const after = (name, ms, run) => {
    clearTimeout(timers[name])
    timers[name] = setTimeout(run, ms)
  }

  async function readOnce() {
    const response = await fetch(readUrl, { cache: 'no-store', signal: AbortSignal.timeout(readMsMax) })
    if (response.status === 401 || response.status === 403) return set({ problem: 'SIGNED_OUT' })
    if (!response.ok) throw new Error(String(response.status))
    set({ data: await response.json(), readAt: Date.now(), problem: null })
  }
  /** One reading at a time. A change during a reading causes another one. */
  async function read() {
    isOutdated = true
    clearTimeout(timers.spread)
    if (isReading) return
    isReading = true
    let waitMs = pollMs
    while (isOutdated) {
      isOutdated = false
      try {
        await readOnce()
        failures = 0
        waitMs = pollMs
      } catch {
        waitMs = retryAfterMs(failures++)
        set({ problem: navigator.onLine ? 'UNAVAILABLE' : 'OFFLINE' })
      }
    }
    isReading = false
    after('poll', waitMs, read)
  }

  /** A browser does not connect again after a bad answer, and does not notice a dead connection. This does. */
  function connect() {
    clearTimeout(timers.reconnect)
    source?.close()
    const own = new EventSource(changesUrl)
    source = own
    const broken = () => {
      own.close()
      clearTimeout(timers.silence)
      after('reconnect', retryAfterMs(breaks++), connect)
      read()
    }
    const heard = () => after('silence', silentMsMax, broken)
    heard()
    own.addEventListener('error', broken)
    own.addEventListener('beat', heard)
    own.addEventListener('open', () => {
      breaks = 0
      heard()
      // A lost connection may have missed changes.
      read()
    })
    own.addEventListener('message', () => {
      heard()
      if (!isOutdated) after('spread', Math.random() * spreadMs, read)
      isOutdated = true
    })
  }

  const wake = () => {
    if (document.visibilityState === 'hidden') return
    if (source?.readyState === EventSource.CLOSED) connect()
    read()
  }
  addEventListener('online', wake)
  addEventListener('offline', () => set({ problem: 'OFFLINE' }))
  document.addEventListener('visibilitychange', wake)
  connect()
  read()
}
