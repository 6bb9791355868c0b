import { BoundedMap } from '../domain/bounded-map'

type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

const underWayMax = 2
/**
 * Longest wait before a second batch is sent while one is in flight, in milliseconds. Requests made during a batch wait
 * for its end, but no longer than this, or than half of what the previous batch took. In a burst, when responses are
 * slow, the wait makes batches fewer and larger, which costs every caller less. A batch that never returns holds up
 * nothing else.
 */
const besideMaxMs = 10
const keysMax = 10_000
const after = (ms: number, act: () => void): void => void setTimeout(act, ms)

/**
 * Batches the questions of one turn of the event loop. Questions that arrive while a batch is in flight wait for its
 * end, or for a short delay, after which a second batch is sent. Two batches in flight never share a key, because the
 * first might change the data that the second is about.
 *
 * @param isOneEach Whether a batch holds at most one question of each key.
 */
export function batchRequests<Question, Answer>(
  ask: (group: Question[]) => Promise<(Answer | Error)[]>,
  groupMax: number,
  keyOf?: (question: Question) => string,
  isOneEach = false,
  later = after,
) {
  const keysUnderWay = new Set<string>()
  let waiting: Waiting<Question, Answer>[] = []
  let underWay = 0
  let isPlanned = false
  let isSecondPlanned = false
  let lastMs = 0

  function take(): Waiting<Question, Answer>[] {
    const group: Waiting<Question, Answer>[] = []
    const rest: Waiting<Question, Answer>[] = []
    const keys = new Set<string>()
    for (const each of waiting) {
      const key = keyOf?.(each.question)
      const isTaken = key !== undefined && (keysUnderWay.has(key) || (isOneEach && keys.has(key)))
      const isFree = group.length < groupMax && !isTaken
      if (isFree && key !== undefined) keys.add(key)
      if (isFree) group.push(each)
      else rest.push(each)
    }
    for (const key of keys) keysUnderWay.add(key)
    waiting = rest
    return group
  }

  async function askAll(): Promise<void> {
    underWay += 1
    for (let group = take(); group.length > 0; group = take()) {
      const startedAt = performance.now()
      const answers = await ask(group.map(({ question }) => question)).catch((error: Error) => group.map(() => error))
      lastMs = performance.now() - startedAt
      if (keyOf) for (const { question } of group) keysUnderWay.delete(keyOf(question))
      for (const [n, { resolve, reject }] of group.entries()) {
        const answer = answers[n]
        if (answer instanceof Error) reject(answer)
        else resolve(answer as Answer)
      }
    }
    underWay -= 1
  }

  function askInAll(): void {
    for (let free = underWayMax - underWay; free > 0 && waiting.length > 0; free--) void askAll()
  }

  /** Sends at the end of this turn of the event loop. In a burst, many more questions join the batch until then. */
  function askSoon(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      askInAll()
    })
  }

  function askBeside(): void {
    if (isSecondPlanned || underWay >= underWayMax) return
    isSecondPlanned = true
    later(Math.min(lastMs / 2, besideMaxMs), () => {
      isSecondPlanned = false
      askInAll()
    })
  }

  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (underWay === 0) askSoon()
      else askBeside()
    })
}

/**
 * Batches the questions of each key separately, so a slow key delays only itself. Each key has at most one batch in
 * flight.
 */
export function batchesOfKeys<Question>(
  ask: (key: string, group: Question[]) => Promise<void>,
  groupMax: number,
  keyOf: (question: Question) => string,
) {
  const batches = new BoundedMap<string, (question: Question) => Promise<null>>(keysMax)
  const batchesOf = (key: string) =>
    batchRequests<Question, null>(
      async (group) => {
        await ask(key, group)
        return group.map(() => null)
      },
      groupMax,
      () => key,
    )
  return async (question: Question): Promise<void> => {
    const key = keyOf(question)
    const put = batches.get(key) ?? batchesOf(key)
    batches.set(key, put)
    await put(question)
  }
}
