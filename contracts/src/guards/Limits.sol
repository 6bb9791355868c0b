// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

// The limits on calldata for all guards. `src/signer/function-rule.ts` states the same; `test/signer/limits.test.ts`
// compares the two.

// Largest fee before an amount is bridged, in basis points. LI.FI takes 25.
uint256 constant FEE_BPS_MAX = 100;
// Longest time an Across deposit may wait to be filled, in seconds. Across itself allows six hours.
uint256 constant FILL_WINDOW_MAX = 86_400;
// Longest exclusive right of one relayer to fill it, in seconds.
uint256 constant EXCLUSIVITY_MAX = 900;
// Longest time an order with Relay and its refunds may stay open, in seconds. Relay itself uses seven days.
uint256 constant RELAY_WINDOW_MAX = 864_000;
// Number of refunds that an order with Relay may name.
uint256 constant RELAY_REFUNDS_MAX = 4;
