import type { HistoryEntry } from '../../domain/execution/execution'

/**
 * How long executions stayed in a state: half of them up to `medianMs`, 19 of 20 up to `p95Ms`. If not `isWhole`, they
 * are a sample, and more than `left` have left the state.
 */
export type StateDuration = { state: string; left: number; isWhole: boolean; medianMs: number; p95Ms: number }

type Histories = readonly (readonly HistoryEntry[])[]
/** Returns the durations of all stays that ended at `from` or later, by state. */
export function stateDurations(histories: Histories, from: number, isWhole: boolean): StateDuration[] {
  const stays = new Map<string, number[]>()
  for (const history of histories) {
    let [state, since] = [history[0]?.to, history[0]?.at ?? 0]
    for (const { to, at } of history.slice(1)) {
      if (to === state) continue
      if (at >= from) stays.set(state!, [...(stays.get(state!) ?? []), at - since])
      ;[state, since] = [to, at]
    }
  }
  return [...stays].map(([state, lasted]) => {
    const sorted = lasted.toSorted((a, b) => a - b)
    const within = (share: number) => sorted[Math.min(Math.ceil(share * sorted.length), sorted.length) - 1]!
    return { state, left: sorted.length, isWhole, medianMs: within(0.5), p95Ms: within(0.95) }
  })
}
