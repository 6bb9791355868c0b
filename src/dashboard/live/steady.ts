type Toned = { tone: 'ok' | 'mute' | 'warn'; text: string }
/** The state on screen, and the newest one with the time since which it lasts. */
type Steady<State extends Toned> = { shown: State; next: State; since: number }

/** A trouble that passes for a moment is not over: a busy machine would show its end several times a minute. */
const overMs = 5_000

export const steadily = <State extends Toned>(state: State, now: number): Steady<State> => ({
  shown: state,
  next: state,
  since: now,
})

/** A trouble is shown immediately, and its end once that has lasted for some seconds. */
export function steady<State extends Toned>(before: Steady<State>, next: State, now: number): Steady<State> {
  const since = next.text === before.next.text ? before.since : now
  const waits = before.shown.tone === 'warn' && next.tone !== 'warn' && now - since < overMs
  return { shown: waits ? before.shown : next, next, since }
}
