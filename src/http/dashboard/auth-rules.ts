import type { Person } from '../../ports/identity'
import type { Budgets } from '../../ports/limits'
import type { Invitations } from '../../ports/members'
import { Refusal } from '../request/failure'
import { invitationDigest } from './new-tenants'

/** It stands in letters to others: nothing that ends a line, turns it around, or can be clicked. */
export function checkName(name: unknown): void {
  const isName = typeof name === 'string' && /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u.test(name) && !/:\/\/|www\./i.test(name)
  if (!isName || name.trim() === '')
    throw new Refusal('VALIDATION_FAILED', { message: 'name must be 1 to 64 characters, and no link' })
}

type Registration = { isOpen: boolean; invitations: Pick<Invitations, 'findByToken'>; now: () => number }

/** Where registration is by invitation, its link is what lets in whom it was written to. */
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

/** Longer than any code is taken. */
const codeMs = 5 * 60_000

/** A code that was shown to somebody, or read on its way, is worth nothing once it was used. RFC 6238, 5.2. */
export async function assureFirstUse(
  { budgets, now }: { budgets: Budgets; now: () => number },
  { id }: Person,
  code: unknown,
): Promise<void> {
  const window = Math.floor(now() / codeMs)
  const used = (n: number) => `totp:${id}:${Bun.SHA256.hash(String(code), 'hex')}:${n}`
  // Of the window before as well: a code may be good on both sides of its end.
  for (const n of [window - 1, window])
    if (!(await budgets.take(used(n), 1, (window + 2) * codeMs))) throw new Refusal('CODE_USED')
}
