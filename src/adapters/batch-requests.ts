type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

const underWayMax = 2

/**
 * Batches the questions that arrive while earlier batches are in flight. There is no timer: a question goes out at once
 * while fewer than two batches are in flight. Two questions with the same key are never in flight together, because the
 * first may change what the second is about.
 */
export function batchRequests<Question, Answer>(
  ask: (group: Question[]) => Promise<(Answer | Error)[]>,
  groupMax: number,
  keyOf?: (question: Question) => string,
) {
  const keysUnderWay = new Set<string>()
  let waiting: Waiting<Question, Answer>[] = []
  let underWay = 0

  function take(): Waiting<Question, Answer>[] {
    const group: Waiting<Question, Answer>[] = []
    const rest: Waiting<Question, Answer>[] = []
    for (const each of waiting) {
      const isFree = group.length < groupMax && !(keyOf && keysUnderWay.has(keyOf(each.question)))
      if (isFree) group.push(each)
      else rest.push(each)
    }
    waiting = rest
    return group
  }

  async function askAll(): Promise<void> {
    underWay += 1
    for (let group = take(); group.length > 0; group = take()) {
      const keys = keyOf ? group.map(({ question }) => keyOf(question)) : []
      for (const key of keys) keysUnderWay.add(key)
      const answers = await ask(group.map(({ question }) => question)).catch((error: Error) => group.map(() => error))
      for (const key of keys) keysUnderWay.delete(key)
      for (const [n, { resolve, reject }] of group.entries()) {
        const answer = answers[n]
        if (answer instanceof Error) reject(answer)
        else resolve(answer as Answer)
      }
    }
    underWay -= 1
  }

  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (underWay < underWayMax) void askAll()
    })
}
