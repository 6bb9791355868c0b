import type { Connection } from 'mongoose'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import type { AuthPorts } from '../../../src/http/dashboard/sign-in/auth'
import type { Identity } from '../../../src/ports/people'

/**
 * The fixed time of these tests: tomorrow at ten (UTC). No window for counting attempts ends during a test. The
 * database expires counters by its own clock, for which all of these are in the future.
 */
export const signInAt: number = (Math.floor(Date.now() / 86_400_000) + 1) * 86_400_000 + 10 * 3_600_000

/** Ports of the sign-in, in a database. Each call acts as another process. */
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
