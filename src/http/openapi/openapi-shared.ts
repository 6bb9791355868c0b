import type { Json } from './json'

type Operations = Record<string, { responses: Record<string, Json> }>
type Paths = Record<string, Operations>

/**
 * Moves responses that several operations share into components.
 * @returns the paths with references to them, and those responses by name.
 */
export function sharedAnswers(paths: Paths): { paths: Paths; answers: Record<string, Json> } {
  const times = new Map<string, number>()
  for (const answer of answersIn(paths)) times.set(JSON.stringify(answer), (times.get(JSON.stringify(answer)) ?? 0) + 1)
  const answers: Record<string, Json> = {}
  const named = (answer: Json): Json => {
    if (answer['$ref'] !== undefined || times.get(JSON.stringify(answer)) === 1) return answer
    const name = nameOf(String(answer['description']))
    if (answers[name] && JSON.stringify(answers[name]) !== JSON.stringify(answer)) return answer
    answers[name] = answer
    return { $ref: `#/components/responses/${name}` }
  }
  const within = <A, B>(from: Record<string, A>, to: (value: A) => B): Record<string, B> =>
    Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(value)]))
  const shared = within(paths, (methods) =>
    within(methods, (operation) => ({ ...operation, responses: within(operation.responses, named) })),
  )
  return { paths: shared, answers }
}

const answersIn = (paths: Paths): Json[] =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap((operation) => Object.values(operation.responses)),
  )

const nameOf = (description: string): string =>
  description.replace(/[^A-Za-z ]/g, '').replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())
