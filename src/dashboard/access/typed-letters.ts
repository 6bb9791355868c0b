const text = (label: string): string => label.trim().toLowerCase()

/**
 * Returns the index of the option that typed letters choose, as in a browser's own select. One letter, also repeated,
 * steps through the options that begin with it; several letters begin at the current option. -1 if none fits.
 */
export function typedOption(letters: string, labels: readonly string[], current: number): number {
  const typed = letters.toLowerCase()
  if (typed === '') return -1
  const isOneLetter = [...typed].every((letter) => letter === typed[0])
  const sought = isOneLetter ? typed[0]! : typed
  const first = current < 0 ? 0 : isOneLetter ? current + 1 : current
  const order = labels.map((_, n) => (first + n) % labels.length)
  return order.find((at) => text(labels[at]!).startsWith(sought)) ?? -1
}
