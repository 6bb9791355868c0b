import { refusedField } from './refused-field'

type Field = { element: HTMLElement; name: string; label: string; isTyped: boolean }

const isSending = (form: Element): boolean => form.querySelector('[data-loading]') !== null
/** A form's own place: its refusal is in it, or beside it in the same dialog or card. */
const placesOf = (form: Element): Element[] =>
  [form, form.closest('[role=dialog], section.card, .box, .page')].filter((place) => place !== null)
const alertOf = (form: Element): HTMLElement | null => {
  for (const place of placesOf(form)) {
    const alert = place.querySelector<HTMLElement>('[role=alert]')
    if (alert) return alert
  }
  return null
}

const fieldsOf = (form: HTMLFormElement): Field[] =>
  [...form.elements].flatMap((element) => {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return []
    if (element.type === 'hidden' || element.disabled) return []
    const label = element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? ''
    const isTyped = !element.readOnly && !['checkbox', 'radio', 'range'].includes(element.type)
    return [{ element, name: element.name, label, isTyped }]
  })

let alerts = 0
let corrected = () => {}

/** Ties a refusal to its field until the field changes or the form is sent again. */
function tie(field: HTMLElement, alert: HTMLElement): void {
  alert.id ||= `refusal-${++alerts}`
  const before = field.getAttribute('aria-describedby')
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', [before, alert.id].filter(Boolean).join(' '))
  const untie = () => {
    field.setAttribute('aria-invalid', 'false')
    if (before) field.setAttribute('aria-describedby', before)
    else field.removeAttribute('aria-describedby')
    for (const each of ['input', 'click']) field.removeEventListener(each, untie)
  }
  for (const each of ['input', 'click']) field.addEventListener(each, untie)
  corrected = untie
}

/** Moves the focus to the field that was refused. A refusal that names none returns it to where the form was sent. */
function returnFocus(form: HTMLFormElement, alert: HTMLElement, sentFrom: Element | null): void {
  const fields = fieldsOf(form)
  const named = refusedField(alert.textContent, fields)
  const typed = fields.filter(({ isTyped }) => isTyped)
  if (named) tie(named.element, alert)
  const only = typed.length === 1 ? typed[0] : undefined
  const to = named?.element ?? only?.element ?? (sentFrom?.isConnected ? sentFrom : typed[0]?.element)
  if (to instanceof HTMLElement) to.focus()
}

let stop = () => {}
const patienceMs = 120_000
/** Longer than a page takes to show that it sends, which also removes the refusal of an earlier attempt. */
const shownMs = 100

/** @param isLate Whether the form was sent a while ago, so its refusal may be there already. */
function watch(form: HTMLFormElement, isLate = false): void {
  stop()
  corrected()
  const sentFrom = document.activeElement
  let alertBefore = isLate ? null : alertOf(form)
  let wasSending = isSending(form)
  let isOver = false
  const look = () => {
    if (isOver) return
    if (!form.isConnected) return stop()
    if (isSending(form)) {
      wasSending = true
      return
    }
    const alert = alertOf(form)
    if (!wasSending && (alert === null || alert === alertBefore)) return
    stop()
    const focused = document.activeElement
    // If the person has moved the focus elsewhere, it stays there.
    const isHere = focused === document.body || placesOf(form).some((place) => place.contains(focused))
    if (alert && isHere) returnFocus(form, alert, sentFrom)
  }
  const watching = new MutationObserver(look)
  const timer = setTimeout(() => stop(), patienceMs)
  stop = () => {
    isOver = true
    watching.disconnect()
    clearTimeout(timer)
  }
  watching.observe(document.body, { childList: true, subtree: true, attributeFilter: ['data-loading'] })
  // A form that its page refuses at once may show the same refusal again.
  setTimeout(() => {
    alertBefore = null
    look()
  }, shownMs)
}

/** After a refused form the focus is on the field that was refused, in every form of every page. */
export function watchForms(sent: EventTarget | null): void {
  const follow = (target: EventTarget | null, isLate: boolean) => {
    if (target instanceof HTMLFormElement && target.isConnected) watch(target, isLate)
  }
  follow(sent, true)
  addEventListener('submit', ({ target }) => follow(target, false), true)
}

/**
 * A button that waits for its answer keeps the focus. The browser takes the focus from a disabled button, and Tab would
 * then go through the page behind a dialog. So it is only called disabled, and does not react.
 */
export function keepLoadingButtons(): void {
  const keep = (records: MutationRecord[]) => {
    for (const { target } of records) {
      if (!(target instanceof HTMLButtonElement)) continue
      if (target.hasAttribute('data-loading')) {
        if (!target.disabled) continue
        target.disabled = false
        target.setAttribute('aria-disabled', 'true')
      } else if (target.getAttribute('aria-disabled') === 'true') {
        target.removeAttribute('aria-disabled')
        // React, which set it before the answer, does not set it again.
        target.disabled = target.hasAttribute('data-disabled')
      }
    }
  }
  const attributeFilter = ['disabled', 'data-loading']
  new MutationObserver(keep).observe(document.body, { subtree: true, attributeFilter })
  const ignore = (event: Event) => {
    if (!(event.target as Element).closest?.('button[data-loading]')) return
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', ignore, true)
}
