// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IRouteGuard} from "./IRouteGuard.sol";

/// For LI.FI facets whose first argument is BridgeData (transactionId, bridge, integrator, referrer, sendingAssetId,
/// receiver, minAmount, destinationChainId, hasSourceSwaps, hasDestinationCall). Facets with a second receiver in their
/// own data, and packed facets, need a guard of their own and must not be listed with this one.
contract LifiBridgeGuard is IRouteGuard {
    function check(bytes calldata data, address token, uint256 amount, address recipient, uint256 toChainId)
        external
        pure
        returns (bool)
    {
        uint256 start = 4 + uint256(bytes32(data[4:36]));
        bytes calldata bridge = data[start:start + 320];
        return _word(bridge, 128) == uint160(token) && _word(bridge, 160) == uint160(recipient)
            && _word(bridge, 192) == amount && _word(bridge, 224) == toChainId && _word(bridge, 256) == 0
            && _word(bridge, 288) == 0;
    }

    function _word(bytes calldata data, uint256 start) private pure returns (uint256) {
        return uint256(bytes32(data[start:start + 32]));
    }
}
