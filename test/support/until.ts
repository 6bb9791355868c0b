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
type Look<Value> = (note: Note) => Value | null | false | undefined | Promise<Value | null | false | undefined>

/**
 * Polls until there is a value, and returns it.
 *
 * @param what Condition, shown in the failure with the last noted or returned value.
 * @param everyMs Time between two polls.
 * @throws a TimeoutError after `waitMs`.
 */
export async function until<Value>(
  what: string,
  look: Look<Value>,
  { everyMs = 25, waitMs = waitMsMax }: { everyMs?: number; waitMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + waitMs
  const waiting = new AbortController()
  // A poll may never return, because the test might have cut the server that it queries.
  const late = delay(waitMs, 'the last look did not end', { signal: waiting.signal })
  late.catch(() => {})
  let noted: { seen: unknown } | null = null
  let last: unknown = 'nothing'
  try {
    while (performance.now() < deadline) {
      const looked = await Promise.race([
        Promise.resolve(
          look((seen) => {
            noted = { seen }
            return seen
          }),
        ).then((value) => ({ value })),
        late,
      ])
      if (typeof looked === 'string') {
        last = looked
        break
      }
      if (isThere(looked.value)) return looked.value as Value
      last = looked.value
      await Bun.sleep(everyMs)
    }
  } finally {
    waiting.abort()
  }
  const seen = inspect((noted as { seen: unknown } | null)?.seen ?? last, { depth: 4, breakLength: 120 })
  const message = `Not within ${waitMs / 1000} s: ${what}. What came instead: ${seen.slice(0, seenCharactersMax)}`
  throw Object.assign(new Error(message), { name: 'TimeoutError' })
}

const isThere = (value: unknown): boolean => value !== null && value !== undefined && value !== false

/** Reads again until the value passes, and returns it. The failure shows the condition and the last value. */
export async function eventually<Value>(
  read: () => Promise<Value> | Value,
  isSo: (value: Value) => boolean = isThere,
): Promise<NonNullable<Value>> {
  const { value } = await until(`${isSo === isThere ? read : isSo}`, async (note) => {
    const value = await read()
    note(value)
    return isSo(value) ? { value } : null
  })
  return value as NonNullable<Value>
}
