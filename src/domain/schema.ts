import './schema-config'
import { scope } from 'arktype'

/** Schemas remove undeclared fields at every depth, before any handler sees them (decision 15). */
export { type } from 'arktype'

/**
 * Defines schemas that describe responses and never validate. They are not compiled, because compilation takes most of
 * the start-up time.
 */
export const { type: view } = scope({}, { jitless: true })
