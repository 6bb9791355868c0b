import type { Connection } from 'mongoose'
import { StoreRefusing } from '../../../domain/unavailable'

type WriteError = { code?: unknown; message?: string; errmsg?: string }
type Failed = WriteError & { name?: unknown; writeErrors?: WriteError | WriteError[] }

/**
 * The codes of a store that is full, not the primary, stepping down or shutting down; 4293 is how DocumentDB wraps
 * PostgreSQL's 53100 (disk full).
 */
const codes: readonly unknown[] = [14031, 10107, 13435, 189, 91, 11600, 11602, 4293]
const words = /No space left on device|read-only transaction/
const rememberedMs = 10_000

const refusedAt = new WeakMap<Connection, number>()

const refuses = ({ code, message, errmsg }: WriteError): boolean =>
  codes.includes(code) || words.test(message ?? errmsg ?? '')

/** Whether an error of the driver says that the store refuses every other write as well. */
export function isRefusal(error: unknown): boolean {
  const failed = error as Failed
  return /^Mongo/.test(String(failed.name)) && [failed, ...[failed.writeErrors ?? []].flat()].some(refuses)
}

/**
 * Runs a write, and remembers a refusal for `isRefusing`.
 *
 * @throws {StoreRefusing} for a refusal that would affect every other write as well.
 */
export async function tellingRefusal<Answer>(connection: Connection, write: () => Promise<Answer>): Promise<Answer> {
  try {
    return await write()
  } catch (error) {
    if (!isRefusal(error)) throw error
    refusedAt.set(connection, performance.now())
    throw new StoreRefusing(error)
  }
}

/** Whether a write was refused a moment ago: a full disk may still accept one that is small enough. */
export const isRefusing = (connection: Connection): boolean =>
  (refusedAt.get(connection) ?? Number.NEGATIVE_INFINITY) + rememberedMs > performance.now()
