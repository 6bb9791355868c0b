import './schema-config'

/** What a schema does not name is taken away at every depth, so that no handler ever sees it (decision 15). */
export { type } from 'arktype'
