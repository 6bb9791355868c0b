export const listings = ['SANCTIONED', 'SCAM', 'MALICIOUS', 'ALLOWED'] as const

export type Listing = (typeof listings)[number]

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
  /** Imported lists that contain the address. */
  lists?: string[]
  reason: string
  expiresAt: number | null
  createdAt: number
  updatedAt: number
  removedAt: number | null
}

export const blacklistId = (kind: BlacklistEntry['kind'], chainId: number | null, address: string): string =>
  `${kind}:${chainId ?? 'all'}:${address}`.toLowerCase()
