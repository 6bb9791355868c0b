import { statusNames } from './execution/status'

/** A transfer was seen for the first time. */
export const detectedType = 'deposit.detected'

/** A reorganization dropped a transfer's block before the transfer was confirmed. */
export const orphanedType = 'deposit.orphaned'

/** A bridge refunded the money of an execution. */
export const returnedType = 'deposit.returned'

export const depositEventTypes = [
  detectedType,
  'deposit.confirmed',
  'deposit.waiting_for_intent',
  'deposit.queued',
  'deposit.paused',
  orphanedType,
  returnedType,
] as const
export const executionEventTypes = statusNames.map((status) => `execution.${status.toLowerCase()}`)

/** Another execution has taken over this execution's money. */
export const supersededType = 'execution.superseded'

/** Test sample, posted to a webhook endpoint on request. */
export const testType = 'webhook.test'

/** Emitted only to subscribers that name it. The live map needs it. */
export const movedType = 'execution.moved'

/** The target of a user's deposits was set or changed. */
export const intentEventTypes = ['intent.created', 'intent.updated'] as const

/** A change of a user's target was requested and is pending. */
export const changeHeldType = 'intent.change_held'

/** Operators paused a chain, or its pause ended. */
export const chainEventTypes = ['chain.paused', 'chain.resumed'] as const

/** Most or all of the month's quota is used. */
export const quotaWarningType = 'quota.warning'

/** An API key is about to expire. */
export const keyExpiringType = 'api_key.expiring'

/** The service disabled a webhook endpoint. */
export const disabledType = 'webhook_endpoint.disabled'

/** Events that contain names which the organization chose. Erasing the organization deletes their deliveries. */
export const namingTypes: readonly string[] = [keyExpiringType, disabledType]

export const eventTypes: readonly string[] = [
  ...depositEventTypes,
  ...executionEventTypes,
  supersededType,
  movedType,
  ...intentEventTypes,
  changeHeldType,
  ...chainEventTypes,
  quotaWarningType,
  keyExpiringType,
  disabledType,
]

const familyOf = (type: string): string => `${type.slice(0, type.indexOf('.'))}.*`

/** Families that contain more than one type. A family name selects all of its types. */
export const eventFamilies: readonly string[] = [...new Set(eventTypes.map(familyOf))].filter(
  (family) => eventTypes.filter((type) => familyOf(type) === family).length > 1,
)

/**
 * Returns the types that a list of names selects. A name is exact or ends in `.*`. Returns null if a name selects
 * nothing.
 */
export function matchingEventTypes(names: string | undefined): ReadonlySet<string> | null {
  if (names === undefined) return new Set(eventTypes.filter((type) => type !== movedType))
  const matches = new Set<string>()
  for (const name of names.split(',')) {
    const family = name.endsWith('.*') ? name.slice(0, -1) : null
    const meant = family
      ? eventTypes.filter((type) => type.startsWith(family) && type !== movedType)
      : eventTypes.filter((type) => type === name)
    if (meant.length === 0) return null
    for (const type of meant) matches.add(type)
  }
  return matches
}
