// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {received, takes, word} from "./Calldata.sol";
import {IRouteGuard} from "./IRouteGuard.sol";

/// For the six selectors of LI.FI's GenericSwapFacetV3: (bytes32 transactionId, string integrator, string referrer,
/// address receiver, uint256 minAmountOut, SwapData or SwapData[]). LI.FI chooses the exchanges. Token out and minimum
/// are read here and measured by the executor after the call. A token is never swapped for itself: a payment pays it
/// whole.
contract LifiSwapGuard is IRouteGuard {
    /// @inheritdoc IRouteGuard
    function check(
        bytes calldata data,
        address,
        address token,
        uint256 amount,
        uint256 nativeFee,
        Intent calldata intent
    ) external view returns (bool) {
        bytes calldata args = data[4:];
        if (nativeFee != 0 || intent.toChainId != block.chainid || intent.tokenOut == token) return false;
        if (word(args, 96) != uint160(intent.recipient) || word(args, 128) < intent.minOut) return false;
        bytes calldata swap = args[word(args, 160):];
        bytes4 selector = bytes4(data[0:4]);
        if (_isSingle(selector)) {
            return
                word(swap, 64) == uint160(token) && word(swap, 128) == amount
                    && word(swap, 96) == uint160(intent.tokenOut);
        }
        return _isMultiple(selector) && takes(swap, token, amount, false) && received(swap) == uint160(intent.tokenOut);
    }

    /// swapTokensSingleV3… ERC20ToERC20, ERC20ToNative, NativeToERC20
    function _isSingle(bytes4 selector) private pure returns (bool) {
        return selector == 0x4666fc80 || selector == 0x733214a3 || selector == 0xaf7060fd;
    }

    /// swapTokensMultipleV3… ERC20ToERC20, ERC20ToNative, NativeToERC20
    function _isMultiple(bytes4 selector) private pure returns (bool) {
        return selector == 0x5fd9ae2e || selector == 0x2c57e884 || selector == 0x736eac0b;
    }
}
