import { configure } from 'arktype/config'

/**
 * Copies a value that a schema is about to change. ArkType's own copy reads and defines the descriptor of every
 * property. That takes five times as long and is useless for JSON. A property named `__proto__` is left out, because
 * assigning it would change the copy's prototype.
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

/** ArkType reads its configuration once, when it loads. `schema.ts` therefore imports this file first. */
configure({ onUndeclaredKey: 'delete', clone: copyOf })
