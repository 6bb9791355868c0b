import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/** Target of one user's deposits. Each account has one intent, and `id` is the account's address. */
export type DepositIntent = {
  id: Address
  version: number
  organizationId: string
  userId: string
  apiKeyId: string
  targetChainId: ChainId
  targetTokenAddress: Address
  targetAddress: Address
  /** Copied from the API key at creation. Later changes of the key do not affect it. */
  protocolFeeBps: number
  sponsoredGas: boolean
  /**
   * Refund address that an operator may use for unroutable money; null unless the integrator named one (decision 36).
   */
  refundAddress: Address | null
  createdAt: number
  updatedAt: number
  /**
   * Seal over this version without its times, made by the process that authenticated the integrator. Absent in intents
   * that are older than seals.
   */
  seal?: string | null
  /**
   * Author of this version; absent in older ones. The seal does not cover it, just as it does not cover the audit log.
   */
  changedBy?: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string } | null
}

/**
 * Whether two versions of an intent differ in their seals only. An operator replaces seals, which happens to no user.
 */
export const isSealedAgain = (before: DepositIntent, after: DepositIntent): boolean =>
  (Object.keys({ ...before, ...after }) as (keyof DepositIntent)[])
    .filter((name) => !['version', 'seal', 'changedBy'].includes(name))
    .every((name) => before[name] === after[name])

/** Highest address reserved for precompiled contracts. Such an address has no key, so money sent there is lost. */
const reservedMax = 0xffffn
export const isReservedAddress = (address: Address): boolean => BigInt(address) <= reservedMax

/** Fields that an execution does not copy. It has its own owner fields, and times and author affect no decision. */
type Dropped = 'id' | 'organizationId' | 'userId' | 'createdAt' | 'updatedAt' | 'changedBy'

/**
 * An execution's copy of its intent. A field that is added to intents later is copied and sealed without further
 * changes. The copy is never replaced, so a later change of the intent affects later deposits only.
 */
export type IntentSnapshot = Omit<DepositIntent, Dropped | 'refundAddress'> & {
  /** Absent in older records. */
  refundAddress?: Address | null
  /** Sealed values of the fields in which this execution departs from its intent, for example in a refund. */
  sealedAs?: Partial<Departing>
}
/** Fields in which an execution may depart from its intent. The refund address and the owner are never among them. */
export const departable = ['targetChainId', 'targetTokenAddress', 'targetAddress', 'protocolFeeBps'] as const
type Departing = Pick<DepositIntent, (typeof departable)[number]>

export function snapshotOf(intent: DepositIntent): IntentSnapshot {
  const { id: _, organizationId: __, userId: ___, createdAt: ____, ...rest } = intent
  const { updatedAt: _____, changedBy: ______, ...snapshot } = rest
  return snapshot
}

/** Changes fields of the snapshot and keeps the integrator's own values in `sealedAs`. */
export function withDepartures(snapshot: IntentSnapshot, changes: Partial<Departing>): IntentSnapshot {
  const names = Object.keys(changes) as (keyof Departing)[]
  const changed = names.filter((name) => snapshot[name] !== changes[name])
  if (changed.length === 0) return snapshot
  const sealedAs = { ...Object.fromEntries(changed.map((name) => [name, snapshot[name]])), ...snapshot.sealedAs }
  return { ...snapshot, ...changes, sealedAs }
}

/** Returns the snapshot as the integrator set it. */
export const withoutDepartures = ({ sealedAs, ...snapshot }: IntentSnapshot): IntentSnapshot => ({
  ...snapshot,
  ...sealedAs,
})
