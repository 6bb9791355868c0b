type Read<Value> = { value: Value } | { expected: string }

/** One environment variable: what is made of its text, and what it is when it is absent. */
export type Variable<Value, Absent = never> = {
  read: (text: string) => Read<Value>
  /** None: the variable is required. */
  absent?: { value: Absent }
}

type Optional<Value> = Variable<Value, undefined>
type Table = Record<string, Variable<unknown, unknown>>
type Values<T> = { [Name in keyof T]: T[Name] extends Variable<infer Value, infer Absent> ? Value | Absent : never }

/** Never the value: it may be a secret. `expected` null: it is required, and not there. */
export type Objection = { name: string; expected: string | null; why?: string }

export const that = (isIt: (text: string) => boolean, expected: string): Variable<string> => ({
  read: (text) => (isIt(text) ? { value: text } : { expected }),
})

export const matching = <Text extends string = string>(form: RegExp, expected: string): Variable<Text> =>
  that((text) => form.test(text), expected) as Variable<Text>

export const oneOf = <Text extends string>(texts: readonly Text[]): Variable<Text> => {
  const quoted = texts.toSorted().map((text) => `"${text}"`)
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return that((text) => texts.includes(text as Text), expected) as Variable<Text>
}

export const anyText = that(() => true, 'a text')
/** Of one of these protocols, and of a host: `localhost:3000` is a URL too, of the protocol `localhost`. */
const isUrl = (text: string, ...protocols: string[]): boolean =>
  /^[a-z]+:\/\/\S+$/i.test(text) && URL.canParse(text) && protocols.includes(new URL(text).protocol)

/** Paths are put behind it: it ends without a slash. */
export const url: Variable<string> = {
  read: (text) =>
    isUrl(text, 'http:', 'https:') ? { value: text.replace(/\/+$/, '') } : { expected: 'an http:// or https:// URL' },
}
export const urls = that(
  (text) => text.split(',').every((part) => isUrl(part.trim(), 'http:', 'https:')),
  'http:// or https:// URLs with commas between them',
)

export const integer = (least: number, most: number): Variable<number> => ({
  read: (text) => {
    const value = Number(text)
    if (!/^(0|-?[1-9]\d*)$/.test(text)) return { expected: 'a well-formed integer string' }
    if (!Number.isSafeInteger(value))
      return { expected: 'an integer in the range Number.MIN_SAFE_INTEGER to Number.MAX_SAFE_INTEGER' }
    if (value < least) return { expected: least === 0 ? 'non-negative' : `at least ${least}` }
    return value > most ? { expected: `at most ${most}` } : { value }
  },
})

export const optional = <Value>({ read }: Variable<Value>): Optional<Value> => ({ read, absent: { value: undefined } })

export const otherwise = <Value>(value: Value, { read }: Variable<Value>): Variable<Value, Value> => ({
  read,
  absent: { value },
})

/** Reads what a table names. What is empty is absent; what is wrong is told, all of it, in the table's order. */
export function readVariables<const T extends Table>(
  table: T,
  env: Record<string, string | undefined>,
): { values: Values<T>; objections: Objection[] } {
  const values: Record<string, unknown> = {}
  const objections: Objection[] = []
  for (const [name, { read, absent }] of Object.entries(table)) {
    const text = env[name]
    if (text === undefined || text === '') {
      if (absent) values[name] = absent.value
      else objections.push({ name, expected: null })
      continue
    }
    const made = read(text)
    if ('value' in made) values[name] = made.value
    else objections.push({ name, expected: made.expected })
  }
  return { values: values as Values<T>, objections }
}

/** One for each variable, as an operator reads them. */
export const sentencesOf = (wrong: readonly Objection[]): string =>
  wrong
    .map(({ name, expected, why = '' }) =>
      `${name} ${expected === null ? `is required ${why}` : `must be ${expected}`}`.trim(),
    )
    .join('\n')
