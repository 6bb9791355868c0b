type Timers = { set: (run: () => void, ms: number) => unknown; clear: (timer: unknown) => void }

const realTimers: Timers = { set: setTimeout, clear: (timer) => clearTimeout(timer as never) }

export type ThrottledRefresh = ReturnType<typeof throttledRefresh>

/** Calls `act` after `soonMs`, once for all requests in that time, and again if some came after the first. */
export function throttledRefresh(act: () => void, soonMs: number, { set, clear }: Timers = realTimers) {
  let due: unknown = null
  let isRequestedAgain = false

  function plan(): void {
    due = set(() => {
      due = null
      if (isRequestedAgain) plan()
      isRequestedAgain = false
      act()
    }, soonMs)
  }
  return {
    ask(): void {
      if (due === null) plan()
      else isRequestedAgain = true
    },
    stop(): void {
      if (due !== null) clear(due)
      due = null
    },
  }
}
