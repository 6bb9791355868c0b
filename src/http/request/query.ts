import { type } from '../../domain/schema'
import { Refusal } from './failure'
import { type Issue, sentenceOf } from './sentence'

const maySayBack = /^[A-Za-z0-9_.-]{1,64}$/

/**
 * Reads the query of a request by its schema, and refuses repeated parameters.
 * @param strict Refuses unknown parameters too, because a misspelt filter would return everything.
 */
export function readQuery<Schema extends { infer: unknown }>(
  request: Request,
  schema: Schema,
  strict: boolean,
): Schema['infer'] {
  const sent: Record<string, string> = Object.create(null)
  const start = request.url.indexOf('?')
  if (start >= 0)
    for (const [name, value] of new URLSearchParams(request.url.slice(start + 1))) {
      if (!namesOf(schema).has(name)) {
        if (strict) throw unknownParameter(name)
        continue
      }
      if (name in sent) throw new Refusal('VALIDATION_FAILED', { message: `${name} must be given once` })
      sent[name] = value
    }
  return read(sent, schema)
}

function read<Schema extends { infer: unknown }>(sent: object, schema: Schema): Schema['infer'] {
  const value = (schema as unknown as (value: unknown) => unknown)(sent)
  if (value instanceof type.errors)
    throw new Refusal('VALIDATION_FAILED', { message: sentenceOf(value[0] as unknown as Issue, 'query') })
  return value
}

/** Reads filters from a body by the same rules, after writing numbers and lists in their URL form. */
export function readFields<Schema extends { infer: unknown }>(
  sent: Record<string, unknown>,
  schema: Schema,
): Schema['infer'] {
  const texts: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(sent)) {
    if (!namesOf(schema).has(name)) throw unknownParameter(name)
    texts[name] = Array.isArray(value) || typeof value === 'number' ? String(value) : value
  }
  return read(texts, schema)
}

const unknownParameter = (name: string) =>
  new Refusal(
    'UNKNOWN_PARAMETER',
    maySayBack.test(name) ? { message: `${name} is not a parameter of this endpoint` } : {},
  )

const names = new WeakMap<object, Set<string>>()

function namesOf(schema: object): Set<string> {
  const cached = names.get(schema)
  if (cached) return cached
  const { props } = schema as { props: { key: string }[] }
  const keys = new Set(props.map(({ key }) => key))
  names.set(schema, keys)
  return keys
}
