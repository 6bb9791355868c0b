import { type ChainKey, chainKeys } from '../domain/chain/chain'

export type Fault = { fault: string; timesLeft: number | null; ms: number | null; copies: number | null }

/**
 * The faults of every provider. UNREADABLE: its quotes have an unknown form, and its transfers an unknown state.
 * REFUSED: it refuses for an unknown reason.
 */
export const ofProviders = ['DOWN', 'SLOW', 'GARBAGE', 'RATE_LIMIT', 'UNREADABLE', 'REFUSED'] as const

/** The faults of each target. */
export const faultKinds = {
  lifi: [...ofProviders, 'LOW_OUTPUT', 'UNDERPAY', 'FEE_GRAB', 'NATIVE_FEE', 'NO_ROUTE', 'NO_PRICE'],
  relay: [...ofProviders, 'NO_ROUTE', 'NO_PRICE', 'REFUND'],
  cctp: [...ofProviders, 'LATE', 'WRONG', 'EXPIRED', 'FEE_ABOVE', 'NO_ALLOWANCE'],
  bridge: ['DOWN', 'SLOW', 'REFUND', 'PARTIAL'],
  webhooks: ['DOWN', 'DROP', 'DUPLICATE', 'SLOW'],
  rpc: ['DOWN', 'SLOW', 'GARBAGE', 'RATE_LIMIT', 'WRONG_CHAIN', 'STALE', 'LYING', 'LYING_LOW', 'DELEGATED'],
} as const

type FaultTarget = 'lifi' | 'relay' | 'cctp' | 'bridge' | 'webhooks' | `rpc:${ChainKey}`

export const faultTargets: FaultTarget[] = [
  'lifi',
  'relay',
  'cctp',
  'bridge',
  'webhooks',
  ...chainKeys.map((key) => `rpc:${key}` as const),
]

export const isFaultTarget = (name: string): name is FaultTarget => faultTargets.includes(name as FaultTarget)

export const kindsOf = (target: FaultTarget): readonly string[] =>
  faultKinds[target.startsWith('rpc:') ? 'rpc' : (target as keyof typeof faultKinds)]

/** The active faults, at most one per target, until they are removed or used up. */
export class Faults {
  private readonly active = new Map<FaultTarget, Fault>()
  private readonly removeListeners: ((target: FaultTarget) => void)[] = []

  put(target: FaultTarget, fault: Fault): void {
    this.active.set(target, fault)
  }

  remove(target: FaultTarget): void {
    this.active.delete(target)
    for (const listener of this.removeListeners) listener(target)
  }

  onRemove(listener: (target: FaultTarget) => void): void {
    this.removeListeners.push(listener)
  }

  all(): Record<string, Fault> {
    return Object.fromEntries(this.active)
  }

  /** Takes the fault of a target and counts it as used once. Faults in `ignored` do not concern this use. */
  take(target: FaultTarget, ignored: readonly string[] = []): Fault | null {
    const fault = this.active.get(target)
    if (!fault || ignored.includes(fault.fault)) return null
    if (fault.timesLeft !== null && --fault.timesLeft <= 0) this.active.delete(target)
    return fault
  }
}
