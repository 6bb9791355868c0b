import type { BlacklistEntryView } from '../../../http/operator/blacklist-entry'
export type Entry = typeof BlacklistEntryView.infer

export const listings: Record<string, string> = {
  SANCTIONED: 'Sanctioned',
  SCAM: 'Scam',
  MALICIOUS: 'Malicious',
  ALLOWED: 'Allowed',
}

export const listingName = (listedAs: string): string => listings[listedAs] ?? listedAs
