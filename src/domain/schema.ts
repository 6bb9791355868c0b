import './schema-config'
import { scope } from 'arktype'

/** Schemas remove undeclared fields at every depth, before any handler sees them (decision 15). */
export { type } from 'arktype'

/**
 * Defines schemas that describe responses and never validate. They are not compiled, because compilation takes most of
 * the start-up time.
 */
export const { type: view } = scope({}, { jitless: true })

type Convertible = { toJsonSchema(options: object): unknown }

/**
 * A view that is built when the API document is. ArkType compares the alternatives of a view pair by pair, which takes
 * a tenth of the start-up time where they are whole objects, and most processes never show the document.
 */
export function viewOnDemand<View extends { array(): unknown }>(build: () => View) {
  let built: View | undefined
  const whole = (): View => {
    built ??= build()
    return built
  }
  const converting = (found: () => unknown): Convertible => ({
    toJsonSchema: (options) => (found() as Convertible).toJsonSchema(options),
  })
  return { ...converting(whole), array: () => converting(() => whole().array()) }
}
