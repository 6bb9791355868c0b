/** The fields of a statement that count something, and add up over its rows. */
export const statementCounts = [
  'deposits',
  'deliveries',
  'unpricedDeliveries',
  'refunds',
  'unpricedRefunds',
  'charges',
  'unpricedCharges',
] as const
