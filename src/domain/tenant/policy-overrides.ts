import { defaultPolicy, type Policy } from '../execution/route'

/** What an organization may set for itself, and within which bounds. The rest is the platform's. */
export const policyBounds = {
  slippageBps: { least: 1, most: 1_000 },
  minOutputBps: { least: 5_000, most: 10_000 },
  maxDurationSeconds: { least: 1, most: 86_400 },
  maxHops: { least: 1, most: 10 },
} as const satisfies Partial<Record<keyof Policy, { least: number; most: number }>>

/** Returns the platform's policy with an organization's own values. A value out of bounds is ignored. */
export function policyWith(overrides: Partial<Policy> | null | undefined): Policy {
  const policy: Policy = { ...defaultPolicy }
  if (typeof overrides?.requiresSponsoredGas === 'boolean') policy.requiresSponsoredGas = overrides.requiresSponsoredGas
  for (const [name, { least, most }] of Object.entries(policyBounds) as [keyof typeof policyBounds, Bound][]) {
    const value = overrides?.[name]
    if (Number.isInteger(value) && value! >= least && value! <= most) policy[name] = value!
  }
  return policy
}

type Bound = { least: number; most: number }
