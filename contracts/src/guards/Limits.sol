// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

// How far calldata may go, for all guards. `src/signer/function-rule.ts` says the same; `test/signer/limits.test.ts`
// compares the two.

// What fees may take of an amount before it is bridged, in basis points. LI.FI takes 25.
uint256 constant FEE_BPS_MAX = 100;
// How long an Across deposit may wait to be filled, in seconds. Across itself allows six hours.
uint256 constant FILL_WINDOW_MAX = 86_400;
// How long one relayer may be the only one who may fill it, in seconds.
uint256 constant EXCLUSIVITY_MAX = 900;
// How long an order with Relay and its refunds may stay open, in seconds. Relay says seven days.
uint256 constant RELAY_WINDOW_MAX = 864_000;
// How many refunds an order with Relay may name.
uint256 constant RELAY_REFUNDS_MAX = 4;
