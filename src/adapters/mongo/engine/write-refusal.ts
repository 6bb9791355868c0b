import type { Connection } from 'mongoose'
import { StoreRefusing } from '../../../ports/unavailable'

type WriteError = { code?: unknown; message?: string; errmsg?: string }
type Failed = WriteError & { writeErrors?: WriteError | WriteError[] }

/** Full, not the primary, stepping down, shutting down; 53100 of PostgreSQL (disk full), as DocumentDB packs it. */
const codes: readonly unknown[] = [14031, 10107, 13435, 189, 91, 11600, 11602, 4293]
const words = /No space left on device|read-only transaction/
const rememberedMs = 10_000

const refusedAt = new WeakMap<Connection, number>()

const isRefusal = ({ code, message, errmsg }: WriteError): boolean =>
  codes.includes(code) || words.test(message ?? errmsg ?? '')

/** A write. @throws {StoreRefusing} for what would refuse everybody else's as well. */
export async function tellingRefusal<Answer>(connection: Connection, write: () => Promise<Answer>): Promise<Answer> {
  try {
    return await write()
  } catch (error) {
    const failed = error as Failed
    if (![failed, ...[failed.writeErrors ?? []].flat()].some(isRefusal)) throw error
    refusedAt.set(connection, performance.now())
    throw new StoreRefusing(error)
  }
}

/** Whether somebody's write was refused a moment ago: a full disk may still take one that is small enough. */
export const isRefusing = (connection: Connection): boolean =>
  (refusedAt.get(connection) ?? Number.NEGATIVE_INFINITY) + rememberedMs > performance.now()
