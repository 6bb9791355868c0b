import { readFileSync } from 'node:fs'
import { isKeystore, KeystoreError, keysInKeystore } from './keystore'

type Parsed<Value> = { value: Value } | { expected: string }

/** One environment variable: its parser, and its value if absent. */
export type Variable<Value, Absent = never> = {
  read: (text: string) => Parsed<Value>
  /** If omitted, the variable is required. */
  absent?: { value: Absent }
}

type Optional<Value> = Variable<Value, undefined>
type Table = Record<string, Variable<unknown, unknown>>
type Values<T> = { [Name in keyof T]: T[Name] extends Variable<infer Value, infer Absent> ? Value | Absent : never }

/**
 * An invalid or missing variable. Never contains the value, which might be secret. `expected` is null if a required
 * variable is missing.
 */
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
/**
 * Whether a text is a URL with a host and one of these protocols. `localhost:3000` alone would parse as a URL of the
 * protocol `localhost`.
 */
const isUrl = (text: string, ...protocols: string[]): boolean =>
  /^[a-z]+:\/\/\S+$/i.test(text) && URL.canParse(text) && protocols.includes(new URL(text).protocol)

/** The value ends without a slash, because paths are appended to it. */
export const url: Variable<string> = {
  read: (text) =>
    isUrl(text, 'http:', 'https:') ? { value: text.replace(/\/+$/, '') } : { expected: 'an http:// or https:// URL' },
}
const isEach = (text: string, ...protocols: string[]): boolean =>
  text.split(',').every((part) => isUrl(part.trim(), ...protocols))
/** The nodes of a chain: the ones to query, and optionally the ones that push new heads. */
export const nodeUrls: Variable<string> = {
  read: (text) => {
    if (isEach(text, 'ws:', 'wss:'))
      return { expected: 'a list with an http:// or https:// URL as well: ws:// and wss:// only push new blocks' }
    return isEach(text, 'http:', 'https:', 'ws:', 'wss:')
      ? { value: text }
      : { expected: 'http://, https://, ws:// or wss:// URLs with commas between them' }
  },
}

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

/**
 * Reads a variable, or the file that `<name>_FILE` names, as secret stores mount them. Opens only the files of
 * requested variables.
 */
export function textOf(
  env: Record<string, string | undefined>,
  name: string,
): { text: string } | { objection: Objection } {
  const text = env[name] ?? ''
  const path = env[`${name}_FILE`] ?? ''
  if (path === '') return { text }
  if (text !== '') return { objection: { name, expected: `left out if ${name}_FILE is set` } }
  try {
    return { text: secretIn(readFileSync(path, 'utf8').trim(), env[`${name}_PASSWORD_FILE`]) }
  } catch (error) {
    if (error instanceof KeystoreError) return { objection: { name: `${name}_PASSWORD_FILE`, expected: error.message } }
    return { objection: { name: `${name}_FILE`, expected: 'the path of a file that this process can read' } }
  }
}

/** Returns the text of a file, or the keys in it if it holds keystores. */
function secretIn(text: string, passwordPath: string | undefined): string {
  if (!isKeystore(text)) return text
  if (!passwordPath) throw new KeystoreError('the path of the file with the password of the keystore')
  let password: string
  try {
    password = readFileSync(passwordPath, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new KeystoreError('the path of a file that this process can read')
  }
  return keysInKeystore(text, password).join(',')
}

/**
 * Reads the variables of a table. An empty variable counts as absent. Returns every objection, in the order of the
 * table.
 */
export function readVariables<const T extends Table>(
  table: T,
  env: Record<string, string | undefined>,
): { values: Values<T>; objections: Objection[] } {
  const values: Record<string, unknown> = {}
  const objections: Objection[] = []
  for (const [name, { read, absent }] of Object.entries(table)) {
    const value = textOf(env, name)
    if ('objection' in value) {
      objections.push(value.objection)
      continue
    }
    const { text } = value
    if (text === '') {
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

/** Writes one sentence per variable for the operator. */
export const sentencesOf = (wrong: readonly Objection[]): string =>
  wrong
    .map(({ name, expected, why = '' }) =>
      `${name} ${expected === null ? `is required ${why}` : `must be ${expected}`}`.trim(),
    )
    .join('\n')
