import { deviceClock } from '../data/device-clock'
import { exact } from '../data/format'
import { keepLoadingButtons, watchForms } from './refused-forms'
import { typeInSelects } from './selects'

/**
 * Helps people without a mouse in every form and select at once.
 *
 * @param sent A form that was sent before this code was loaded.
 */
export function startAccess(sent: EventTarget | null): void {
  keepLoadingButtons()
  watchForms(sent)
  typeInSelects()
  // A printed page says when it was printed.
  addEventListener('beforeprint', () => {
    document.documentElement.style.setProperty('--printed-at', `"Printed ${exact(deviceClock())}"`)
  })
}
