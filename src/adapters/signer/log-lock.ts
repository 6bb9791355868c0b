import { Database, SQLiteError } from 'bun:sqlite'

/** Two signers with one log would each sign orders that the other has not recorded. */
class SigningLogInUse extends Error {
  override name = 'SigningLogInUse'

  constructor() {
    super('Another signer uses this signing log: stop it first, or name another file in SIGNER_LOG_PATH')
  }
}

/** Keeps a reference to each lock. The garbage collector would otherwise release it. */
const held = new Set<Database>()

/**
 * Holds a lock for the lifetime of this process: the operating system's own lock on an empty file beside the log.
 * SQLite takes it in one step and follows the rules for these locks. The system releases it however the process ends,
 * so no stale lock is left for an operator to judge. It works on one machine only.
 *
 * @returns A function that releases the lock.
 * @throws {SigningLogInUse}
 */
export async function lockBeside(path: string): Promise<() => Promise<void>> {
  const lock = new Database(`${path}.locked`, { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
    lock.run('PRAGMA user_version = 1') // on a file that this process may not write, the exclusive lock alone locks nothing
  } catch (error) {
    lock.close()
    throw error instanceof SQLiteError && error.code === 'SQLITE_BUSY' ? new SigningLogInUse() : error
  }
  held.add(lock)
  return async () => {
    lock.close()
    held.delete(lock)
  }
}
