/**
 * How far calldata may go, for all readers. `contracts/src/guards/Limits.sol` says the same on chain;
 * `test/signer/limits.test.ts` compares the two.
 */
export const limits = {
  /** What fees may take of an amount before it is bridged, in basis points. LI.FI takes 25. */
  feeBpsMax: 100,
  /** How long an Across deposit may wait to be filled, in seconds. Across itself allows six hours. */
  fillWindowMax: 86_400,
  /** How long one relayer may be the only one who may fill it, in seconds. */
  exclusivityMax: 900,
  /** How long an order with Relay and its refunds may stay open, in seconds. Relay says seven days. */
  relayWindowMax: 864_000,
  /** How many refunds an order with Relay may name. */
  relayRefundsMax: 4,
} as const
