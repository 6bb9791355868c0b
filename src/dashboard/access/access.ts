import { deviceClock } from '../data/device-clock'
import { exact } from '../data/format'
import { areTimesExact, showExactTimes } from '../ui/time'
import { keepLoadingButtons, watchForms } from './refused-forms'
import { typeInSelects } from './selects'

/** A tap on a time shows all of them in full, or in short again: a touch screen has no pointer. */
function tapTimes(): void {
  addEventListener('click', ({ target }) => {
    const time = (target as Element).closest?.('time')
    if (time && !time.closest('a, button, summary')) showExactTimes(!areTimesExact())
  })
}

/**
 * Starts the support for keyboards, screen readers and touch in all forms, selects and times.
 *
 * @param sent A form that was sent before this code was loaded.
 */
export function startAccess(sent: EventTarget | null): void {
  keepLoadingButtons()
  watchForms(sent)
  typeInSelects()
  tapTimes()
  // A printed page says when it was printed.
  addEventListener('beforeprint', () => {
    document.documentElement.style.setProperty('--printed-at', `"Printed ${exact(deviceClock())}"`)
  })
}
