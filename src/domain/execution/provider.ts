import type { Allowance, Configured } from '../limits/limits-in-force'

const minuteMs = 60_000
const secondMs = 1_000

/** Rate limits of a provider, for quotes and for other requests. */
type ProviderLimits = { quote: Configured; other: Configured }

type Provider = {
  name: string
  keyed: ProviderLimits
  keyless: ProviderLimits
  /** Gas of the transaction that we send on the destination chain. Absent if the provider delivers itself. */
  mintGas?: bigint
  /** Absent for a provider that reports token prices. */
  hasPrices?: false
}

const limits = (quote: Configured, other: Configured): ProviderLimits => ({ quote, other })
const per = (windowMs: number, most: number): Allowance => ({ most, windowMs })

/**
 * The routing providers in order of preference, with their own names and their rate limits with and without a key. The
 * limits apply until the provider states others. Everything that exists once per provider is typed by these keys.
 */
export const providers = {
  // https://docs.li.fi, "Rate limits": 75 quotes in two hours for an address; 100 requests a minute for a key.
  lifi: {
    name: 'LI.FI',
    keyed: limits(per(minuteMs, 100), per(minuteMs, 100)),
    keyless: limits(per(120 * minuteMs, 75), per(minuteMs, 100)),
  },
  // https://docs.relay.link, "Rate limits": 50 quotes and 200 other requests a minute.
  relay: {
    name: 'Relay',
    keyed: limits(per(minuteMs, 50), per(minuteMs, 200)),
    keyless: limits(per(minuteMs, 50), per(minuteMs, 200)),
  },
  // https://developers.circle.com/cctp, "API Service Rate Limit": 35 requests a second; a caller above that is locked
  // out for five minutes. A quote takes up to two requests, so these limits together allow 28.
  cctp: {
    name: 'Circle CCTP',
    keyed: limits(per(secondMs, 8), per(secondMs, 12)),
    keyless: limits(per(secondMs, 8), per(secondMs, 12)),
    mintGas: 200_000n,
    hasPrices: false,
  },
} as const satisfies Record<string, Provider>

export type ProviderKey = keyof typeof providers
export const providerKeys = Object.keys(providers) as ProviderKey[]

const isProvider = (key: string): key is ProviderKey => Object.hasOwn(providers, key)

/** Returns a routing provider's own name, or the key if it is not in the table. */
export const providerName = (key: string): string => (isProvider(key) ? providers[key].name : key)

/** Whether a source of prices is not a routing provider without prices. */
export const hasPrices = (key: string): boolean => !(isProvider(key) && 'hasPrices' in providers[key])
/** Returns the gas of our own transaction on the destination chain; 0 if the provider delivers itself. */
export const mintGasOf = (key: string): bigint => {
  const provider: Provider | null = isProvider(key) ? providers[key] : null
  return provider?.mintGas ?? 0n
}

type ProviderState = { healthy: boolean; credentialsRefusedAt: string | null; unreadable?: string | null }

/** Returns the state of a provider in the words of the pages and the command line. */
export const providerStateOf = ({ healthy, credentialsRefusedAt, unreadable }: ProviderState): string => {
  if (credentialsRefusedAt !== null) return 'refuses our credentials'
  if (unreadable) return 'cannot be read'
  return healthy ? 'healthy' : 'failing'
}

/** @param perMinute Limit that an operator set for this installation; null for the provider's public limit. */
export function providerLimits(key: ProviderKey, hasKey: boolean, perMinute: number | null): ProviderLimits {
  const set = perMinute === null ? null : { ...per(minuteMs, perMinute), isSet: true }
  if (set) return limits(set, set)
  return hasKey ? providers[key].keyed : providers[key].keyless
}
