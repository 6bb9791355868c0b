import type { OperationRequest } from '../../domain/execution/operation'
import type { Caller } from '../request/caller'

type Set = { headers: Record<string, string | number | undefined> }
/** An exchange in which a caller requests a change. */
export type ChangeContext = { caller: Caller; set: Set }

/** Returns the author of a change that needs no reason, for the audit log. */
export const authorOf = ({ actor, by = actor }: Caller, { headers }: Set) => ({
  actor: by,
  reason: null,
  requestId: headers['x-request-id'] === undefined ? null : String(headers['x-request-id']),
})

/** Returns who requests an operation, for which organization, and why. */
export const requestOf = ({ actor, tenant }: Caller, reason: string, { headers }: Set): OperationRequest => ({
  actor,
  organizationId: tenant,
  reason,
  requestId: headers['x-request-id'] === undefined ? null : String(headers['x-request-id']),
})
