import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { tokenOf } from '../../devnet/chains/tokens'
import { accountAddressOf, accountSaltOf, implementationAddressOf } from '../../domain/chain/account'
import { type ChainId, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { type Seals, sealedForSaving } from '../../domain/seals'
import { findOrganization } from '../installation/find-organization'
import { recipientOf } from './demo-deposits'

type Store = Pick<MongoStore, 'organizations' | 'apiKeys' | 'accounts' | 'intents'>
type Target = Pick<DepositIntent, 'targetChainId' | 'targetTokenAddress' | 'targetAddress'>

export const quotaOrganization = 'sandbox-quota'
const quotaUser = 'sandbox-user'

export const targetOf = (userId: string, targetChainId: ChainId): Target => ({
  targetChainId,
  targetTokenAddress: tokenOf(targetChainId, 'USDC')!.address,
  targetAddress: recipientOf(userId),
})

/**
 * Stores an intent for a user of the organization without a quota, as if it were older than the end of the quota. The
 * API refuses intents for new users once the quota is used up.
 */
export async function seedIntent(
  store: Store,
  seals: Seals,
  userId: string,
  account: Address,
  target: Target,
  now: number,
) {
  const organization = await findOrganization(store, quotaOrganization)
  const keys = await store.apiKeys.ofOrganization(organization.id)
  const key = keys.find(({ role, revokedAt }) => role === 'CLIENT' && revokedAt === null)!
  const { protocolFeeBps, sponsoredGas, id: apiKeyId } = key
  const owner = { organizationId: organization.id, userId, apiKeyId }
  const terms = { protocolFeeBps, sponsoredGas, refundAddress: null, createdAt: now, updatedAt: now }
  await store.intents.save(sealedForSaving(seals, { id: account, version: 0, ...owner, ...target, ...terms }))
}

/** Creates the user of the organization without quota, whose deposits end in QUOTA_EXCEEDED. */
export async function seedQuotaUser(store: Store, seals: Seals, registry: Address, now: number): Promise<void> {
  const organization = await findOrganization(store, quotaOrganization)
  const accountSalt = accountSaltOf(organization.salt, quotaUser)
  const id = accountAddressOf({ registry, implementation: implementationAddressOf(registry), accountSalt })
  const owner = { organizationId: organization.id, userId: quotaUser, label: null }
  const chainAndTimes = { canonicalChainId: chains.arbitrum.id, createdAt: now, updatedAt: now }
  await store.accounts.save({ id, version: 0, accountSalt, ...owner, ...chainAndTimes })
  await seedIntent(store, seals, quotaUser, id, targetOf(quotaUser, chains.arbitrum.id), now)
}
