import { statusNames } from './execution/status'

/** A transfer was seen, and its block was dropped before it was confirmed. */
export const orphanedType = 'deposit.orphaned'

export const depositEventTypes = [
  'deposit.detected',
  'deposit.confirmed',
  'deposit.waiting_for_intent',
  orphanedType,
  'deposit.returned',
] as const
export const executionEventTypes = statusNames.map((status) => `execution.${status.toLowerCase()}`)

/** Another execution has taken over its money. */
export const supersededType = 'execution.superseded'

/** A sample that is posted to a webhook endpoint on request. */
export const testType = 'webhook.test'

/** Sent only when it is asked for by name; the live map needs it. */
export const movedType = 'execution.moved'

/** Where the deposits of a user go was said for the first time, or changed. */
export const intentEventTypes = ['intent.created', 'intent.updated'] as const

/** A change of where the deposits of a user go was asked for, and waits. */
export const changeHeldType = 'intent.change_held'

/** Operators paused a chain, or the pause is over. */
export const chainEventTypes = ['chain.paused', 'chain.resumed'] as const

/** Most of the month's quota is used, or all of it. */
export const quotaWarningType = 'quota.warning'

/** A key stops working before long, because its time is over. */
export const keyExpiringType = 'api_key.expiring'

/** The service has stopped posting to a webhook endpoint. */
export const disabledType = 'webhook_endpoint.disabled'

/** Events that tell what an organization calls something of its own: its names go with it. */
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

/** The families of more than one type, by which all of their types can be selected. */
export const eventFamilies: readonly string[] = [...new Set(eventTypes.map(familyOf))].filter(
  (family) => eventTypes.filter((type) => familyOf(type) === family).length > 1,
)

/** The types that a list of names selects, each exact or with a final `.*`; null when a name selects none. */
export function typesNamed(names: string | undefined): ReadonlySet<string> | null {
  if (names === undefined) return new Set(eventTypes.filter((type) => type !== movedType))
  const found = new Set<string>()
  for (const name of names.split(',')) {
    const family = name.endsWith('.*') ? name.slice(0, -1) : null
    const meant = family
      ? eventTypes.filter((type) => type.startsWith(family) && type !== movedType)
      : eventTypes.filter((type) => type === name)
    if (meant.length === 0) return null
    for (const type of meant) found.add(type)
  }
  return found
}
