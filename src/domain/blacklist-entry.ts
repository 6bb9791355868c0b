export const listings = ['SANCTIONED', 'SCAM', 'MALICIOUS', 'ALLOWED'] as const

export type Listing = (typeof listings)[number]

type Imported = { listedAs: Listing; reason: string }

/** Entry of the platform's security list. Entries are never deleted: one with `removedAt` no longer counts. */
export type BlacklistEntry = {
  /** `kind:chain:address` in lower case. The chain is `all` if the entry covers every chain. */
  id: string
  version: number
  kind: 'TOKEN' | 'ADDRESS'
  chainId: number | null
  address: string
  /** `ALLOWED` overrides imported entries. */
  listedAs: Listing
  source: 'OPERATOR' | 'IMPORT'
  /** Imported lists that contain the address. They count again when an operator's decision ends. */
  lists?: string[]
  /** Content of those lists, while an operator's decision overrides it. Absent in entries of earlier releases. */
  imported?: Imported
  reason: string
  expiresAt: number | null
  createdAt: number
  updatedAt: number
  removedAt: number | null
}

export const blacklistId = (kind: BlacklistEntry['kind'], chainId: number | null, address: string): string =>
  `${kind}:${chainId ?? 'all'}:${address}`.toLowerCase()

const unknownContent: Imported = { listedAs: 'SANCTIONED', reason: 'On an imported list' }

/** Returns an entry without an operator's decision, as the imported lists state it. Null if none contains it. */
export function withoutDecision({ imported, ...entry }: BlacklistEntry): BlacklistEntry | null {
  if (entry.source === 'IMPORT' || !entry.lists?.length) return null
  return { ...entry, ...(imported ?? unknownContent), source: 'IMPORT', expiresAt: null, removedAt: null }
}

/** Returns an entry as it counts at a time. Null if it was removed, or if it has expired and no list contains it. */
export function entryAt(entry: BlacklistEntry, at: number): BlacklistEntry | null {
  if (entry.removedAt !== null) return null
  return entry.expiresAt === null || entry.expiresAt > at ? entry : withoutDecision(entry)
}

/** Returns the part of an entry that a new decision of an operator keeps. */
export function listsOf({ source, lists, listedAs, reason, imported }: BlacklistEntry) {
  const content = source === 'IMPORT' ? { listedAs, reason } : imported
  return lists ? { lists, ...(content && { imported: content }) } : {}
}
