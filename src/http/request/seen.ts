import { type } from '../../domain/schema'
import { described, Text } from '../views/scalar'
import { Refusal } from './failure'

/**
 * What a person saw, when they act on something that another request may replace. Whoever acts sends the `version` that
 * the resource showed (extensions 8.5).
 */
export const SeenVersion = described(
  type(/^[0-9A-Za-z_-]{1,64}$/).describe('the version that was shown'),
  'The `version` of what you act on, as you were shown it. If it has changed since, the answer is 409 CHANGED_MEANWHILE and nothing is done',
  '3f9c2d1a7b604e85',
)
export const SeenBody = type({ version: SeenVersion })
/** For a DELETE, which has no body. */
export const SeenQuery = SeenBody
/** How a resource shows its version. */
export const ShownVersion = Text('Its version, which an act on it may name (8.5)', '4')

/** The version of a record that is shown whole: any write makes another one. */
export const versionOf = ({ version }: { version: number }): string => String(version)

/**
 * Refuses an act on a record that is no longer what its author saw. Without a version, the act is about the present
 * record. The write that follows must be conditional on the record that was checked here.
 */
export function assureSeen(record: { version: number }, seen: string | undefined): void {
  if (seen !== undefined && seen !== versionOf(record)) throw new Refusal('CHANGED_MEANWHILE')
}
