import { configure } from 'arktype/config'

/** ArkType reads its configuration once, as it is loaded: `schema.ts` imports this file first. */
configure({ onUndeclaredKey: 'delete' })
