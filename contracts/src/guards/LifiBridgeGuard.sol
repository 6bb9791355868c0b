// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {takes, word} from "./Calldata.sol";
import {IRouteGuard} from "./IRouteGuard.sol";

/// What LI.FI's bridge facets have in common: startBridgeTokensVia…(BridgeData, FacetData) and
/// swapAndStartBridgeTokensVia…(BridgeData, SwapData[], FacetData). FacetData hold a second receiver, the refund address
/// and the minimum, so each facet has a guard of its own. BridgeData: transactionId, bridge, integrator, referrer,
/// sendingAssetId, receiver, minAmount, destinationChainId, hasSourceSwaps, hasDestinationCall.
abstract contract LifiBridgeGuard is IRouteGuard {
    struct Bridged {
        address account;
        address token;
        uint256 amount; // at least so much is bridged: the Diamond reverts when a fee leaves less
        bool afterFee;
    }

    function check(bytes calldata data, address account, address token, uint256 amount, Intent calldata intent)
        external
        view
        returns (bool)
    {
        bytes4 selector = bytes4(data[0:4]);
        (bytes4 start, bytes4 swapAndStart) = _selectors();
        bool afterFee = selector == swapAndStart;
        if (!afterFee && selector != start) return false;
        bytes calldata args = data[4:];
        bytes calldata bridge = args[word(args, 0):];
        if (
            word(bridge, 128) != uint160(token) || word(bridge, 160) != uint160(intent.recipient)
                || word(bridge, 224) != intent.toChainId || word(bridge, 256) != (afterFee ? 1 : 0)
                || word(bridge, 288) != 0
        ) return false;
        Bridged memory bridged = Bridged(account, token, word(bridge, 192), afterFee);
        if (!afterFee) return bridged.amount == amount && _delivers(args[word(args, 32):], bridged, intent);
        return takes(args[word(args, 32):], token, amount, true) && _delivers(args[word(args, 64):], bridged, intent);
    }

    function _selectors() internal pure virtual returns (bytes4 start, bytes4 swapAndStart);

    /// The facet's own data: nobody but the recipient gets the token and the minimum of the intent, refunds are the
    /// account's, and nothing is called.
    function _delivers(bytes calldata facet, Bridged memory bridged, Intent calldata intent)
        internal
        view
        virtual
        returns (bool);
}
