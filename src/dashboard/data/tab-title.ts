let [title, count] = ['', 0]

const show = (): void => {
  document.title = `${count > 0 ? `(${count}) ` : ''}${title} · Switchyard`
}

/** Names the tab after its page. */
export function nameTab(next: string): void {
  title = next
  show()
}

/** Puts the number of overdue entries before the tab's name. */
export function countInTab(next: number | undefined): void {
  count = next || 0
  if (title !== '') show()
}
