import type { Hex } from '../chain/hex'
import type { Policy } from '../execution/route'
import type { DepositPage } from './deposit-page'
import type { HoldSetting } from './recipient-hold'
import type { Sso } from './sso'

/** Requests per second and burst, for each class of endpoints (extensions 8.2). */
export type Rates = Record<RateClass, { perSecond: number; burst: number }>
export type RateClass = 'R' | 'W' | 'S' | 'X'

/** Limits of an organization. All of its processes, keys and members share them (decision 45). */
export type Plan = {
  rates: Rates
  monthlyExecutions: number | null
  /** Gas that the platform pays in a day (UTC), in whole USD. With 0, no key may be sponsored. */
  sponsoredGasUsdPerDay: number
  /** Event streams that may be open at the same time. */
  streams: { perKey: number; perOrganization: number; perPerson: number }
  /** Invitation e-mails in a day (UTC). */
  lettersPerDay: number
  /** Most slots of a relayer that the organization may hold, as a multiple of the slots it leaves free. Above 0. */
  relayerShare: number
}

/** A custom plan. Missing values come from the free plan. */
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

/** Plans by name. A custom plan is stored with the organization. */
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

/** Limits of one person across all organizations. Without them, more organizations would mean more of everything. */
export const perPerson = { organizations: 20, lettersPerDay: 100 } as const
/** Invitations that one address may get in a day: from one organization, and from all together. */
export const emailsPerRecipient = { ofOrganization: 5, ofAll: 20 } as const

export type Organization = {
  id: string
  version: number
  name: string
  slug: string
  /** Part of every account's salt. It therefore never changes (decision 3). */
  salt: Hex
  plan: keyof typeof plans | 'custom'
  customPlan: CustomPlan | null
  /** The organization's own limits for routes. Null or missing values use the platform's. */
  policy?: Partial<Policy> | null
  /** Proves that an authenticated person set a minimum share below the platform's. */
  policySeal?: string | null
  /** Null or absent while the hosted deposit page is disabled. */
  depositPage?: DepositPage | null
  /** Waiting rule for changes of a recipient. Null or absent if changes take effect immediately. */
  recipientHold?: HoldSetting | null
  /** Whether members must have a second step. Absent means no. */
  demandsSecondStep?: boolean
  /** Single sign-on through the organization's own provider. Null or absent if there is none. */
  sso?: Sso | null
  /** The organization created at installation. Its operators see every organization (decision 20). */
  isPlatform: boolean
  createdAt: number
}

export const planOf = ({ plan, customPlan }: Pick<Organization, 'plan' | 'customPlan'>): Plan =>
  plan === 'custom' ? { ...plans.free, ...customPlan } : (plans[plan] ?? plans.free)

export const maySponsorGas = (organization: Pick<Organization, 'plan' | 'customPlan'>): boolean =>
  planOf(organization).sponsoredGasUsdPerDay > 0
