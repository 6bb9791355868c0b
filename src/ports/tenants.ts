import type { Account } from '../domain/chain/account'
import type { Address } from '../domain/chain/hex'
import type { DepositIntent } from '../domain/deposit/deposit-intent'
import type { HeldChange, RequestedChange } from '../domain/deposit/held-change'
import type { ApiKey } from '../domain/tenant/api-key'
import type { AuditEntry } from '../domain/tenant/audit'
import type { Organization } from '../domain/tenant/organization'
import type { Page, Records } from './records'

export interface Organizations extends Records<Organization> {
  /** Returns all organizations, oldest first. */
  all(): Promise<Organization[]>
  /** Returns organizations newest first, then by id. */
  list(page: Page): Promise<Organization[]>
}

/** API keys by id. */
export interface ApiKeys extends Records<ApiKey> {
  findByDigest(digest: string): Promise<ApiKey | null>
  ofOrganization(organizationId: string): Promise<ApiKey[]>
  /** Notes the last use, occasionally and not at every request. It never changes `version`. */
  markUsed(id: string, at: number): Promise<void>
}

/** Accounts by address. */
export interface Accounts extends Records<Account> {
  findByUser(organizationId: string, userId: string): Promise<Account | null>
  /**
   * Returns the accounts whose user id begins with this text, ordered by user id. Null stands for all organizations.
   */
  beginningWith(tenant: { organizationId: string | null }, userId: string, limit: number): Promise<Account[]>
  /**
   * Returns accounts whose user id has a word that begins with this text, in any case. User ids that begin with it come
   * first. See `userIdParts`.
   */
  withPart(tenant: { organizationId: string | null }, text: string, limit: number): Promise<Account[]>
  /**
   * Returns the accounts whose current or former intent names an address as recipient or refund address, in no
   * particular order.
   */
  paying(tenant: { organizationId: string | null }, address: Address, limit: number): Promise<Account[]>
  /**
   * Returns the accounts created at or after a time, the oldest `limit` first. Detectors keep a map of all addresses.
   */
  createdSince(time: number, limit: number): Promise<Account[]>
}

/** Intents by account address, one per user. The history stores the old version before a new one replaces it. */
export type DepositIntents = Records<DepositIntent>

export interface IntentHistory {
  /** Returns the replaced versions of an intent below `before`, newest first. */
  replaced(id: Address, before: number, limit: number): Promise<DepositIntent[]>
  /** Returns the versions with these ids, each with its predecessor. */
  versionsOf(versions: readonly Pick<DepositIntent, 'id' | 'version'>[]): Promise<StoredIntent[]>
}

/** A version with its predecessor, if that was kept. */
export type StoredIntent = { intent: DepositIntent; previous: DepositIntent | null }

/** The platform's security list in memory, at most a second behind the database. */
export interface Blacklist {
  isListed(kind: 'TOKEN' | 'ADDRESS', chainId: number, address: string): boolean
}

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
}

/** Pending changes of intents, by account address. Each waits for a time or for an approval. */
export interface HeldChanges extends Records<HeldChange> {
  /** Returns the pending changes of an organization, newest first. */
  waiting(organizationId: string): Promise<HeldChange[]>
  /** Returns the changes of all organizations that are due by `now` and have not ended, oldest first. */
  due(now: number, limit: number): Promise<HeldChange[]>
  /**
   * Returns the newest changes that were requested for an account. Each is returned as requested, regardless of later
   * changes, in no particular order.
   */
  requestedOf(account: Address): Promise<RequestedChange[]>
}
