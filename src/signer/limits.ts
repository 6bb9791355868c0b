/**
 * The limits on calldata for all readers. `contracts/src/guards/Limits.sol` states the same on chain, and
 * `test/signer/limits.test.ts` compares the two.
 */
export const limits = {
  /** The largest fee before an amount is bridged, in basis points. LI.FI takes 25. */
  feeBpsMax: 100,
  /** How long an Across deposit may wait to be filled, in seconds. Across itself allows six hours. */
  fillWindowMax: 86_400,
  /** How long one relayer may hold the exclusive right to fill, in seconds. */
  exclusivityMax: 900,
  /** How long an order with Relay and its refunds may stay open, in seconds. Relay itself uses seven days. */
  relayWindowMax: 864_000,
  /** How many refunds an order with Relay may name. */
  relayRefundsMax: 4,
} as const
