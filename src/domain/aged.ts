import { BoundedMap } from './bounded-map'

type Aging<Value, Question> = {
  now: () => number
  /** Maximum age of a value that is returned again, in milliseconds. */
  forMs: number | ((value: Value) => number)
  /**
   * Start of a value's age. If it counts from the end of the read, a value can be older than `forMs` by the duration of
   * the read, and every caller during a read shares it. If from the start, a read longer than `forMs` is not shared.
   */
  from: 'START' | 'END'
  /** From this age on, a value is still returned, while it is read again for later callers. */
  refreshMs?: number
  /** Questions with the same key share a value. By default, a question is its own key. */
  keyOf?: (question: Question) => unknown
  /** Maximum number of values. The least recently read value is dropped. */
  most?: number
}

type Entry<Value> = {
  last: { answer: Promise<Value>; value: Value; at: number } | null
  reading: { answer: Promise<Value>; since: number } | null
}

/**
 * The one way to use a value again that was read a moment ago. Simultaneous callers share one read. A failed read is
 * not used again: the next caller reads.
 *
 * @param read Reads the value that answers a question. `maxAgeMs` is what the caller accepts.
 */
export function aged<Value, Question = void>(
  read: (question: Question, maxAgeMs: number) => Promise<Value>,
  { now, forMs, from, refreshMs = Number.POSITIVE_INFINITY, keyOf = (it) => it, most = 1_000 }: Aging<Value, Question>,
) {
  const entries = new BoundedMap<unknown, Entry<Value>>(most)
  const entryOf = (question: Question): Entry<Value> => entries.get(keyOf(question)) ?? { last: null, reading: null }
  const usualMs = typeof forMs === 'number' ? forMs : Number.POSITIVE_INFINITY

  function begin(question: Question, entry: Entry<Value>, maxAgeMs: number): Promise<Value> {
    const key = keyOf(question)
    const since = now()
    const mine = { answer: read(question, maxAgeMs), since }
    entry.reading = mine
    entries.set(key, entry)
    mine.answer.then(
      (value) => {
        if (entry.reading !== mine) return
        entry.reading = null
        entry.last = { answer: mine.answer, value, at: from === 'START' ? since : now() }
      },
      () => {
        if (entry.reading !== mine) return
        entry.reading = null
        if (!entry.last && entries.get(key) === entry) entries.delete(key)
      },
    )
    return mine.answer
  }

  return {
    /** @param maxAgeMs Maximum age of the value, instead of the usual one. */
    get(question: Question, maxAgeMs?: number): Promise<Value> {
      const entry = entryOf(question)
      const { last, reading } = entry
      const ageMs = last ? now() - last.at : Number.POSITIVE_INFINITY
      const isUsable = last !== null && ageMs < (maxAgeMs ?? (typeof forMs === 'number' ? forMs : forMs(last.value)))
      if (isUsable && ageMs < refreshMs) return last.answer
      const isShared = reading && (from === 'END' || now() - reading.since < (maxAgeMs ?? usualMs))
      const next = isShared ? reading.answer : begin(question, entry, maxAgeMs ?? usualMs)
      return isUsable ? last.answer : next
    },
    /** The last value, however old. */
    peek: (question: Question): Value | undefined => entries.get(keyOf(question))?.last?.value,
    /** Notes a value without a read. A read under way still replaces it. */
    set(question: Question, value: Value): void {
      const entry = entryOf(question)
      entry.last = { answer: Promise.resolve(value), value, at: now() }
      entries.set(keyOf(question), entry)
    },
    forget: (question: Question): void => void entries.delete(keyOf(question)),
  }
}
