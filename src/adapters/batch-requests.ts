type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

const underWayMax = 2

/**
 * Asks together whatever gathers while answers are awaited. No timer: a question goes at once while fewer than two
 * groups are under way. Questions of one key are never in both: the second is about what the first may just change.
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
