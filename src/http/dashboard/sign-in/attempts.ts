import { networkOf } from '../../../domain/tenant/address-range'
import type { LimitCounters } from '../../../ports/limits'
import { Refusal } from '../../request/failure'

/** At most `most` attempts in `seconds`. */
type Limit = readonly [most: number, seconds: number]

/**
 * Limits of requests that guess a secret, send an e-mail or compute a hash: per network, per person, per both together,
 * and per session. A device that this person used before has its own limit, so attempts by others do not lock the
 * person out.
 */
const limits = {
  'sign-in/email': { address: [60, 60], pair: [10, 300], email: [100, 3_600], device: [20, 900] },
  'sign-up/email': { address: [60, 600], email: [5, 600] },
  'request-password-reset': { address: [30, 600], email: [3, 600] },
  'send-verification-email': { address: [30, 600], email: [3, 600] },
  'reset-password': { address: [30, 600] },
  'change-password': { session: [10, 900] },
  // This path guesses nothing and sends no e-mail. It has no limit per person, because attempts in a person's name
  // would lock that person out.
  'sso/start': { address: [60, 600] },
  'update-user': { session: [30, 900] },
  'two-factor/enable': { session: [10, 900] },
  'two-factor/disable': { session: [10, 900] },
  'two-factor/generate-backup-codes': { session: [10, 900] },
  'two-factor/verify-totp': { address: [20, 300], session: [10, 900] },
  'two-factor/verify-backup-code': { address: [20, 300], session: [10, 900] },
} as const satisfies Record<string, Limited>

export const limitedPaths = Object.keys(limits)

type Limited = Partial<Record<Kind, Limit>>
type Kind = 'address' | 'pair' | 'email' | 'device' | 'session'
export type Attempt = { address: string; email: string | null; device: string | null; session: string | null }

export type SignInCount = {
  /** Called when the attempt succeeded. */
  succeeded(): Promise<void>
  /** Called when the attempt was refused before it began. */
  notBegun(): Promise<void>
  /** Returns how many wrong guesses are left now; null for a path that guesses nothing. */
  left(): Promise<number | null>
}

/**
 * Paths where only failures count, because they are guesses. On the other paths, each attempt sends an e-mail or
 * writes.
 */
const guesses: readonly string[] = [
  'sign-in/email',
  'reset-password',
  'change-password',
  'two-factor/enable',
  'two-factor/disable',
  'two-factor/generate-backup-codes',
  'two-factor/verify-totp',
  'two-factor/verify-backup-code',
] satisfies (keyof typeof limits)[]
/** Counts that a success gives back. The network's count stays, because the attempt cost work anyway. */
const forgiven: readonly Kind[] = ['pair', 'email', 'device', 'session']

/**
 * Returns the names to count by, in order. A network reaches its own limit before it can exhaust the shared limit of a
 * person. If devices have a limit, a trusted device is counted by that limit alone.
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

/**
 * Counts an attempt, for all processes together.
 * @throws {Refusal} RATE_LIMITED if a limit is reached.
 */
export async function countAttempt(
  { limitCounters, now }: { limitCounters: LimitCounters; now: () => number },
  path: string,
  attempt: Attempt,
): Promise<SignInCount> {
  const limited: Limited = limits[path as keyof typeof limits] ?? {}
  const charged: [kind: Kind, id: string, most: number][] = []
  for (const [kind, name] of Object.entries(namesOf(attempt, limited)) as [Kind, string][]) {
    const [most, seconds] = limited[kind] ?? []
    if (most === undefined || seconds === undefined) continue
    const at = now()
    const window = Math.floor(at / (seconds * 1_000))
    const endsAt = (window + 1) * seconds * 1_000
    // Names are hashed, so the counters reveal none.
    const id = `attempts:${path}:${kind}:${Bun.SHA256.hash(name, 'hex')}:${window}`
    if (!(await limitCounters.take(id, most, endsAt + 60_000))) throw tooMany(endsAt - at)
    charged.push([kind, id, most])
  }
  const notBegun = async () => {
    await Promise.all(charged.filter(([kind]) => forgiven.includes(kind)).map(([, id]) => limitCounters.giveBack(id)))
  }
  const left = async () => {
    if (!guesses.includes(path) || charged.length === 0) return null
    return Math.min(...(await Promise.all(charged.map(async ([, id, most]) => most - (await limitCounters.used(id))))))
  }
  return { notBegun, left, succeeded: async () => (guesses.includes(path) ? notBegun() : undefined) }
}

export function tooMany(waitMs: number): Refusal {
  const seconds = Math.max(Math.ceil(waitMs / 1_000), 1)
  const wait = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
  const headers = { 'retry-after': String(seconds) }
  return new Refusal('RATE_LIMITED', { message: `Too many attempts: try again in ${wait}`, headers })
}
