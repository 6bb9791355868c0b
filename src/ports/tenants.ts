import type { Address } from '../domain/chain/hex'
import type { Account } from '../domain/chain/modular-account'
import type { DepositIntent } from '../domain/deposit/deposit-intent'
import type { ApiKey } from '../domain/tenant/api-key'
import type { AuditVerb } from '../domain/tenant/audit-verb'
import type { Organization } from '../domain/tenant/organization'
import type { Page } from './page'
import type { Records } from './records'

export interface Organizations extends Records<Organization> {
  /** Oldest first. */
  all(): Promise<Organization[]>
  /** Newest first, then by id. */
  list(page: Page): Promise<Organization[]>
}

/** Records by key id. */
export interface ApiKeys extends Records<ApiKey> {
  findByDigest(digest: string): Promise<ApiKey | null>
  ofOrganization(organizationId: string): Promise<ApiKey[]>
  /** Noted now and then, not at every request. Never changes `version`. */
  markUsed(id: string, at: number): Promise<void>
}

/** Records by address. */
export interface Accounts extends Records<Account> {
  findByUser(organizationId: string, userId: string): Promise<Account | null>
  /** Those whose user's id is this or begins with it, in the order of these ids. `organizationId` null: everybody's. */
  beginningWith(tenant: { organizationId: string | null }, userId: string, limit: number): Promise<Account[]>
  /** Those whose intent, of now or before, names an address as the one to be paid, or to be paid back. In no order. */
  paying(tenant: { organizationId: string | null }, address: Address, limit: number): Promise<Account[]>
  /** Accounts made at or after a time, the oldest `limit` first: the detectors keep a map of all addresses. */
  createdSince(time: number, limit: number): Promise<Account[]>
}

/** Records by account address: there is one per user. A version is kept as it was before another one is stored. */
export type DepositIntents = Records<DepositIntent>

export interface IntentHistory {
  /** The versions of an intent that were replaced and are below `before`, the newest first. */
  replaced(id: Address, before: number, limit: number): Promise<DepositIntent[]>
}

/** Entries of the platform's security list. Read from memory: it is kept within a second of what is stored. */
export interface Blacklist {
  isListed(kind: 'TOKEN' | 'ADDRESS', chainId: number, address: string): boolean
}

export type AuditEntry = {
  id: string
  at: number
  actor: { kind: 'API_KEY' | 'MEMBER' | 'SYSTEM'; id: string; label: string }
  organizationId: string
  verb: AuditVerb
  target: string
  reason: string | null
  details: object
  requestId: string | null
}

export interface AuditLog {
  append(entry: AuditEntry): Promise<void>
}
