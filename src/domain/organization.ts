import type { Hex } from './hex'
import type { Policy } from './route'

/** Requests a second and burst, per class of endpoint. Source: beyond, section 8.2. */
export type Rates = Record<RateClass, { perSecond: number; burst: number }>
export type RateClass = 'R' | 'W' | 'S' | 'X'

export type Plan = { rates: Rates; monthlyExecutions: number | null }

const usual: Rates = {
  R: { perSecond: 50, burst: 100 },
  W: { perSecond: 20, burst: 40 },
  S: { perSecond: 5, burst: 10 },
  X: { perSecond: 1, burst: 5 },
}
const times = (factor: number): Rates =>
  Object.fromEntries(
    Object.entries(usual).map(([name, { perSecond, burst }]) => [
      name,
      { perSecond: perSecond * factor, burst: burst * factor },
    ]),
  ) as Rates

/** What an organization may use, by the name of its plan. A custom plan is stored with the organization. */
export const plans = {
  free: { rates: usual, monthlyExecutions: 1_000 },
  growth: { rates: times(4), monthlyExecutions: 50_000 },
  scale: { rates: times(20), monthlyExecutions: null },
} as const satisfies Record<string, Plan>

export type Organization = {
  id: string
  version: number
  name: string
  slug: string
  /** Part of every account's salt, for ever. Decision 3. */
  salt: Hex
  plan: keyof typeof plans | 'custom'
  customPlan: Plan | null
  /** What it wants of routes where that is not what the platform wants; null for nothing. */
  policy?: Partial<Policy> | null
  /** Made at installation: its operators see every organization. Decision 20. */
  isPlatform: boolean
  createdAt: number
}

export const planOf = ({ plan, customPlan }: Pick<Organization, 'plan' | 'customPlan'>): Plan =>
  (plan === 'custom' ? customPlan : plans[plan]) ?? plans.free
