import { hasEnded, type Role } from '../../domain/tenant/api-key'
import type { MemberRole } from '../../domain/tenant/member-role'
import { maySponsorGas, planOf } from '../../domain/tenant/organization'
import type { ApiKeys } from '../../ports/tenants'
import type { Access, Call, Caller, Gate } from '../request/caller'
import { Refusal } from '../request/failure'
import type { CountIn } from '../request/limits'
import {
  assureRecent,
  enterMemberSession,
  type MemberSession,
  operators,
  type SessionPorts,
  tenantOf,
} from './member-session'

type Ports = SessionPorts & {
  countIn: CountIn
  apiKeys: ApiKeys
}

/** Names the key for an intent made from the dashboard. If absent, the newest key is used. */
const apiKeyHeader = 'x-api-key-id'

/**
 * Admits signed-in members to the API's own resources. A member may read what a CLIENT key may. An operator may also do
 * what an OPERATOR key may. Admins and owners may do all that both keys may. Operators of the platform organization see
 * every organization (extensions 1.1).
 */
export function memberGate(ports: Ports): Gate {
  return async (call: Call, access: Access): Promise<Caller> => {
    const session = await enterMemberSession(ports, call)
    const { organization, person, role } = session
    const isRead = call.request.method === 'GET' || access.rateClass === 'S'
    ports.countIn(person.id, access.rateClass ?? (isRead ? 'R' : 'W'), planOf(organization).rates, call.set.headers)
    if (!mayEnter(role, access, isRead)) throw new Refusal('INSUFFICIENT_PERMISSIONS')
    if (access.needsRecentStep && !isRead) assureRecent(ports, session)
    const tenantIn = (of: MemberSession) => (access.roles.includes('OPERATOR') ? tenantOf(of) : of.organization.id)
    const tenant = tenantIn(session)
    const actor = { kind: 'MEMBER', id: person.id, label: person.email } as const
    const terms = { protocolFeeBps: 0, sponsoredGas: false }
    // An open stream ends with the session, the membership or the role. A request that names no organization must not
    // continue with another one.
    const isAdmitted = () =>
      enterMemberSession(ports, call).then(
        (now) => tenantIn(now) === tenant && mayEnter(now.role, access, isRead),
        () => false,
      )
    const caller: Caller = { organization, tenant, actor, personId: person.id, terms, isAdmitted }
    const isIntegration = access.roles.length === 1 && access.roles[0] === 'CLIENT' && !isRead && !access.isKeyless
    return isIntegration ? withKey(ports, session, call, { ...caller, by: actor }) : caller
  }
}

function mayEnter(role: MemberRole, { roles }: Access, isRead: boolean): boolean {
  const isAdmin = role === 'owner' || role === 'admin'
  const isOperator = (operators as readonly string[]).includes(role)
  const may: Record<Role, boolean> = { CLIENT: isRead || isAdmin, OPERATOR: isOperator }
  return roles.some((each) => may[each])
}

/** Acts through one of the organization's keys, because intents and executions belong to a key, not to a member. */
async function withKey(
  { apiKeys, now }: Ports,
  session: MemberSession,
  { request }: Call,
  caller: Caller,
): Promise<Caller> {
  const keys = await apiKeys.ofOrganization(session.organization.id)
  const usable = keys.filter((key) => key.role === 'CLIENT' && !hasEnded(key, now()))
  const named = request.headers.get(apiKeyHeader)
  const key = named === null ? usable[0] : usable.find(({ id }) => id === named)
  if (!key) throw new Refusal('VALIDATION_FAILED', { message: 'Create an API key with the role CLIENT first' })
  const { protocolFeeBps, id, label } = key
  const sponsoredGas = key.sponsoredGas && maySponsorGas(session.organization)
  return { ...caller, actor: { kind: 'API_KEY', id, label }, terms: { protocolFeeBps, sponsoredGas } }
}
