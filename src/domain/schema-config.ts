import { configure } from 'arktype/config'

/**
 * Copies what a schema is about to change. ArkType's own copy reads and defines the descriptor of every property, which
 * takes five times as long and is of no use for JSON. A property named `__proto__` is left out, because assigning it
 * would change what the copy inherits.
 */
function copyOf<Value>(value: Value): Value
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyOf)
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  const copy: Record<string, unknown> = Object.create(Object.getPrototypeOf(value))
  for (const [name, inner] of Object.entries(value)) if (name !== '__proto__') copy[name] = copyOf(inner)
  return copy
}

/** ArkType reads its configuration once, as it is loaded: `schema.ts` imports this file first. */
configure({ onUndeclaredKey: 'delete', clone: copyOf })
