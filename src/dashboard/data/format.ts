import { type ChainKey, chains } from '../../domain/chain/chain'

const units = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [86_400, 3_600, 'h'],
  [86_400 * 60, 86_400, 'days'],
  [Number.POSITIVE_INFINITY, 86_400 * 30, 'months'],
] as const

/** Formats a time relative to now: `12 s ago`, `in 3 min`. */
export function ago(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000)
  const far = Math.abs(seconds)
  if (far < 2) return 'now'
  const [, size, unit] = units.find(([most]) => far < most)!
  // A future time is rounded; otherwise "in 7 days" would become "in 6 days" a second later.
  const count = seconds < 0 ? Math.floor(far / size) : Math.round(far / size)
  const name = count === 1 ? unit.replace(/s$/, (end) => (unit.length > 1 ? '' : end)) : unit
  return seconds < 0 ? `${count} ${name} ago` : `in ${count} ${name}`
}

export const exact = (at: number): string =>
  new Date(at).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })

export const clock = (at: number): string =>
  new Date(at).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })

/** Names a day, such as 2026-11-03: `3 Nov`. */
export const dayName = (date: string): string =>
  new Date(`${date}T12:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(Math.round(ms), 0)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return inTwo(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  return inTwo(Math.floor(seconds / 3_600), 'h', Math.floor((seconds % 3_600) / 60), 'min')
}

/** Formats a duration in a single unit, for narrow places: `120 ms`, `1.2 s`, `3 min`, `5 h`, `2 days`. */
export function brief(ms: number): string {
  if (ms < 60_000) return duration(ms)
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`
  if (ms < 48 * 3_600_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} days`
}

const inTwo = (many: number, unit: string, few: number, small: string): string =>
  few === 0 ? `${many} ${unit}` : `${many} ${unit} ${few} ${small}`

/** Formats atomic units as a token amount. Decimals beyond `fractionMax` are cut off, never rounded up. */
export function amount(raw: string | null | undefined, decimals: number | null | undefined, fractionMax = 6): string {
  if (raw === null || raw === undefined) return 'not known yet'
  if (decimals === null || decimals === undefined) return `${grouped(raw)} atomic units`
  const isNegative = raw.startsWith('-')
  const digits = (isNegative ? raw.slice(1) : raw).padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const [whole, all] = [digits.slice(0, cut), digits.slice(cut)]
  const fraction = all.slice(0, fractionMax).replace(/0+$/, '')
  const isLost = fraction === '' && whole === '0' && /[1-9]/.test(all)
  if (isLost) return `< 0.${'0'.repeat(fractionMax - 1)}1`
  return `${isNegative ? '-' : ''}${grouped(whole)}${fraction && `.${fraction}`}`
}

export const grouped = (digits: string | number): string => String(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ',')

export const short = (text: string, head = 8, tail = 6): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`

/** Shortens the hash inside an id and keeps the chain and the log index readable. */
export function shortId(id: string): string {
  const [chain, hash, ...rest] = id.split(':')
  return hash?.startsWith('0x') ? [chain, short(hash, 8, 4), ...rest].join(':') : short(id, 14, 6)
}

export const percent = (part: number, whole: number): string =>
  whole === 0 ? 'none yet' : `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`

export const usd = (text: string | number | null): string =>
  text === null
    ? 'unknown'
    : Number(text).toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 2 })

/** Formats cents as dollars, exactly: `$1,234.56`. */
export const dollars = (cents: bigint): string =>
  `${cents < 0n ? '-' : ''}$${grouped(String(abs(cents) / 100n))}.${String(abs(cents) % 100n).padStart(2, '0')}`
const abs = (value: bigint): bigint => (value < 0n ? -value : value)

/** Capitalises the first letter. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

export const words = (name: string): string => name.toLowerCase().replaceAll('_', ' ')

/** Joins names: `A`, `A and B`, `A, B and C`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
const isChain = (key: string): key is ChainKey => Object.hasOwn(chains, key)
export const chainName = (key: string | null): string =>
  key === null ? 'unknown' : isChain(key) ? chains[key].name : key
