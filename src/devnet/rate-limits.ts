/**
 * Number of quotes that a provider answers in a window, and whether its responses report the limit in `ratelimit-*`
 * headers.
 */
type RateLimit = { most: number; windowMs: number; isTold: boolean }

export const limitedTargets = ['lifi', 'relay', 'cctp'] as const
export type LimitedTarget = (typeof limitedTargets)[number]
export const isLimitedTarget = (name: string): name is LimitedTarget => limitedTargets.includes(name as LimitedTarget)

type Counts = { answered: number; refused: number }
type Window = { endsAt: number; used: number }

/**
 * Counts the quotes of each provider and refuses those beyond an active limit, in windows that start with their first
 * request.
 */
export class RateLimits {
  private readonly limits = new Map<LimitedTarget, RateLimit>()
  private readonly windows = new Map<LimitedTarget, Window>()
  private readonly counts = new Map<LimitedTarget, Counts>()

  put(target: LimitedTarget, limit: RateLimit): void {
    this.limits.set(target, limit)
    this.windows.delete(target)
    this.counts.delete(target)
  }

  remove(target: LimitedTarget): void {
    this.limits.delete(target)
  }

  all(): Record<string, Counts & { limit: RateLimit | null }> {
    const view = (target: LimitedTarget) => {
      const { answered = 0, refused = 0 } = this.counts.get(target) ?? {}
      return [target, { answered, refused, limit: this.limits.get(target) ?? null }]
    }
    return Object.fromEntries(limitedTargets.map(view))
  }

  /** Counts a quote, and returns the headers for its response and whether it must be refused. */
  take(target: LimitedTarget, now: number): { isRefused: boolean; headers: Record<string, string> } {
    const limit = this.limits.get(target)
    const isRefused = limit !== undefined && !this.isAdmitted(target, limit, now)
    const { answered = 0, refused = 0 } = this.counts.get(target) ?? {}
    this.counts.set(target, isRefused ? { answered, refused: refused + 1 } : { answered: answered + 1, refused })
    return { isRefused, headers: limit ? this.headersOf(target, limit, isRefused, now) : {} }
  }

  private isAdmitted(target: LimitedTarget, { most, windowMs }: RateLimit, now: number): boolean {
    const before = this.windows.get(target)
    const window = before && before.endsAt > now ? before : { endsAt: now + windowMs, used: 0 }
    this.windows.set(target, window)
    if (window.used >= most) return false
    window.used += 1
    return true
  }

  private headersOf(target: LimitedTarget, { most, isTold }: RateLimit, isRefused: boolean, now: number) {
    const { endsAt, used } = this.windows.get(target)!
    const seconds = String(Math.ceil((endsAt - now) / 1_000))
    const headers = {
      'ratelimit-limit': `${most}`,
      'ratelimit-remaining': `${most - used}`,
      'ratelimit-reset': seconds,
    }
    return { ...(isTold && headers), ...(isRefused && { 'retry-after': seconds }) }
  }
}
