import type { Connection } from 'mongoose'
import { StoreRefusing } from '../../../domain/unavailable'

type WriteError = { code?: unknown; message?: string; errmsg?: string }
type Failed = WriteError & { name?: unknown; writeErrors?: WriteError | WriteError[] }

/**
 * Error codes of a store that is full, not the primary, stepping down or shutting down. With 4293, DocumentDB wraps
 * PostgreSQL's 53100 (disk full).
 */
const codes: readonly unknown[] = [14031, 10107, 13435, 189, 91, 11600, 11602, 4293]
const words = /No space left on device|read-only transaction/
const rememberedMs = 10_000

const refusedAt = new WeakMap<Connection, number>()

const refuses = ({ code, message, errmsg }: WriteError): boolean =>
  codes.includes(code) || words.test(message ?? errmsg ?? '')

/** Whether an error of the driver means that the store refuses every other write too. */
export function isRefusal(error: unknown): boolean {
  const failed = error as Failed
  return /^Mongo/.test(String(failed.name)) && [failed, ...[failed.writeErrors ?? []].flat()].some(refuses)
}

/**
 * Runs a write, and remembers a refusal for `isRefusing`.
 *
 * @throws {StoreRefusing} for a refusal that would affect every other write too.
 */
export async function rememberingRefusal<Answer>(
  connection: Connection,
  write: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await write()
  } catch (error) {
    if (!isRefusal(error)) throw error
    refusedAt.set(connection, performance.now())
    throw new StoreRefusing(error)
  }
}

/** Whether a write was refused in the last ten seconds. A full disk may still accept a write that is small enough. */
export const isRefusing = (connection: Connection): boolean =>
  (refusedAt.get(connection) ?? Number.NEGATIVE_INFINITY) + rememberedMs > performance.now()
