import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/** Where the deposits of one user go. There is one intent per account, and `id` is the account's address. */
export type DepositIntent = {
  id: Address
  version: number
  organizationId: string
  userId: string
  apiKeyId: string
  targetChainId: ChainId
  targetTokenAddress: Address
  targetAddress: Address
  /** Copied from the API key when the intent is created. Later changes of the key do not affect it. */
  protocolFeeBps: number
  sponsoredGas: boolean
  /**
   * The address to which an operator may send back what cannot be routed; null unless the integrator named one
   * (decision 36).
   */
  refundAddress: Address | null
  createdAt: number
  updatedAt: number
  /**
   * The seal over this version without its times, made by the process that authenticated the integrator. Absent in
   * intents that are older than seals.
   */
  seal?: string | null
  /** Who stored this version; absent in older ones. The seal does not cover it, as it does not cover the audit log. */
  changedBy?: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string } | null
}

/**
 * The highest of the addresses that are reserved for precompiled contracts. Nobody has a key to one, so money sent
 * there is lost.
 */
const nobodysMax = 0xffffn
export const isNobodys = (address: Address): boolean => BigInt(address) <= nobodysMax

/**
 * Fields that an execution does not copy. The execution has the owner itself, and the times and the author decide
 * nothing.
 */
type Dropped = 'id' | 'organizationId' | 'userId' | 'createdAt' | 'updatedAt' | 'changedBy'

/**
 * The copy of an intent that an execution keeps. A field that is added to intents later is copied and sealed without
 * further changes. The copy is never replaced, so a later change of the intent affects later deposits only.
 */
export type IntentSnapshot = Omit<DepositIntent, Dropped | 'refundAddress'> & {
  /** Absent in older records. */
  refundAddress?: Address | null
  /** The sealed values of the fields in which this execution departs from its intent, as a refund does. */
  sealedAs?: Partial<Departing>
}
/**
 * The fields in which an execution may depart from its intent. The refund address and the owner are never among them.
 */
export const departable = ['targetChainId', 'targetTokenAddress', 'targetAddress', 'protocolFeeBps'] as const
type Departing = Pick<DepositIntent, (typeof departable)[number]>

export function snapshotOf(intent: DepositIntent): IntentSnapshot {
  const { id: _, organizationId: __, userId: ___, createdAt: ____, ...rest } = intent
  const { updatedAt: _____, changedBy: ______, ...kept } = rest
  return kept
}

/** Changes fields of the snapshot and keeps the integrator's own values in `sealedAs`. */
export function departing(snapshot: IntentSnapshot, changes: Partial<Departing>): IntentSnapshot {
  const names = Object.keys(changes) as (keyof Departing)[]
  const changed = names.filter((name) => snapshot[name] !== changes[name])
  if (changed.length === 0) return snapshot
  const sealedAs = { ...Object.fromEntries(changed.map((name) => [name, snapshot[name]])), ...snapshot.sealedAs }
  return { ...snapshot, ...changes, sealedAs }
}
