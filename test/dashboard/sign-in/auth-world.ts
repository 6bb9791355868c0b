import type { Connection } from 'mongoose'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import type { AuthPorts } from '../../../src/http/dashboard/sign-in/auth'
import type { Identity } from '../../../src/ports/identity'

/** What sign-in needs, in a database. Each call stands for another process. */
export function authWorld(connection: Connection, identity: Identity, changes: Partial<AuthPorts>): AuthPorts {
  const store = mongoStore(connection, `auth-${Math.random()}`)
  return {
    ...store,
    identity,
    origin: 'http://localhost',
    isOpen: true,
    mayReset: true,
    now: Date.now,
    addressOf: () => undefined,
    noteTrouble: () => {},
    ...changes,
  }
}
