/** The beginning of a hash, and its end if that is known too. */
export type HashPart = { begin: string; end: string }

/** Six digits name one of 16 million hashes, so few match. */
const form = /^(?:\d{1,10}:)?(0x[0-9a-f]{6,63})(?:(?:…|\.{2,3})([0-9a-f]{0,60})(?::\d{1,9}(?::r\d{1,6})?)?)?$/i

/** Reads a shortened hash or id, such as `0x8224a1` or `0x8224a1…1b9d`, also within an id. Null for other text. */
export function hashPartIn(text: string): HashPart | null {
  const [, begin, end = ''] = form.exec(text) ?? []
  return begin === undefined ? null : { begin: begin.toLowerCase(), end: end.toLowerCase() }
}
