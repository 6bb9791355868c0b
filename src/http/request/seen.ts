import { type } from '../../domain/schema'
import { described, Text } from '../views/scalar'
import { Refusal } from './failure'

/**
 * The version of an object that a person saw, which another request might replace. The action sends the `version` that
 * the resource showed (extensions 8.5).
 */
export const SeenVersion = described(
  type(/^[0-9A-Za-z_-]{1,64}$/).describe('the version that was shown'),
  'The `version` that you saw. If it has changed, nothing is done: 409 CHANGED_MEANWHILE',
  '3f9c2d1a7b604e85',
)
export const SeenBody = type({ version: SeenVersion })
/** For a DELETE, which has no body. */
export const SeenQuery = SeenBody
/** The version of a resource, as shown to its readers. */
export const ShownVersion = Text('Its version, which an action on it can name (8.5)', '4')

/** Returns the version of a record that is shown whole: every write changes it. */
export const versionOf = ({ version }: { version: number }): string => String(version)

/**
 * Refuses an action on a record that has changed since its author saw it. Without a version, the action is about the
 * current record. The next write must be conditional on the record checked here.
 */
export function assureSeen(record: { version: number }, seen: string | undefined, shown = versionOf(record)): void {
  if (seen !== undefined && seen !== shown) throw new Refusal('CHANGED_MEANWHILE')
}
