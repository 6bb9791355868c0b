import type { Role } from '../../domain/tenant/api-key'
import type { Organization, RateClass } from '../../domain/tenant/organization'

/** An authenticated caller. It acts for its own organization, which a request never names (decision 2). */
export type Caller = {
  organization: Organization
  /** The organization whose records it sees; null lets the platform's operators see every organization. */
  tenant: string | null
  actor: { kind: 'API_KEY' | 'MEMBER'; id: string; label: string }
  /** The member who clicked, if a key of the organization carries out the request. The audit log names the member. */
  by?: Caller['actor']
  /** The person who is signed in or who created the key; null for a key created without a sign-in. */
  personId: string | null
  /** The fee settings that are copied into the intents it creates. */
  terms: { protocolFeeBps: number; sponsoredGas: boolean }
  /** Whether the caller would still be admitted now. Open streams call it periodically. */
  isAdmitted?: () => boolean | Promise<boolean>
}

/** The roles that may call an endpoint, and its rate class. Without a class, the method decides. */
export type Access = {
  roles: readonly Role[]
  rateClass?: RateClass
  /** Whether the action belongs to no key, so a member of an organization without keys may perform it. */
  isKeyless?: boolean
  /**
   * Whether a stolen session must not perform it. A member must have proved the second step, or signed in, recently.
   */
  needsRecentStep?: boolean
}

/** Elysia's `set` of one exchange, with what our hooks add to it. */
export type ExchangeState = {
  headers: Record<string, string | number | undefined>
  status?: number | string | undefined
  entered?: Caller
  /** The id of the key that was sent, whether or not it was admitted. */
  keyId?: string
}

/** The server that accepted a request; null if the app is called without one. */
export type Network = { requestIP(request: Request): { address: string } | null } | null

/** The part of an exchange that a gate sees. */
export type Call = {
  request: Request
  set: ExchangeState
}

/** Admits a request or throws a `Refusal`, by its API key or by its dashboard session. */
export type Gate = (call: Call, access: Access) => Caller | Promise<Caller>

export const clientOnly: Access = { roles: ['CLIENT'] }
/** Access to requests that set recipients. */
export const payouts: Access = { ...clientOnly, needsRecentStep: true }
/** Access of a CLIENT key to objects that do not become the key's own. */
export const keylessClient: Access = { ...clientOnly, isKeyless: true }
/** Access to where events are posted, and to the secret that authenticates them. */
export const endpointChanges: Access = { ...keylessClient, needsRecentStep: true }
export const everyRole: Access = { roles: ['CLIENT', 'OPERATOR'] }
