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

export const blacklistId = (kind: BlacklistEntry['kind'], chainId: number | null, address: string): string =>
  `${kind}:${chainId ?? 'all'}:${address}`.toLowerCase()
