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
   * Returns the keys that begin to be about to expire from one time to before another, of one organization or with null
   * of any, in no order.
   */
  expiringBetween(tenant: TenantScope, from: number, to: number): Promise<ApiKey[]>
  /** Notes the last use, now and then and not at every request. It never changes `version`. */
  markUsed(id: string, at: number): Promise<void>
}

/** Accounts by address. */
export interface Accounts extends Records<Account> {
  findByUser(organizationId: string, userId: string): Promise<Account | null>
  /**
   * Returns the accounts whose user id begins with this text, in the order of user ids. Null stands for all
   * organizations.
   */
  beginningWith(tenant: { organizationId: string | null }, userId: string, limit: number): Promise<Account[]>
  /**
   * Returns the accounts whose present or former intent names an address as recipient or refund address, in no order.
   */
  paying(tenant: { organizationId: string | null }, address: Address, limit: number): Promise<Account[]>
  /** Returns the accounts made at or after a time, the oldest `limit` first. Detectors keep a map of all addresses. */
  createdSince(time: number, limit: number): Promise<Account[]>
}

/**
 * Intents by account address; there is one per user. Before a new version is stored, the old one is kept in the
 * history.
 */
export type DepositIntents = Records<DepositIntent>

export interface IntentHistory {
  /** Returns the replaced versions of an intent below `before`, newest first. */
  replaced(id: Address, before: number, limit: number): Promise<DepositIntent[]>
  /**
   * Returns versions that were stored from one time to before another, by id: those that count, or those that were
   * replaced. Whoever wants both asks for the former first, so that none is missed that is replaced meanwhile.
   */
  storedBetween(asked: IntentsAsked, page: { limit: number; after: string }): Promise<StoredIntent[]>
  /** Names the versions of every organization that were stored from one time to before another, in no order. */
  marksBetween(from: number, to: number): Promise<IntentMark[]>
  /** Returns the versions that are named so, with the ones before them. */
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
/** A version, with the one before it where that was kept. `key` is its place in the order of the answer. */
export type StoredIntent = { key: string; intent: DepositIntent; previous: DepositIntent | null }

/** The platform's security list in memory, which is at most a second behind the database. */
export interface Blacklist {
  isListed(kind: 'TOKEN' | 'ADDRESS', chainId: number, address: string): boolean
}

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
}

/** Changes of intents that wait for a time or for somebody, by account address. */
export interface HeldChanges extends Records<HeldChange> {
  /** Those of an organization that wait, newest first. */
  waiting(organizationId: string): Promise<HeldChange[]>
  /** Those of all organizations that count by now and have not ended, the oldest first. */
  due(now: number, limit: number): Promise<HeldChange[]>
  /**
   * Returns what was asked for from one time to before another, by one organization or with null by any, as it was
   * asked for, whatever has become of it since; in no order.
   */
  askedBetween(tenant: TenantScope, from: number, to: number): Promise<AskedChange[]>
}
