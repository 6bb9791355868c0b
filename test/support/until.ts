import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'

/**
 * How long a test waits for anything, unless more work than one deposit is on its way. A busy machine is late and not
 * wrong, so no test says how long something takes; the measurements do.
 */
const waitMsMax = 5 * 60_000
const seenCharactersMax = 2_000

/** Says what is there at the moment. If the wait fails, the failure shows it. */
export type Note = (seen: unknown) => void
type Look<Value> = (note: Note) => Value | null | false | undefined | Promise<Value | null | false | undefined>

/**
 * Looks until there is something, and gives it.
 *
 * @param what is waited for; the failure says it, and shows what the last look noted or gave.
 * @param everyMs the time between two looks.
 * @throws a TimeoutError after `waitMs`.
 */
export async function until<Value>(
  what: string,
  look: Look<Value>,
  { everyMs = 25, waitMs = waitMsMax }: { everyMs?: number; waitMs?: number } = {},
): Promise<Value> {
  const deadline = performance.now() + waitMs
  const waiting = new AbortController()
  // A look may never end: what it asks can be the very thing that the test has cut.
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

/** Reads again until the value is as it should be, and gives it. The failure shows the condition and the last value. */
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
