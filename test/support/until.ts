import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'

/**
 * Longest wait of a test for one deposit's work. A busy machine is late but not wrong, so no test checks durations; the
 * benchmarks do.
 */
const waitMsMax = 5 * 60_000
const seenCharactersMax = 2_000

/** Notes the current state, and returns it. If the wait fails, the failure shows the last note. */
export type Note = <Seen>(seen: Seen) => Seen
type Look = (note: Note) => unknown
/** The compiler refuses a look that notes nothing, because its wait would fail with "false" alone. */
type Noting<Each extends Look> = Each extends () => unknown ? 'a look must note what it sees' : unknown
type FoundBy<Each extends Look> = Exclude<Awaited<ReturnType<Each>>, null | false | undefined>

/**
 * Polls until there is a value, and returns it.
 *
 * @param what Condition, shown in the failure with the last noted value.
 * @param everyMs Time between two polls.
 * @throws a TimeoutError after `waitMs`.
 */
export async function until<Each extends Look>(
  what: string,
  look: Each & Noting<Each>,
  { everyMs = 25, waitMs = waitMsMax }: { everyMs?: number; waitMs?: number } = {},
): Promise<FoundBy<Each>> {
  const deadline = performance.now() + waitMs
  const waiting = new AbortController()
  // A poll may never return, because the test might have cut the server that it queries.
  const late = delay(waitMs, 'the last look did not end', { signal: waiting.signal })
  late.catch(() => {})
  let seen: unknown = 'nothing'
  let end = ''
  const note: Note = (noted) => {
    seen = noted
    return noted
  }
  try {
    while (performance.now() < deadline) {
      const looked = await Promise.race([Promise.resolve(look(note)).then((value) => ({ value })), late])
      if (typeof looked === 'string') {
        end = `, and ${looked}`
        break
      }
      if (isThere(looked.value)) return looked.value as FoundBy<Each>
      await Bun.sleep(everyMs)
    }
  } finally {
    waiting.abort()
  }
  const instead = inspect(seen, { depth: 4, breakLength: 120 }).slice(0, seenCharactersMax)
  const message = `Not within ${waitMs / 1000} s: ${what}. What came instead: ${instead}${end}`
  throw Object.assign(new Error(message), { name: 'TimeoutError' })
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined && value !== false

/**
 * Reads again until the value passes, and returns it.
 *
 * @param what Condition, shown in the failure with the last value.
 */
export async function eventually<Value>(
  what: string,
  read: () => Promise<Value> | Value,
  isSo: (value: Value) => boolean = isThere,
): Promise<NonNullable<Value>> {
  const { value } = await until(what, async (note) => {
    const value = await read()
    note(value)
    return isSo(value) ? { value } : null
  })
  return value as NonNullable<Value>
}
