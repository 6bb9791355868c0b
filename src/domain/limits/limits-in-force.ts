/** Rate limit: at most `most` requests in any window of this length. */
export type Allowance = { most: number; windowMs: number }

/**
 * The limit that applies without a better figure. `isSet`: an operator set it, so it holds even if the provider states
 * a larger one. A default is only an assumption, which the provider's own limit replaces.
 */
export type Configured = Allowance & { isSet?: boolean }

/** `windowUntil`: when the window is forgotten unless a response shows it again. An earlier release stored none. */
type Stated = Allowance & { until: number; windowUntil?: number }

/** The limit of a provider as its responses show it. Each part applies until its `until`. */
export type ProviderLimits = {
  stated?: Stated | null
  /**
   * Limit inferred from refusals. From `growsFrom` to `until` it grows to the limit that applies without it. An earlier
   * release stored statements here, without `growsFrom`.
   */
  learned: (Stated & { growsFrom?: number }) | null
  /** Last report of the provider: this many requests are left until that time. */
  told: { left: number; at: number; until: number } | null
}

/**
 * Returns every limit that holds now, the tightest first: the operator's, the provider's statement, and the limit that
 * its refusals show. None replaces another, and each has its own window. A default holds only without the other two.
 */
export function limitsNow(limits: ProviderLimits, configured: Configured, now: number): [Allowance, ...Allowance[]] {
  const stated = statedOf(limits)
  // A stated limit applies at least as long as the provider's report of the remaining requests.
  const statement = stated !== null && Math.max(stated.until, limits.told?.until ?? 0) > now ? stated : null
  const learned = learnedNow(limits, statement ?? configured, now)
  const own = [statement, learned].filter((one) => one !== null)
  const all = configured.isSet || own.length === 0 ? [configured, ...own] : own
  return all.toSorted(byTightness) as [Allowance, ...Allowance[]]
}

/** Returns the provider's newest statement, also if it no longer holds. */
export const statedOf = ({ stated, learned }: ProviderLimits): Stated | null =>
  learned && learned.growsFrom === undefined ? learned : (stated ?? null)

/** Returns the limit that refusals show, which grows to the limit that applies without it. */
function learnedNow({ learned }: ProviderLimits, without: Allowance, now: number): Allowance | null {
  if (learned?.growsFrom === undefined || learned.until <= now) return null
  const { most, windowMs, until, growsFrom } = learned
  if (growsFrom >= now) return learned
  const target = (without.most * windowMs) / without.windowMs
  const grown = (Math.max(0, target - most) * (now - growsFrom)) / (until - growsFrom)
  return { most: most + Math.floor(grown), windowMs }
}

const byTightness = (one: Allowance, other: Allowance): number => one.most * other.windowMs - other.most * one.windowMs
