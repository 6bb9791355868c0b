import type { Address } from '../../domain/chain/hex'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { isSealed, type Seals, sealedForSaving } from '../../domain/seals'
import type { Caller } from '../request/caller'
import type { NoteBug } from '../request/failure'

export type Target = Pick<DepositIntent, 'userId' | 'targetChainId' | 'targetTokenAddress' | 'targetAddress'> &
  Partial<Pick<DepositIntent, 'refundAddress'>>

type IntentRequest = { id: Address; target: Target; caller: Caller; by: Caller['actor']; at: number }
type Ports = { seals: Seals; noteBug: NoteBug }

/** Builds the next version of an intent and seals it. The caller is authenticated at this point. */
export const nextIntent = (stored: DepositIntent | null, { id, target, caller, by, at }: IntentRequest, ports: Ports) =>
  sealedForSaving(ports.seals, {
    ...newIntent(id, target, caller, at),
    ...(stored && retainedOf(stored, ports)),
    ...target,
    changedBy: by,
  })

/**
 * Returns the fields of the stored intent that a change keeps. Without a valid seal, no integrator wrote the stored
 * intent. Then only its version, its creation time and its key stay, and the incident is reported.
 */
function retainedOf(stored: DepositIntent, { seals, noteBug }: Ports): Partial<DepositIntent> {
  const { updatedAt: _, ...retained } = stored
  if (isSealed(seals, stored)) return retained
  noteBug(new Error(`The stored intent of ${stored.id} carries no seal of ours`), { requestId: '', route: 'intents' })
  return { version: stored.version, createdAt: stored.createdAt, apiKeyId: stored.apiKeyId }
}

function newIntent(id: Address, target: Target, { organization, actor, terms }: Caller, at: number): DepositIntent {
  const owner = { organizationId: organization.id, apiKeyId: actor.id }
  const times = { createdAt: at, updatedAt: at }
  return { id, version: 0, refundAddress: null, seal: null, ...owner, ...target, ...terms, ...times }
}
