import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/** Where the deposits of one user go. There is one per account; `id` is the account's address. */
export type DepositIntent = {
  id: Address
  version: number
  organizationId: string
  userId: string
  apiKeyId: string
  targetChainId: ChainId
  targetTokenAddress: Address
  targetAddress: Address
  /** Copied from the API key when the intent is created; a later change of the key does not matter. */
  protocolFeeBps: number
  sponsoredGas: boolean
  /** Where an operator may send back what cannot be routed; null unless the integrator named it (decision 36). */
  refundAddress: Address | null
  createdAt: number
  updatedAt: number
  /** Made where the integrator was let in, over all of this version but its times. None: older than seals. */
  seal?: string | null
  /** Who stored this version. Older ones do not say; it is not sealed, as the audit log is not. */
  changedBy?: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string } | null
}

/** Addresses so low hold a chain's own programs, if anything: nobody has the key to one, so money there is lost. */
const nobodysMax = 0xffffn
export const isNobodys = (address: Address): boolean => BigInt(address) <= nobodysMax

/** Whose it is stands in the execution already; its times, and who changed it, decide nothing. */
type Dropped = 'id' | 'organizationId' | 'userId' | 'createdAt' | 'updatedAt' | 'changedBy'

/**
 * What an execution keeps of it: a field that is added later is kept, and sealed, unasked. Never replaced:
 * a later change of the intent affects later deposits only.
 */
export type IntentSnapshot = Omit<DepositIntent, Dropped | 'refundAddress'> & {
  /** Older records have none. */
  refundAddress?: Address | null
  /** What the sealed intent says where this execution departs from it, as a refund does. */
  sealedAs?: Partial<Departing>
}
/** All that an execution may have otherwise than its intent: never where a refund would go, or who gave it. */
export const departable = ['targetChainId', 'targetTokenAddress', 'targetAddress', 'protocolFeeBps'] as const
type Departing = Pick<DepositIntent, (typeof departable)[number]>

export function snapshotOf(intent: DepositIntent): IntentSnapshot {
  const { id: _, organizationId: __, userId: ___, createdAt: ____, ...rest } = intent
  const { updatedAt: _____, changedBy: ______, ...kept } = rest
  return kept
}

/** The snapshot with something else than the integrator's word, which stays readable in it. */
export function departing(snapshot: IntentSnapshot, changes: Partial<Departing>): IntentSnapshot {
  const names = Object.keys(changes) as (keyof Departing)[]
  const changed = names.filter((name) => snapshot[name] !== changes[name])
  if (changed.length === 0) return snapshot
  const sealedAs = { ...Object.fromEntries(changed.map((name) => [name, snapshot[name]])), ...snapshot.sealedAs }
  return { ...snapshot, ...changes, sealedAs }
}
