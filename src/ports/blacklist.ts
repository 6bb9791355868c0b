import type { Page, Place } from './queries'
import type { Records } from './records'

export const listings = ['SANCTIONED', 'SCAM', 'MALICIOUS', 'ALLOWED'] as const
export type Listing = (typeof listings)[number]

/** One entry of the platform's security list. It is never deleted: `removedAt` says that it no longer counts. */
export type BlacklistEntry = {
  /** `kind:chain:address` in lower case. The chain is `all` for an entry that covers every chain. */
  id: string
  version: number
  kind: 'TOKEN' | 'ADDRESS'
  chainId: number | null
  address: string
  /** `ALLOWED` overrides what was imported. */
  listedAs: Listing
  source: 'OPERATOR' | 'IMPORT'
  /** The imported lists that name it. */
  lists?: string[]
  reason: string
  expiresAt: number | null
  createdAt: number
  updatedAt: number
  removedAt: number | null
}

/** An imported list, by its name. The record's version is the list's. */
export type BlacklistList = {
  id: string
  version: number
  /** SHA-256 of the imported file. */
  digest: string
  format: string
  entries: number
  updatedAt: number
}

export interface BlacklistEntries extends Records<BlacklistEntry> {
  /** Returns every entry, including removed ones, that was written at or after a time. 0 returns all. */
  changedSince(time: number): Promise<BlacklistEntry[]>
  /** Returns the entries that were not removed, newest first. */
  list(filter: BlacklistFilter, page: Page): Promise<BlacklistEntry[]>
}

export type BlacklistFilter = {
  kind?: BlacklistEntry['kind'] | undefined
  chainId?: number | undefined
  /** An address in any case. */
  address?: string | undefined
}

export const placeOfEntry = ({ createdAt, id }: BlacklistEntry): Place => ({ createdAt, id })

export const blacklistId = (kind: BlacklistEntry['kind'], chainId: number | null, address: string): string =>
  `${kind}:${chainId ?? 'all'}:${address}`.toLowerCase()
