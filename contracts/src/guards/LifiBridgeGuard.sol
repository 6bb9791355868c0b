// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {takes, word} from "./Calldata.sol";
import {IRouteGuard} from "./IRouteGuard.sol";
import {FEE_BPS_MAX} from "./Limits.sol";

/// The common part of LI.FI's bridge facets: startBridgeTokensVia…(BridgeData, FacetData) and
/// swapAndStartBridgeTokensVia…(BridgeData, SwapData[], FacetData). FacetData hold a second receiver, the refund
/// address and the minimum, so each facet has its own guard. BridgeData: transactionId, bridge, integrator, referrer,
/// sendingAssetId, receiver, minAmount, destinationChainId, hasSourceSwaps, hasDestinationCall.
abstract contract LifiBridgeGuard is IRouteGuard {
    struct Bridged {
        address account;
        address token;
        uint256 amount; // the least amount bridged: the Diamond reverts if fees leave less
        uint256 nativeFee;
        bool afterFee;
    }

    /// @inheritdoc IRouteGuard
    function check(
        bytes calldata data,
        address account,
        address token,
        uint256 amount,
        uint256 nativeFee,
        Intent calldata intent
    ) external view returns (bool) {
        (bytes4 start, bytes4 swapAndStart) = _selectors();
        bool afterFee = bytes4(data[0:4]) == swapAndStart;
        if (!afterFee && bytes4(data[0:4]) != start) return false;
        return _check(data[4:], Bridged(account, token, 0, nativeFee, afterFee), amount, intent);
    }

    function _check(bytes calldata args, Bridged memory bridged, uint256 amount, Intent calldata intent)
        private
        view
        returns (bool)
    {
        bytes calldata bridge = args[word(args, 0):];
        if (
            word(bridge, 128) != uint160(bridged.token) || word(bridge, 160) != uint160(intent.recipient)
                || word(bridge, 224) != intent.toChainId || word(bridge, 256) != (bridged.afterFee ? 1 : 0)
                || word(bridge, 288) != 0
        ) return false;
        bridged.amount = word(bridge, 192);
        if (!bridged.afterFee) return bridged.amount == amount && _delivers(args[word(args, 32):], bridged, intent);
        // The calls before the bridge and their recipients are not read. Together they get at most this share.
        if (bridged.amount > amount || bridged.amount * 10_000 < amount * (10_000 - FEE_BPS_MAX)) return false;
        return
            takes(args[word(args, 32):], bridged.token, amount, true)
                && _delivers(args[word(args, 64):], bridged, intent);
    }

    function _selectors() internal pure virtual returns (bytes4 start, bytes4 swapAndStart);

    /// The facet's own data: only the recipient gets the token and the minimum of the intent, refunds go to the
    /// account, nothing is called, and the native fee is the one that the facet requires.
    function _delivers(bytes calldata facet, Bridged memory bridged, Intent calldata intent)
        internal
        view
        virtual
        returns (bool);
}
