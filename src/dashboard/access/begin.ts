const first = ['keydown', 'pointerdown', 'click'] as const

/** Loads the rest at the first key or click: the first load of a page has no room for it. */
export function beginAccess(): void {
  /** A form that was sent before the rest was there. */
  let sent: EventTarget | null = null
  const note = ({ target }: Event) => {
    sent = target
  }
  const begin = () => {
    for (const each of first) removeEventListener(each, begin, true)
    import('./access').then(
      ({ startAccess }) => {
        removeEventListener('submit', note)
        startAccess(sent)
      },
      () => {
        removeEventListener('submit', note)
        beginAccess()
      },
    )
  }
  for (const each of first) addEventListener(each, begin, true)
  addEventListener('submit', note)
}
