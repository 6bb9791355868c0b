type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

const underWayMax = 2

/**
 * Batches the questions of one turn of the event loop, and those that arrive while two earlier batches are in flight.
 * There is no timer. Two batches with the same key are never in flight together, because the first may change what the
 * second is about.
 *
 * @param isOneEach whether a batch holds at most one question of each key.
 */
export function batchRequests<Question, Answer>(
  ask: (group: Question[]) => Promise<(Answer | Error)[]>,
  groupMax: number,
  keyOf?: (question: Question) => string,
  isOneEach = false,
) {
  const keysUnderWay = new Set<string>()
  let waiting: Waiting<Question, Answer>[] = []
  let underWay = 0
  let isPlanned = false

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
      const answers = await ask(group.map(({ question }) => question)).catch((error: Error) => group.map(() => error))
      if (keyOf) for (const { question } of group) keysUnderWay.delete(keyOf(question))
      for (const [n, { resolve, reject }] of group.entries()) {
        const answer = answers[n]
        if (answer instanceof Error) reject(answer)
        else resolve(answer as Answer)
      }
    }
    underWay -= 1
  }

  /** Whoever else asks in this turn, as many do in a burst, goes along. */
  function askSoon(): void {
    if (isPlanned || underWay >= underWayMax) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      for (let free = underWayMax - underWay; free > 0; free--) void askAll()
    })
  }

  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      askSoon()
    })
}
