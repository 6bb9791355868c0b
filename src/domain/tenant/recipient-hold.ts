/**
 * Waiting rule for changes of an existing intent. A change waits for some hours and can be withdrawn, or a second
 * member approves it.
 */
export type RecipientHold = { kind: 'DELAY'; hours: number } | { kind: 'APPROVAL' }

export type HoldSetting = {
  hold: RecipientHold | null
  /** Rule that replaces `hold` at `from`. Weakening the rule takes as long as the current rule makes a change wait. */
  next: { hold: RecipientHold | null; from: number } | null
}

export const holdHours = { least: 1, most: 168 } as const
/**
 * How long giving up the second approval takes. The second member must have been one for the same time before the
 * request: otherwise an invitation would bypass the rule faster.
 */
export const approvalMs = 24 * 3_600_000
const hourMs = 3_600_000

/** Returns the rule that applies at a time. */
export function holdAt(setting: HoldSetting | null | undefined, now: number): RecipientHold | null {
  if (!setting) return null
  return setting.next && setting.next.from <= now ? setting.next.hold : setting.hold
}

/** Whether `one` delays every change for at least as long as `than` does. */
function isAsStrong(one: RecipientHold | null, than: RecipientHold | null): boolean {
  if (than === null) return true
  if (one?.kind !== than.kind) return false
  return one.kind === 'APPROVAL' || one.hours >= (than as { hours: number }).hours
}

const waitMs = (hold: RecipientHold): number => (hold.kind === 'DELAY' ? hold.hours * hourMs : approvalMs)

/**
 * Returns the setting after a request. A stronger rule applies immediately; any other applies after the current rule's
 * waiting time.
 */
export function withHold(
  setting: HoldSetting | null | undefined,
  recipientHold: RecipientHold | null,
  now: number,
): HoldSetting {
  const today = holdAt(setting, now)
  if (today === null || isAsStrong(recipientHold, today)) return { hold: recipientHold, next: null }
  return { hold: today, next: { hold: recipientHold, from: now + waitMs(today) } }
}

/** Returns when a change requested now takes effect automatically; null if a member must approve it. */
export const effectiveAt = (hold: RecipientHold, now: number): number | null =>
  hold.kind === 'DELAY' ? now + hold.hours * hourMs : null
