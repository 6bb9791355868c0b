import { Database, SQLiteError } from 'bun:sqlite'

/** Two signers with one log would each sign what the other does not know of. */
class SigningLogInUse extends Error {
  override name = 'SigningLogInUse'

  constructor() {
    super('Another signer runs with this signing log: end it first, or name another file in SIGNER_LOG_PATH')
  }
}

/** A lock that nothing refers to any more would be collected, and given up by that. */
const held = new Set<Database>()

/**
 * Holds a lock for as long as this process lives: the system's own lock on an empty file beside the log, by SQLite,
 * which takes it in one step and knows what a process may not do with such a lock. The system gives it up however the
 * process ends, so that nothing stale is left that somebody would have to judge. It counts on one machine.
 *
 * @returns what gives it up.
 * @throws {SigningLogInUse}
 */
export async function lockBeside(path: string): Promise<() => Promise<void>> {
  const lock = new Database(`${path}.locked`, { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
    lock.run('PRAGMA user_version = 1') // on a file that this process may not write, the lock before it is none
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
