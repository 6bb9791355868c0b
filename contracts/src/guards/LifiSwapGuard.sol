// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IRouteGuard} from "./IRouteGuard.sol";

/// For LI.FI's swapTokensGeneric and the V3 selectors of the same arguments:
/// (bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut,
/// SwapData[] swaps) with SwapData (callTo, approveTo, sendingAssetId, receivingAssetId, fromAmount, callData,
/// requiresDeposit).
/// Token out and minimum are measured by the executor after the call.
contract LifiSwapGuard is IRouteGuard {
    function check(bytes calldata data, address token, uint256 amount, address recipient, uint256 toChainId)
        external
        view
        returns (bool)
    {
        if (toChainId != block.chainid) return false;
        bytes calldata args = data[4:];
        if (_word(args, 96) != uint160(recipient)) return false;
        bytes calldata swaps = args[_word(args, 160):];
        uint256 count = _word(swaps, 0);
        swaps = swaps[32:];
        for (uint256 i; i < count; ++i) {
            bytes calldata swap = swaps[_word(swaps, i * 32):];
            if (i == 0) {
                if (_word(swap, 64) != uint160(token) || _word(swap, 128) != amount) return false;
            } else if (_word(swap, 192) != 0) {
                return false; // only the first swap may take from the account
            }
        }
        return count != 0;
    }

    function _word(bytes calldata data, uint256 start) private pure returns (uint256) {
        return uint256(bytes32(data[start:start + 32]));
    }
}
