import type { LimitCounters } from '../../../ports/limits'
import type { Invitations, Person } from '../../../ports/people'
import { Refusal } from '../../request/failure'
import { invitationDigest } from '../new-tenants'

/**
 * Throws unless a name is valid. Names appear in e-mails to others, so line breaks, direction marks and links are
 * refused.
 */
export function checkName(name: unknown): void {
  const isName = typeof name === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(name) && !/:\/\/|www\./i.test(name)
  if (!isName || name.trim() === '')
    throw new Refusal('VALIDATION_FAILED', { message: 'name must be 1 to 64 characters without a link' })
}

type Registration = { isOpen: boolean; invitations: Pick<Invitations, 'findByToken'>; now: () => number }

/** Throws if registration is by invitation and the address is not the invited one, with the token of its link. */
export async function checkRegistration(
  { isOpen, invitations, now }: Registration,
  email: string | null,
  token: unknown,
): Promise<void> {
  if (isOpen) return
  const found = typeof token === 'string' ? await invitations.findByToken(invitationDigest(token)) : null
  const isGood = found && found.acceptedAt === null && found.withdrawnAt === null && found.expiresAt > now()
  if (!isGood || found.email !== email) throw new Refusal('BY_INVITATION')
}

/** Longer than the validity of any code. */
const codeMs = 5 * 60_000

/** Refuses a code that was used before, so a code that another person saw is worthless (RFC 6238, 5.2). */
export async function assureFirstUse(
  { limitCounters, now }: { limitCounters: LimitCounters; now: () => number },
  { id }: Person,
  code: unknown,
): Promise<void> {
  const window = Math.floor(now() / codeMs)
  const used = (n: number) => `totp:${id}:${Bun.SHA256.hash(String(code), 'hex')}:${n}`
  // The previous window counts as well, because a code can be valid on both sides of its end.
  for (const n of [window - 1, window])
    if (!(await limitCounters.take(used(n), 1, (window + 2) * codeMs))) throw new Refusal('CODE_USED')
}
