import type { BlacklistEntry } from '../domain/blacklist-entry'
import type { Page } from './page'
import type { Records } from './records'

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
  /** Returns every entry, including removed ones, written at or after a time. 0 returns all. */
  changedSince(time: number): Promise<BlacklistEntry[]>
  /** Returns the entries that were not removed, newest first. */
  list(filter: BlacklistFilter, page: Page): Promise<BlacklistEntry[]>
}

type BlacklistFilter = {
  kind?: BlacklistEntry['kind'] | undefined
  chainId?: number | undefined
  /** An address in any case. */
  address?: string | undefined
}
