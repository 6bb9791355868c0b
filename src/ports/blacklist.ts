import type { BlacklistEntry } from '../domain/blacklist-entry'
import type { Page } from './page'
import type { Records } from './records'

/** An imported list, by its name; the record's version is the list's. */
export type BlacklistList = {
  id: string
  version: number
  /** SHA-256 of what was read. */
  digest: string
  format: string
  entries: number
  updatedAt: number
}

export interface BlacklistEntries extends Records<BlacklistEntry> {
  /** Every entry, removed ones too, that was written at or after a time. 0: all. */
  changedSince(time: number): Promise<BlacklistEntry[]>
  /** Those that were not removed, newest first. */
  list(filter: BlacklistFilter, page: Page): Promise<BlacklistEntry[]>
}

type BlacklistFilter = {
  kind?: BlacklistEntry['kind'] | undefined
  chainId?: number | undefined
  /** In any case. */
  address?: string | undefined
}
