// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {usdc} from "./Assets.sol";
import {isEmpty, word} from "./Calldata.sol";
import {LifiBridgeGuard} from "./LifiBridgeGuard.sol";

/// PolymerCCTPFacet: Circle's USDC, burned here and minted there to BridgeData's receiver. PolymerCCTPData:
/// polymerTokenFee, maxCCTPFee, nonEVMReceiver, solanaReceiverATA, minFinalityThreshold, refundRecipient, hookData.
contract LifiPolymerGuard is LifiBridgeGuard {
    function _selectors() internal pure override returns (bytes4, bytes4) {
        return (0xf434d6ca, 0x17917a4e); // startBridgeTokensViaPolymerCCTP, swapAndStartBridgeTokensViaPolymerCCTP
    }

    function _delivers(bytes calldata facet, Bridged memory bridged, Intent calldata intent)
        internal
        view
        override
        returns (bool)
    {
        if (bridged.nativeFee != 0) return false;
        address minted = usdc(intent.toChainId);
        if (minted == address(0) || intent.tokenOut != minted || bridged.token != usdc(block.chainid)) return false;
        uint256 refunded = word(facet, 160);
        if (refunded != uint160(bridged.account) && (refunded != 0 || bridged.afterFee)) return false;
        return bridged.amount >= intent.minOut + word(facet, 0) + word(facet, 32) && word(facet, 64) == 0
            && word(facet, 96) == 0 && isEmpty(facet, 192);
    }
}
