import './schema-config'
import { scope } from 'arktype'

/** Schemas remove undeclared fields at every depth, before any handler sees them (decision 15). */
export { type } from 'arktype'

/**
 * Defines schemas that describe responses and never validate. They are not compiled, because compilation takes most of
 * the start-up time.
 */
export const { type: view } = scope({}, { jitless: true })

type Convertible = { toJsonSchema(options: object): object }

/**
 * A view of one of these views. It is no union of ArkType, which compares its alternatives pair by pair: that takes a
 * tenth of the start-up time where they are whole objects, and would hold up other requests in a turn of its own.
 */
export function oneOfViews(description: string, views: readonly unknown[]) {
  const toJsonSchema = (options: object): object => ({
    description,
    anyOf: views.map((one) => (one as Convertible).toJsonSchema(options)),
  })
  const array = (): Convertible => ({
    toJsonSchema: (options) => ({ type: 'array', items: toJsonSchema(options) }),
  })
  return { toJsonSchema, array }
}
