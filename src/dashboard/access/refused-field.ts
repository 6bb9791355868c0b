/** A field of a form, as a person and the server name it. */
type FormField = { name: string; label: string }

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
/** The words in lower case, each between two spaces. */
const spaced = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, ' ')
    .trim()} `
const isNamed = ({ name, label }: FormField, by: string): boolean =>
  letters(by) !== '' && [name, label].some((each) => letters(each) === letters(by))

/** The subject of a sentence such as `targetAddress must be …` or `Reason is …`. */
const subject = /^(.{1,60}?) (?:must|may|is|are|has|does|cannot)\b/

/**
 * Returns the field that a refusal is about: the subject of its sentence, or else the field with the longest label that
 * it mentions, by its label or its name. Null if it names no field.
 */
export function refusedField<Field extends FormField>(message: string, fields: readonly Field[]): Field | null {
  const about = subject.exec(message)?.[1] ?? ''
  const path = about.split(/[.[\]]+/).filter(Boolean)
  const named = fields.find((field) => isNamed(field, about) || isNamed(field, path.at(-1) ?? ''))
  if (named) return named
  const names = ({ name, label }: FormField): string[] => [label, name.replaceAll(/[A-Z]/g, ' $&')]
  const isMentioned = (by: string): boolean => by !== '' && spaced(message).includes(spaced(by))
  const mentioned = fields.filter((field) => names(field).some(isMentioned))
  return mentioned.toSorted((one, other) => other.label.length - one.label.length)[0] ?? null
}
