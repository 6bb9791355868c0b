import type { Execution } from '../../../src/domain/execution/execution'
import { executionOf } from '../../support/deposits'
import { type ApiWorld, target, usdc } from '../world'

export const account = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
export const intent = {
  version: 1,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: usdc.arbitrum,
  targetAddress: target.targetAddress,
  protocolFeeBps: 50,
  sponsoredGas: false,
  refundAddress: null,
} as const

export type Change = Partial<Execution>
export const shown = (n: number, at: number, change: Change = {}): Execution =>
  executionOf(
    n,
    { organizationId: 'org_a', status: 'RUNNING', state: 'RUNNING', createdAt: at, facts: { intent }, ...change },
    { account, token: usdc.base, detectedAt: at },
  )

export async function fill({ store, clock }: Pick<ApiWorld, 'store' | 'clock'>, count: number, change: Change = {}) {
  for (let n = 1; n <= count; n++) await store.executions.save(shown(n, clock.now + n, change))
}
