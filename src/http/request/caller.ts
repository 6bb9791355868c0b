import type { Role } from '../../domain/tenant/api-key'
import type { Organization, RateClass } from '../../domain/tenant/organization'

/** Who asks, once that is settled. Everything belongs to its organization; the request never names one (decision 2). */
export type Caller = {
  organization: Organization
  /** Whose things it sees: null is every organization's, for the platform's operators. */
  tenant: string | null
  actor: { kind: 'API_KEY' | 'MEMBER'; id: string; label: string }
  /** Who clicked, where that is not whose doing it is: the audit log names this one. */
  by?: Caller['actor']
  /** Who is behind it: who is signed in, or who made the key; null for keys that nobody signed in for. */
  personId: string | null
  /** What an intent that it makes copies. */
  terms: { protocolFeeBps: number; sponsoredGas: boolean }
  /** Whether it would still be let in: asked by what stays open. */
  isLetIn?: () => boolean | Promise<boolean>
}

/** Who may call an endpoint, and in which class it counts; by the method where none is named. */
export type Access = { roles: readonly Role[]; rateClass?: RateClass }

/** What is kept with one exchange, beside what Elysia keeps there. */
export type Kept = {
  headers: Record<string, string | number | undefined>
  status?: number | string | undefined
  entered?: Caller
  /** Whose key was sent, let in or not. */
  keyId?: string
}

/** The server that took a request, where there is one. */
export type Network = { requestIP(request: Request): { address: string } | null } | null

/** What a gate sees of a request. */
export type Call = {
  request: Request
  set: Kept
}

/** Lets a request in, or throws a `Refusal`. A key's text, or the dashboard's session, decides. */
export type Gate = (call: Call, access: Access) => Caller | Promise<Caller>

export const clientOnly: Access = { roles: ['CLIENT'] }
export const everyRole: Access = { roles: ['CLIENT', 'OPERATOR'] }
