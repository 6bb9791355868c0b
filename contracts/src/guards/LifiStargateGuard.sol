// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {endpointId, stargateToken} from "./Assets.sol";
import {isEmpty, word} from "./Calldata.sol";
import {LifiBridgeGuard} from "./LifiBridgeGuard.sol";

/// StargateFacetV2. StargateData: assetId, sendParams, fee (nativeFee, lzTokenFee), refundAddress, with sendParams:
/// dstEid, to, amountLD, minAmountLD, extraOptions, composeMsg, oftCmd. An asset has the same decimals on all our
/// chains, so the minimum in the source's decimals is the minimum.
contract LifiStargateGuard is LifiBridgeGuard {
    function _selectors() internal pure override returns (bytes4, bytes4) {
        return (0x14d53077, 0xa6010a66); // startBridgeTokensViaStargate, swapAndStartBridgeTokensViaStargate
    }

    function _delivers(bytes calldata facet, Bridged memory bridged, Intent calldata intent)
        internal
        view
        override
        returns (bool)
    {
        uint256 assetId = word(facet, 0);
        (bool known, address sent) = stargateToken(assetId, block.chainid);
        if (!known || sent != bridged.token) return false;
        (known, sent) = stargateToken(assetId, intent.toChainId);
        if (!known || sent != intent.tokenOut) return false;
        if (
            word(facet, 64) != bridged.nativeFee || word(facet, 96) != 0 || word(facet, 128) != uint160(bridged.account)
        ) return false;
        bytes calldata send = facet[word(facet, 32):];
        return word(send, 0) == endpointId(intent.toChainId) && word(send, 32) == uint160(intent.recipient)
            && word(send, 96) >= intent.minOut && isEmpty(send, 128) && isEmpty(send, 160)
            && word(send[word(send, 192):], 0) <= 1; // no command: immediate; one byte: by the bus
    }
}
