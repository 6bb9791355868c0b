import type { Execution } from '../domain/execution/execution'
import type { Policy } from '../domain/execution/route'

export type Limits = {
  policyOf: (organizationId: string) => Promise<Policy>
  /** Whether the organization may have this execution this month; `SOON`: others are before it that may not come. */
  hasQuota: (execution: Execution, at: number) => Promise<'YES' | 'NO' | 'SOON'>
  /** Of a relayer key it may hold so many times as many places as it leaves free. */
  relayerShareOf: (organizationId: string) => Promise<number>
  /** Whether the plan and the day leave the platform gas of this worth to pay, which is then taken (decision 45). */
  maySponsorGas: (organizationId: string, microUsd: number | null) => Promise<boolean>
  /** Below this a deposit is not worth a quote: USD with 8 decimals. */
  dustFloorUsd: bigint
}
