import type { Account } from '../domain/chain/account'
import type { Address } from '../domain/chain/hex'
import type { DepositIntent } from '../domain/deposit/deposit-intent'
import type { AskedChange, HeldChange } from '../domain/deposit/held-change'
import type { ApiKey } from '../domain/tenant/api-key'
import type { AuditEntry } from '../domain/tenant/audit'
import type { Organization } from '../domain/tenant/organization'
import type { Page, TenantScope } from './page'
import type { Records } from './records'

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
  /**
   * Returns the keys whose expiry warning falls in [from, to), in no particular order. They belong to one organization,
   * or to any with null.
   */
  expiringBetween(tenant: TenantScope, from: number, to: number): Promise<ApiKey[]>
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
   * Returns accounts with a user id in which this text begins a word, whatever the case, those that begin
   * with it first. See `userIdParts`.
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
  /**
   * Returns versions stored in [from, to), ordered by id: current ones, or replaced ones if `isReplaced`. To get both,
   * read the current ones first. A version replaced between the calls then appears twice instead of never.
   */
  storedBetween(asked: IntentsAsked, page: { limit: number; after: string }): Promise<StoredIntent[]>
  /** Returns the ids of the versions of every organization stored in [from, to), in no particular order. */
  marksBetween(from: number, to: number): Promise<IntentMark[]>
  /** Returns the versions with these ids, each with its predecessor. */
  versionsOf(marks: readonly Pick<IntentMark, 'id' | 'version'>[]): Promise<Omit<StoredIntent, 'key'>[]>
}

export type IntentMark = { id: Address; version: number; organizationId: string; at: number }

export type IntentsAsked = {
  organizationId: string | null
  userId?: string | undefined
  from: number
  to: number
  isReplaced: boolean
}
/** A version with its predecessor, if that was kept. `key` is its position in the order of the result. */
export type StoredIntent = { key: string; intent: DepositIntent; previous: DepositIntent | null }

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
   * Returns the changes requested in [from, to), by one organization or, with null, by any. Each is returned as
   * requested, regardless of later changes, in no particular order.
   */
  askedBetween(tenant: TenantScope, from: number, to: number): Promise<AskedChange[]>
}
