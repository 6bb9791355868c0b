// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {assetOf, wrappedNative} from "./Assets.sol";
import {isEmpty, word} from "./Calldata.sol";
import {LifiBridgeGuard} from "./LifiBridgeGuard.sol";
import {EXCLUSIVITY_MAX, FILL_WINDOW_MAX} from "./Limits.sol";

/// AcrossFacetV4. AcrossV4Data: receiverAddress, refundAddress, sendingAssetId, receivingAssetId, outputAmount,
/// outputAmountMultiplier, exclusiveRelayer, quoteTimestamp, fillDeadline, exclusivityParameter, message.
contract LifiAcrossGuard is LifiBridgeGuard {
    function _selectors() internal pure override returns (bytes4, bytes4) {
        return (0xa1f1ce43, 0x1794958f); // startBridgeTokensViaAcrossV4, swapAndStartBridgeTokensViaAcrossV4
    }

    function _delivers(bytes calldata facet, Bridged memory bridged, Intent calldata intent)
        internal
        view
        override
        returns (bool)
    {
        if (bridged.nativeFee != 0) return false;
        if (word(facet, 0) != uint160(intent.recipient) || word(facet, 32) != uint160(bridged.account)) {
            return false;
        }
        if (bridged.token != address(0) && word(facet, 64) != uint160(bridged.token)) return false;
        // For the wrapped coin, wallets receive the coin itself, which does not deliver the wrapped token.
        address wrapped = wrappedNative(intent.toChainId);
        address output = intent.tokenOut == address(0) ? wrapped : intent.tokenOut;
        if (output == address(0) || intent.tokenOut == wrapped || word(facet, 96) != uint160(output)) return false;
        uint256 out = bridged.afterFee ? bridged.amount * word(facet, 160) / 1e18 : word(facet, 128);
        if (out < intent.minOut || !isEmpty(facet, 320)) return false;
        // The filler gets the bridged amount. No filler accepts less than the output, and a refund returns at most that
        // amount.
        if (bridged.amount < intent.minOut && _isSameAsset(bridged.token, intent)) return false;
        return _isFillable(word(facet, 256), word(facet, 288));
    }

    function _isSameAsset(address token, Intent calldata intent) private view returns (bool) {
        uint256 asset = assetOf(block.chainid, token);
        return asset != 0 && asset == assetOf(intent.toChainId, intent.tokenOut);
    }

    /// The SpokePool reads an exclusivity of at most a year as an offset, and a larger one as a timestamp.
    function _isFillable(uint256 deadline, uint256 exclusivity) private view returns (bool) {
        uint256 free = exclusivity > 365 days ? exclusivity : block.timestamp + exclusivity;
        return free <= block.timestamp + EXCLUSIVITY_MAX && deadline > free && deadline > block.timestamp
            && deadline <= block.timestamp + FILL_WINDOW_MAX;
    }
}
