/**
 * What an organization wants of a change of an intent that is there: that it waits for some hours, in which it can be
 * withdrawn, or that a second member approves it.
 */
export type RecipientHold = { kind: 'DELAY'; hours: number } | { kind: 'APPROVAL' }

export type HoldSetting = {
  hold: RecipientHold | null
  /** What holds from a time on: whoever takes the safeguard away waits as long as it would have had them wait. */
  next: { hold: RecipientHold | null; from: number } | null
}

export const holdHours = { least: 1, most: 168 } as const
/**
 * How long the safeguard of a second approval takes to be given up. A second member must have been one for as long
 * before the request: otherwise an invitation would be the quicker way around it.
 */
export const approvalMs = 24 * 3_600_000
const hourMs = 3_600_000

/** The safeguard of a moment. */
export function holdAt(setting: HoldSetting | null | undefined, now: number): RecipientHold | null {
  if (!setting) return null
  return setting.next && setting.next.from <= now ? setting.next.hold : setting.hold
}

/** Whether everything that the one holds back, the other holds back for at least as long. */
function isAsStrong(one: RecipientHold | null, than: RecipientHold | null): boolean {
  if (than === null) return true
  if (one?.kind !== than.kind) return false
  return one.kind === 'APPROVAL' || one.hours >= (than as { hours: number }).hours
}

const waitMs = (hold: RecipientHold): number => (hold.kind === 'DELAY' ? hold.hours * hourMs : approvalMs)

/** The setting after a wish: one that holds back more counts at once, any other after the wait of today's. */
export function withHold(
  setting: HoldSetting | null | undefined,
  wanted: RecipientHold | null,
  now: number,
): HoldSetting {
  const today = holdAt(setting, now)
  if (today === null || isAsStrong(wanted, today)) return { hold: wanted, next: null }
  return { hold: today, next: { hold: wanted, from: now + waitMs(today) } }
}

/** When a change that is asked for now takes effect by itself; null where somebody has to approve it. */
export const effectiveAt = (hold: RecipientHold, now: number): number | null =>
  hold.kind === 'DELAY' ? now + hold.hours * hourMs : null
