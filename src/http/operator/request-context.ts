import type { Asked } from '../../domain/execution/operation'
import type { Caller } from '../request/caller'

type Set = { headers: Record<string, string | number | undefined> }

/** Who does what needs no reason. */
export const authorOf = ({ actor, by = actor }: Caller, { headers }: Set) => ({
  actor: by,
  reason: null,
  requestId: headers['x-request-id'] === undefined ? null : String(headers['x-request-id']),
})

/** Who asks, for whom, and why. */
export const requestOf = ({ actor, tenant }: Caller, reason: string, { headers }: Set): Asked => ({
  actor,
  organizationId: tenant,
  reason,
  requestId: headers['x-request-id'] === undefined ? null : String(headers['x-request-id']),
})
