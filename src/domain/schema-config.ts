import { configure } from 'arktype/config'

/**
 * ArkType reads its configuration once, as it is loaded: `schema.ts` imports this file first. It is not to compile
 * schemas to functions: that takes half a second of every start, and saves microseconds in a request.
 */
configure({ onUndeclaredKey: 'delete', jitless: true })
