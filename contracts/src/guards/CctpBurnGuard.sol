// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {cctpDomain, usdc} from "./Assets.sol";
import {word} from "./Calldata.sol";
import {IRouteGuard} from "./IRouteGuard.sol";

/// For Circle's TokenMessengerV2: depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient,
/// address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold). USDC is burned here and
/// minted there to the recipient, less Circle's fee, which the minimum bounds. Every word is compared whole and nothing
/// may follow, so a burn has exactly one encoding. Anyone may mint it, and nothing is called there: the function with a
/// hook is a different one.
contract CctpBurnGuard is IRouteGuard {
    uint256 private constant SIZE = 228; // the selector and seven words
    // Circle attests a burn soon, or once it is final.
    uint256 private constant FAST = 1000;
    uint256 private constant STANDARD = 2000;

    /// @inheritdoc IRouteGuard
    function check(
        bytes calldata data,
        address,
        address token,
        uint256 amount,
        uint256 nativeFee,
        Intent calldata intent
    ) external view returns (bool) {
        if (data.length != SIZE || bytes4(data[0:4]) != 0x8e0250ee || nativeFee != 0) return false;
        return _burns(data[4:], token, amount) && _mints(data[4:], amount, intent);
    }

    function _burns(bytes calldata args, address token, uint256 amount) private view returns (bool) {
        if (token == address(0) || token != usdc(block.chainid)) return false;
        return word(args, 0) == amount && word(args, 96) == uint160(token);
    }

    function _mints(bytes calldata args, uint256 amount, Intent calldata intent) private view returns (bool) {
        address minted = usdc(intent.toChainId);
        if (intent.toChainId == block.chainid || minted == address(0) || intent.tokenOut != minted) return false;
        if (word(args, 32) != cctpDomain(intent.toChainId) || word(args, 64) != uint160(intent.recipient)) return false;
        if (word(args, 128) != 0 || intent.minOut > amount || word(args, 160) > amount - intent.minOut) return false;
        return word(args, 192) == FAST || word(args, 192) == STANDARD;
    }
}
