import { emailsPerRecipient, type Organization, perPerson, planOf } from '../../domain/tenant/organization'
import type { LimitCounters } from '../../ports/limits'
import type { Person } from '../../ports/people'
import { Refusal } from '../request/failure'

const dayMs = 86_400_000

type Letter = { organization: Organization; person: Person; to: string }

/**
 * Counts an e-mail against the daily limits of the organization, the sender and the recipient. Refuses with 429 if one
 * of them is reached.
 */
export async function countEmail(
  { limitCounters, now }: { limitCounters: LimitCounters; now: () => number },
  { organization, person, to }: Letter,
): Promise<void> {
  const at = now()
  const day = Math.floor(at / dayMs)
  const reader = Bun.SHA256.hash(to.toLowerCase(), 'hex')
  const { ofOrganization, ofAll } = emailsPerRecipient
  const limits: [counter: string, most: number, message: string][] = [
    [`of:${organization.id}:to:${reader}`, ofOrganization, 'This address has received its limit of invitations today'],
    [`to:${reader}`, ofAll, 'This address has received its limit of invitations today'],
    [`by:${person.id}`, perPerson.lettersPerDay, 'You have reached your daily limit of invitations'],
    [`of:${organization.id}`, planOf(organization).lettersPerDay, 'The organization’s plan has no e-mails left today'],
  ]
  for (const [n, [counter, most, message]] of limits.entries()) {
    if (await limitCounters.take(`letters:${counter}:${day}`, most, (day + 2) * dayMs)) continue
    await Promise.all(limits.slice(0, n).map(([spent]) => limitCounters.giveBack(`letters:${spent}:${day}`)))
    const seconds = Math.max(Math.ceil(((day + 1) * dayMs - at) / 1_000), 1)
    const headers = { 'retry-after': String(seconds) }
    throw new Refusal('RATE_LIMITED', { message: `${message}: try again tomorrow (UTC)`, headers })
  }
}
