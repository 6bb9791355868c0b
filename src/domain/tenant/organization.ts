import type { Hex } from '../chain/hex'
import type { Policy } from '../execution/route'

/** Requests a second and burst, per class of endpoint (extensions 8.2). */
export type Rates = Record<RateClass, { perSecond: number; burst: number }>
export type RateClass = 'R' | 'W' | 'S' | 'X'

/** What an organization may use, and how much of it: all of its processes, keys and people together (decision 45). */
export type Plan = {
  rates: Rates
  monthlyExecutions: number | null
  /** Worth of the gas that the platform pays in a day (UTC), whole USD. 0: none, and no key may be sponsored. */
  sponsoredGasUsdPerDay: number
  /** Event streams that are open at the same time. */
  streams: { perKey: number; perOrganization: number; perPerson: number }
  /** Invitation letters in a day (UTC). */
  lettersPerDay: number
  /** Of a relayer key it holds at most so many times as many places as it leaves free: more than 0. */
  relayerShare: number
}

/** A custom plan says what differs: what it does not say is as in the free plan. */
export type CustomPlan = Pick<Plan, 'rates' | 'monthlyExecutions'> & Partial<Plan>

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

const streams = { perKey: 10, perOrganization: 50, perPerson: 50 } as const

/** By the name of the plan. A custom plan is stored with the organization. */
export const plans = {
  free: {
    rates: usual,
    monthlyExecutions: 1_000,
    sponsoredGasUsdPerDay: 0,
    streams,
    lettersPerDay: 50,
    relayerShare: 1,
  },
  growth: {
    rates: times(4),
    monthlyExecutions: 50_000,
    sponsoredGasUsdPerDay: 100,
    streams,
    lettersPerDay: 200,
    relayerShare: 3,
  },
  scale: {
    rates: times(20),
    monthlyExecutions: null,
    sponsoredGasUsdPerDay: 1_000,
    streams,
    lettersPerDay: 1_000,
    relayerShare: 7,
  },
} as const satisfies Record<string, Plan>

/** What one person may have, whatever the organizations: else more organizations were more of everything. */
export const perPerson = { organizations: 20, lettersPerDay: 100 } as const
/** Invitations that one address may get in a day: of one organization, and of all, lest one writes for all of them. */
export const lettersPerRecipient = { ofOrganization: 5, ofAll: 20 } as const

export type Organization = {
  id: string
  version: number
  name: string
  slug: string
  /** Part of every account's salt, for ever (decision 3). */
  salt: Hex
  plan: keyof typeof plans | 'custom'
  customPlan: CustomPlan | null
  /** What it wants of routes where that is not what the platform wants; null for nothing. */
  policy?: Partial<Policy> | null
  /** Of a share below the platform’s: that whoever set it had the key. */
  policySeal?: string | null
  /** Made at installation: its operators see every organization (decision 20). */
  isPlatform: boolean
  createdAt: number
}

export const planOf = ({ plan, customPlan }: Pick<Organization, 'plan' | 'customPlan'>): Plan =>
  plan === 'custom' ? { ...plans.free, ...customPlan } : (plans[plan] ?? plans.free)

export const maySponsorGas = (organization: Pick<Organization, 'plan' | 'customPlan'>): boolean =>
  planOf(organization).sponsoredGasUsdPerDay > 0
