/** What an edit changes, each field with what it was: never what was sent, which may say anything. */
export const changesOf = <R extends object>(before: R, after: Partial<R>): object =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, to]) => {
      const from = before[name as keyof R]
      return from === to ? [] : [[name, { from, to }]]
    }),
  )
