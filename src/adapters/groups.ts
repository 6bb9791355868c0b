type Waiting<Question, Answer> = {
  question: Question
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

/** Asks together whatever gathers while an answer is awaited. No timer: alone, a question goes at once. */
export function inGroups<Question, Answer>(ask: (group: Question[]) => Promise<(Answer | Error)[]>, groupMax: number) {
  const waiting: Waiting<Question, Answer>[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const group = waiting.splice(0, groupMax)
      const answers = await ask(group.map(({ question }) => question)).catch((error: Error) => group.map(() => error))
      for (const [n, { resolve, reject }] of group.entries()) {
        const answer = answers[n]
        if (answer instanceof Error) reject(answer)
        else resolve(answer as Answer)
      }
    }
    isAsking = false
  }

  return (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (!isAsking) void askAll()
    })
}
