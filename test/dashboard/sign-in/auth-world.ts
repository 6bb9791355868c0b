import type { Connection } from 'mongoose'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import type { AuthPorts } from '../../../src/http/dashboard/sign-in/auth'
import type { Identity } from '../../../src/ports/identity'

/**
 * The time of these tests: tomorrow at ten (UTC), and it does not pass, so that no window in which attempts are counted
 * ends while a test counts them. The database forgets a counter by its own clock, by which all of these are to come.
 */
export const signInAt: number = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000 + 10 * 3_600_000

/** What sign-in needs, in a database. Each call stands for another process. */
export function authWorld(connection: Connection, identity: Identity, changes: Partial<AuthPorts>): AuthPorts {
  const store = mongoStore(connection, `auth-${Math.random()}`, Date.now)
  return {
    ...store,
    identity,
    origin: 'http://localhost',
    isOpen: true,
    mayReset: true,
    now: () => signInAt,
    addressOf: () => undefined,
    noteTrouble: () => {},
    ...changes,
  }
}
