import { isIP } from 'node:net'
import type { Budgets } from '../../ports/limits'
import { Refusal } from '../request/failure'

/** So many in so many seconds. */
type Limit = readonly [most: number, seconds: number]

/**
 * What can be guessed, or costs a letter or a hash, is counted by where it comes from, by whom it is about, by both
 * together, and by the session that does it. A device that this person signed in from before is counted by itself: what
 * others do to an address, or to a person, shuts nobody out.
 */
const limits = {
  'sign-in/email': { address: [60, 60], pair: [10, 300], email: [100, 3_600], device: [20, 900] },
  'sign-up/email': { address: [60, 600], email: [5, 600] },
  'request-password-reset': { address: [30, 600], email: [3, 600] },
  'send-verification-email': { address: [30, 600], email: [3, 600] },
  'reset-password': { address: [30, 600] },
  'change-password': { session: [10, 900] },
  'update-user': { session: [30, 900] },
  'two-factor/enable': { session: [10, 900] },
  'two-factor/disable': { session: [10, 900] },
  'two-factor/verify-totp': { address: [20, 300], session: [10, 900] },
  'two-factor/verify-backup-code': { address: [20, 300], session: [10, 900] },
} as const satisfies Record<string, Limited>

export const limitedPaths = Object.keys(limits)

type Limited = Partial<Record<Kind, Limit>>
type Kind = 'address' | 'pair' | 'email' | 'device' | 'session'
export type Attempt = { address: string; email: string | null; device: string | null; session: string | null }

export type Counted = {
  /** It went well. */
  succeeded(): Promise<void>
  /** Whoever asked was not let in to try at all. */
  notBegun(): Promise<void>
}

/** Where a guess is counted. Elsewhere it is a letter, or what is written: the good ones count as well. */
const guesses: readonly string[] = [
  'sign-in/email',
  'reset-password',
  'change-password',
  'two-factor/enable',
  'two-factor/disable',
  'two-factor/verify-totp',
  'two-factor/verify-backup-code',
] satisfies (keyof typeof limits)[]
/** Whoever succeeds has guessed nothing; what came from the address was work all the same. */
const forgiven: readonly Kind[] = ['pair', 'email', 'device', 'session']

/**
 * In the order in which they are counted: what one network may do is over before it takes all that everybody may do to
 * a person. A device counts by itself only where there is a limit for devices.
 */
function namesOf({ address, email, device, session }: Attempt, limited: Limited): Partial<Record<Kind, string>> {
  const network = networkOf(address)
  if (limited.device && device !== null && email !== null) return { device: `${device} ${email}` }
  return {
    address: network,
    ...(email !== null && { pair: `${network} ${email}`, email }),
    ...(session !== null && { session }),
  }
}

/** Counts an attempt, for all processes together. @throws {Refusal} */
export async function countAttempt(
  { budgets, now }: { budgets: Budgets; now: () => number },
  path: string,
  attempt: Attempt,
): Promise<Counted> {
  const limited: Limited = limits[path as keyof typeof limits] ?? {}
  const taken: [Kind, string][] = []
  for (const [kind, name] of Object.entries(namesOf(attempt, limited)) as [Kind, string][]) {
    const [most, seconds] = limited[kind] ?? []
    if (most === undefined || seconds === undefined) continue
    const at = now()
    const window = Math.floor(at / (seconds * 1_000))
    const endsAt = (window + 1) * seconds * 1_000
    // Names are nobody's to read where they are counted.
    const id = `attempts:${path}:${kind}:${Bun.SHA256.hash(name, 'hex')}:${window}`
    if (!(await budgets.take(id, most, endsAt + 60_000))) throw tooMany(endsAt - at)
    taken.push([kind, id])
  }
  const notBegun = async () => {
    await Promise.all(taken.filter(([kind]) => forgiven.includes(kind)).map(([, id]) => budgets.giveBack(id)))
  }
  return { notBegun, succeeded: async () => (guesses.includes(path) ? notBegun() : undefined) }
}

export function tooMany(waitMs: number): Refusal {
  const seconds = Math.max(Math.ceil(waitMs / 1_000), 1)
  const wait = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
  const headers = { 'retry-after': String(seconds) }
  return new Refusal('RATE_LIMITED', { message: `Too many attempts: try again in ${wait}`, headers })
}

/** An IPv6 host has 2^64 addresses: its network is what counts, in whichever way an address is written. */
function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [first, last] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array(8 - first!.length - last!.length).fill('0')
  return [...first!, ...zeros, ...last!].slice(0, 4).join(':')
}
