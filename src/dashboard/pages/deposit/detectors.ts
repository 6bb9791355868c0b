import type { DepositRow } from '../../data/types'

const names: Record<string, string> = {
  WEBHOOK: 'a webhook',
  SCANNER: 'our scanner',
  SWEEP: 'a check of the balance',
}

/** Names what found a deposit, first to last. */
export const detectorsOf = ({ detectedBy }: Pick<DepositRow, 'detectedBy'>): string =>
  detectedBy.map((detector) => names[detector] ?? detector.toLowerCase()).join(', ')
