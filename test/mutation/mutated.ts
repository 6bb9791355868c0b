type Change = { start: number; end: number; from: string; to: string }

/** Returns the text of a file with a mutant in it. */
export function mutated(text: string, { start, end, from, to }: Change): string {
  if (text.slice(start, end) !== from) throw new Error(`The file has changed: it no longer has this text: ${from}`)
  return text.slice(0, start) + to + text.slice(end)
}
