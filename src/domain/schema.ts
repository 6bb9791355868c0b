import './schema-config'
import { type as arkType, scope } from 'arktype'
import { deferring } from './deferred'

type Builder = ((definition: never) => object) & { enumerated: (...values: never[]) => object }

/** Returns ArkType's builder with deferred schemas. TypeScript infers their types from the definitions, as before. */
function onFirstUse<Build>(build: Build): Build {
  const builder = build as Builder
  return Object.assign(deferring(builder), { enumerated: deferring(builder.enumerated) }) as Build
}

/** Schemas remove undeclared fields at every depth, before any handler sees them (decision 15). */
export const type = Object.assign(onFirstUse(arkType), {
  errors: arkType.errors,
  Record: deferring(arkType.Record as (...definitions: never[]) => object),
}) as unknown as typeof arkType

/** Defines schemas that describe responses and never validate, and are therefore not compiled. */
export const view = onFirstUse(scope({}, { jitless: true }).type)

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
