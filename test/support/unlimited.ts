import { defaultPolicy } from '../../src/domain/execution/route'
import type { Limits } from '../../src/ports/limits'

/** A plan without limits. */
export const unlimited: Limits = {
  policyOf: async () => defaultPolicy,
  hasQuota: async () => 'YES',
  relayerShareOf: async () => 1_000,
  maySponsorGas: async () => true,
  mayGiveBack: async () => true,
  dustFloorUsd: 0n,
}

/** An execution that may use every slot of a relayer key. */
export const anyone = { executionId: '8453:0x1:0', bucket: 0, since: 0, organizationId: 'org_1', share: 1_000 }
