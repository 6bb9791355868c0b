/**
 * Returns the fields that an edit changes, each with its old and its new value. Other fields of the request are left
 * out.
 */
export const changesOf = <R extends object>(before: R, after: Partial<R>): object =>
  Object.fromEntries(
    Object.entries(after).flatMap(([name, to]) => {
      const from = before[name as keyof R]
      return from === to ? [] : [[name, { from, to }]]
    }),
  )
