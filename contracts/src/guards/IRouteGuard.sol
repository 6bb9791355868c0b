// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";

/// Reads the calldata of a selector.
interface IRouteGuard {
    /// Whether they do what the signed intent states, with `amount` of `token` of `account` and `nativeFee` of the
    /// relayer's coin in addition. A guard may also revert, which refuses as well.
    function check(
        bytes calldata data,
        address account,
        address token,
        uint256 amount,
        uint256 nativeFee,
        Intent calldata intent
    ) external view returns (bool);
}
