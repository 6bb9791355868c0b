import { authSecret } from '../../adapters/auth/auth-secret'
import { betterAuthIdentity } from '../../adapters/auth/better-auth'
import { wallClock } from '../../adapters/clock'
import { connectMongo } from '../../adapters/mongo/engine/connection'
import { mongoStore } from '../../adapters/mongo/mongo-store'
import type { MemberRole } from '../../domain/tenant/member-role'

/** The dashboard's address and a first account, as stored in devnet.json. */
export type DashboardAccount = { url: string; email: string; password: string }

const password = 'correct horse battery'

/** The accounts of the devnet's dashboard. The ids of the organizations are those of `seed.ts`. */
const people = [
  { email: 'demo@switchyard.test', name: 'Demo Owner', organizationId: 'org_sandbox', role: 'owner' },
  { email: 'member@switchyard.test', name: 'Mia Member', organizationId: 'org_sandbox', role: 'member' },
  { email: 'operator@switchyard.test', name: 'Otto Operator', organizationId: 'org_platform', role: 'owner' },
  { email: 'other@switchyard.test', name: 'Olga Other', organizationId: 'org_other', role: 'owner' },
  { email: 'quota@switchyard.test', name: 'Quentin Quota', organizationId: 'org_sandbox-quota', role: 'owner' },
] as const satisfies { email: string; name: string; organizationId: string; role: MemberRole }[]

/**
 * Creates the accounts and makes them members of the seeded organizations. @returns the account that the demo prints.
 */
export async function seedDashboard(mongodbUrl: string, apiUrl: string): Promise<DashboardAccount> {
  const connection = await connectMongo(mongodbUrl, { poolMax: 4 })
  try {
    const { memberships, ensureIndexes, time } = mongoStore(connection, `seed-${process.pid}`, wallClock)
    await ensureIndexes()
    const identity = betterAuthIdentity(connection, {
      now: wallClock,
      origin: apiUrl,
      secret: await authSecret(connection),
      send: null,
      onLink: () => {},
      onTrouble: () => {},
    })
    const joinedAt = await time()
    const ids = await Promise.all(people.map(async (each) => (await identity.create({ ...each, password })).id))
    for (const organizationId of new Set(people.map((each) => each.organizationId))) {
      const membership = await memberships.load(organizationId)
      const members = people.flatMap((each, n) =>
        each.organizationId === organizationId ? [{ personId: ids[n]!, role: each.role, joinedAt }] : [],
      )
      await memberships.save(membership ? { ...membership, members } : { id: organizationId, version: 0, members })
    }
    return { url: `${apiUrl}/app`, email: people[0].email, password }
  } finally {
    await connection.close()
  }
}
