import type { Hex } from '../chain/hex'
import type { Policy } from '../execution/route'
import type { DepositPage } from './deposit-page'
import type { HoldSetting } from './recipient-hold'
import type { Sso } from './sso'

/** Requests per second and burst, for each class of endpoints (extensions 8.2). */
export type Rates = Record<RateClass, { perSecond: number; burst: number }>
export type RateClass = 'R' | 'W' | 'S' | 'X'

/** What an organization may use. All of its processes, keys and people share these limits (decision 45). */
export type Plan = {
  rates: Rates
  monthlyExecutions: number | null
  /** How much gas the platform pays in a day (UTC), in whole USD. With 0, no key may be sponsored. */
  sponsoredGasUsdPerDay: number
  /** How many event streams may be open at the same time. */
  streams: { perKey: number; perOrganization: number; perPerson: number }
  /** Invitation letters in a day (UTC). */
  lettersPerDay: number
  /** The organization may hold at most this many times as many slots of a relayer as it leaves free. More than 0. */
  relayerShare: number
}

/** A custom plan. What it does not say is as in the free plan. */
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

/** The plans by name. A custom plan is stored with the organization. */
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

/** What one person may have across all organizations. Otherwise more organizations would mean more of everything. */
export const perPerson = { organizations: 20, lettersPerDay: 100 } as const
/** How many invitations one address may get in a day: from one organization, and from all together. */
export const lettersPerRecipient = { ofOrganization: 5, ofAll: 20 } as const

export type Organization = {
  id: string
  version: number
  name: string
  slug: string
  /** Part of every account's salt, so it never changes (decision 3). */
  salt: Hex
  plan: keyof typeof plans | 'custom'
  customPlan: CustomPlan | null
  /** Its own limits for routes where they differ from the platform's; null for none. */
  policy?: Partial<Policy> | null
  /** Proves that a share below the platform's was set by somebody who was authenticated. */
  policySeal?: string | null
  /** Null or absent while its hosted deposit page is switched off. */
  depositPage?: DepositPage | null
  /** How a change of a recipient is held back; null or absent where it counts at once. */
  recipientHold?: HoldSetting | null
  /** Whether its members must have a second step. Absent means no. */
  demandsSecondStep?: boolean
  /** How its members sign in by its own provider; null or absent where they do not. */
  sso?: Sso | null
  /** The organization that is made at installation. Its operators see every organization (decision 20). */
  isPlatform: boolean
  createdAt: number
}

export const planOf = ({ plan, customPlan }: Pick<Organization, 'plan' | 'customPlan'>): Plan =>
  plan === 'custom' ? { ...plans.free, ...customPlan } : (plans[plan] ?? plans.free)

export const maySponsorGas = (organization: Pick<Organization, 'plan' | 'customPlan'>): boolean =>
  planOf(organization).sponsoredGasUsdPerDay > 0
