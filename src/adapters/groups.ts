type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

/**
 * Asks together whatever gathers while answers are awaited. No timer: a question goes at once while fewer than
 * `underWayMax` groups are under way.
 */
export function inGroups<Question, Answer>(
  ask: (group: Question[]) => Promise<(Answer | Error)[]>,
  groupMax: number,
  underWayMax = 2,
) {
  const waiting: Waiting<Question, Answer>[] = []
  let underWay = 0

  async function askAll(): Promise<void> {
    underWay += 1
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax)
      const answers = await ask(group.map(({ question }) => question)).catch((error: Error) => group.map(() => error))
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
