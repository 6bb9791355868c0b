// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Reads the calldata of one selector: does it do what the signed intent says, with this token and amount?
interface IRouteGuard {
    function check(bytes calldata data, address token, uint256 amount, address recipient, uint256 toChainId)
        external
        view
        returns (bool);
}
