const restMs = 900
const optionsOf = (field: HTMLInputElement): HTMLElement[] => {
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '')
  return [...(list?.querySelectorAll<HTMLElement>('[role=option]') ?? [])]
}
const arrow = (field: HTMLInputElement, code: 'ArrowDown' | 'Enter'): void => {
  field.dispatchEvent(new KeyboardEvent('keydown', { key: code, code, bubbles: true, cancelable: true }))
}
const frame = () => new Promise<void>((done) => requestAnimationFrame(() => done()))
const openingFramesMax = 300

let letters = ''
let resting: ReturnType<typeof setTimeout>
/** Set while the list opens. An Enter pressed during that time takes effect after the letters have chosen. */
let opening: { isEntered: boolean } | null = null

/** A pause starts a new search text. Time in which the list opens does not count as a pause. */
function rest(): void {
  clearTimeout(resting)
  resting = setTimeout(() => {
    if (opening) rest()
    else letters = ''
  }, restMs)
}

/** Opens the list, and moves to the option that the letters choose. The arrow keys of the select itself move it. */
async function moveTo(field: HTMLInputElement): Promise<void> {
  if (opening) return
  if (optionsOf(field).length === 0) {
    opening = { isEntered: false }
    arrow(field, 'ArrowDown')
    for (let n = 0; n < openingFramesMax && optionsOf(field).length === 0; n++) await frame()
    // The select notes its current option a moment after it opened.
    await frame()
    await frame()
  }
  const options = optionsOf(field)
  const isCurrent = (option: HTMLElement) => option.hasAttribute('data-combobox-selected')
  const at = options.findIndex(isCurrent)
  const wanted =
    options[
      typedOption(
        letters,
        options.map(({ textContent }) => textContent),
        at,
      )
    ]
  if (wanted) for (let n = 0; n < options.length && !isCurrent(wanted); n++) arrow(field, 'ArrowDown')
  const isEntered = opening?.isEntered
  opening = null
  if (isEntered) arrow(field, 'Enter')
}

/** The searchable select whose text was typed and in whose list no arrow key has moved since. */
let searched: HTMLInputElement | null = null
const sameText = (one: string | null, other: string): boolean =>
  one?.trim().toLowerCase() === other.trim().toLowerCase()

/**
 * Enter takes the option that was typed in full. Left to itself, the select takes the first one of its list, which is
 * the whole list if the typed option was chosen before.
 */
function takeExact(event: KeyboardEvent, field: HTMLInputElement): void {
  if (event.key.startsWith('Arrow')) searched = null
  if (event.key !== 'Enter' || searched !== field) return
  const exact = optionsOf(field).find(({ textContent }) => sameText(textContent, field.value))
  if (!exact) return
  event.preventDefault()
  event.stopPropagation()
  exact.click()
}

/** Lets typed letters choose in a select, as in the browser's own. A searchable select filters instead. */
export function typeInSelects(): void {
  const press = (event: KeyboardEvent) => {
    const field = event.target
    if (!event.isTrusted || !(field instanceof HTMLInputElement)) return
    if (field.getAttribute('aria-haspopup') !== 'listbox' || event.ctrlKey || event.metaKey || event.altKey) return
    if (!field.readOnly) return takeExact(event, field)
    const isLetter = event.key.length === 1 && !(event.key === ' ' && letters === '')
    if (!isLetter && !(opening && event.key === 'Enter')) return
    event.preventDefault()
    event.stopPropagation()
    if (!isLetter) {
      opening!.isEntered = true
      return
    }
    letters += event.key
    rest()
    void moveTo(field)
  }
  const note = ({ target }: Event) => {
    searched = target instanceof HTMLInputElement ? target : null
  }
  addEventListener('keydown', press, true)
  addEventListener('input', note, true)
}

const text = (label: string): string => label.trim().toLowerCase()

/**
 * Returns the index of the option that typed letters choose, as in a browser's own select. One letter, also repeated,
 * steps through the options that begin with it; several letters begin at the current option. -1 if none fits.
 */
export function typedOption(letters: string, labels: readonly string[], current: number): number {
  const typed = letters.toLowerCase()
  if (typed === '') return -1
  const isOneLetter = [...typed].every((letter) => letter === typed[0])
  const prefix = isOneLetter ? typed[0]! : typed
  const first = current < 0 ? 0 : isOneLetter ? current + 1 : current
  const order = labels.map((_, n) => (first + n) % labels.length)
  return order.find((at) => text(labels[at]!).startsWith(prefix)) ?? -1
}
