export type Entry = {
  id: string
  kind: 'TOKEN' | 'ADDRESS'
  chainKey: string | null
  address: string
  listedAs: string
  source: string
  reason: string
  expiresAt: string | null
  createdAt: string
}

export const listings: Record<string, string> = {
  SANCTIONED: 'Sanctioned',
  SCAM: 'Scam',
  MALICIOUS: 'Malicious',
  ALLOWED: 'Allowed',
}

export const listingName = (listedAs: string): string => listings[listedAs] ?? listedAs
