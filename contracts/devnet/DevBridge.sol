// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {
    AcrossV4Data,
    BridgeData,
    FeeDistribution,
    IFeeForwarder,
    PolymerCCTPData,
    StargateData,
    SwapData
} from "./DiamondCalldata.sol";
import {DevPool} from "./DevPool.sol";

/// The devnet's stand-in for LI.FI's Diamond: three of its bridge facets, its generic swaps and its FeeForwarder, with
/// their selectors, checks and events. Behind all of them is one pool, and a solver that pays out on the other side.
contract DevBridge is DevPool {
    event LiFiTransferStarted(BridgeData bridgeData);
    event LiFiGenericSwapCompleted(
        bytes32 indexed transactionId,
        string integrator,
        string referrer,
        address receiver,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount
    );

    error InformationMismatch();
    error InvalidCallData();
    error InvalidReceiver();
    error InvalidAssetId(uint16 assetId);
    error NoSwapDataProvided();
    error ContractCallNotAllowed();

    // ---------------------------------------------------------------- loupe

    /// EIP-2535: the facet that has a function of the Diamond, or zero.
    function facetAddress(bytes4 selector) external view returns (address) {
        bool isHere = selector == this.startBridgeTokensViaAcrossV4.selector
            || selector == this.swapAndStartBridgeTokensViaAcrossV4.selector
            || selector == this.startBridgeTokensViaStargate.selector
            || selector == this.swapAndStartBridgeTokensViaStargate.selector
            || selector == this.startBridgeTokensViaPolymerCCTP.selector
            || selector == this.swapAndStartBridgeTokensViaPolymerCCTP.selector
            || selector == this.swapTokensSingleV3ERC20ToERC20.selector
            || selector == this.swapTokensMultipleV3ERC20ToERC20.selector
            || selector == this.swapTokensMultipleV3ERC20ToNative.selector
            || selector == this.swapTokensMultipleV3NativeToERC20.selector;
        return isHere ? address(this) : address(0);
    }

    // ---------------------------------------------------------------- Across

    function startBridgeTokensViaAcrossV4(BridgeData calldata bridge, AcrossV4Data calldata across) external payable {
        _collect(bridge.sendingAssetId, bridge.minAmount, 0);
        _viaAcross(bridge, across, bridge.minAmount, across.outputAmount, false);
    }

    function swapAndStartBridgeTokensViaAcrossV4(
        BridgeData calldata bridge,
        SwapData[] calldata swaps,
        AcrossV4Data calldata across
    ) external payable {
        uint256 amount = _depositAndSwap(bridge, swaps, 0);
        _viaAcross(bridge, across, amount, amount * across.outputAmountMultiplier / 1e18, true);
    }

    function _viaAcross(
        BridgeData calldata bridge,
        AcrossV4Data calldata across,
        uint256 amount,
        uint256 output,
        bool swapped
    ) private {
        if (across.message.length > 0 || bridge.hasDestinationCall) revert InformationMismatch();
        if (across.receiverAddress != _word(bridge.receiver)) revert InvalidReceiver();
        if (across.refundAddress == 0) revert InvalidCallData();
        if (block.timestamp > across.fillDeadline) revert QuoteExpired();
        _start(bridge, address(uint160(uint256(across.receivingAssetId))), amount, output, swapped);
    }

    // ---------------------------------------------------------------- Stargate

    function startBridgeTokensViaStargate(BridgeData calldata bridge, StargateData calldata stargate) external payable {
        _collect(bridge.sendingAssetId, bridge.minAmount, stargate.fee.nativeFee);
        _viaStargate(bridge, stargate, bridge.minAmount, false);
    }

    function swapAndStartBridgeTokensViaStargate(
        BridgeData calldata bridge,
        SwapData[] calldata swaps,
        StargateData calldata stargate
    ) external payable {
        uint256 amount = _depositAndSwap(bridge, swaps, stargate.fee.nativeFee);
        _viaStargate(bridge, stargate, amount, true);
    }

    function _viaStargate(BridgeData calldata bridge, StargateData calldata stargate, uint256 amount, bool swapped)
        private
    {
        if (stargate.sendParams.composeMsg.length > 0 || bridge.hasDestinationCall) revert InformationMismatch();
        if (stargate.sendParams.to != _word(bridge.receiver)) revert InformationMismatch();
        uint256 chainId = chainOfEndpoint[stargate.sendParams.dstEid];
        if (chainId != bridge.destinationChainId) revert InvalidCallData();
        bool native = stargate.assetId == 13;
        if (!native && stargate.assetId != 1) revert InvalidAssetId(stargate.assetId);
        if (bridge.sendingAssetId != (native ? address(0) : usdcOf[block.chainid])) {
            revert InvalidAssetId(stargate.assetId);
        }
        // Its messages have six decimals. The refund address gets the remainder and the unused part of the message fee.
        uint256 dust = native ? amount % 1e12 : 0;
        amount -= dust;
        if (amount < stargate.sendParams.minAmountLD) {
            revert CumulativeSlippageTooHigh(stargate.sendParams.minAmountLD, amount);
        }
        uint256 back = dust + stargate.fee.nativeFee / 100;
        if (back > 0) _pay(address(0), stargate.refundAddress, back);
        _start(bridge, native ? address(0) : usdcOf[chainId], amount, amount, swapped);
    }

    // ---------------------------------------------------------------- Polymer CCTP

    function startBridgeTokensViaPolymerCCTP(BridgeData calldata bridge, PolymerCCTPData calldata polymer) external {
        _collect(bridge.sendingAssetId, bridge.minAmount, 0);
        _viaPolymer(bridge, polymer, bridge.minAmount, false);
    }

    function swapAndStartBridgeTokensViaPolymerCCTP(
        BridgeData calldata bridge,
        SwapData[] calldata swaps,
        PolymerCCTPData calldata polymer
    ) external payable {
        _viaPolymer(bridge, polymer, _depositAndSwap(bridge, swaps, 0), true);
    }

    function _viaPolymer(BridgeData calldata bridge, PolymerCCTPData calldata polymer, uint256 amount, bool swapped)
        private
    {
        if (polymer.hookData.length > 0 || bridge.hasDestinationCall) revert InvalidCallData();
        if (bridge.sendingAssetId != usdcOf[block.chainid]) revert InvalidAssetId(0);
        uint256 output = amount - polymer.polymerTokenFee - polymer.maxCCTPFee;
        _start(bridge, usdcOf[bridge.destinationChainId], amount, output, swapped);
    }

    // ---------------------------------------------------------------- swaps

    function swapTokensSingleV3ERC20ToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData calldata swap
    ) external {
        _collect(swap.sendingAssetId, swap.fromAmount, 0);
        uint256 paid = _exchange(swap, receiver, minAmountOut);
        emit LiFiGenericSwapCompleted(
            transactionId,
            integrator,
            referrer,
            receiver,
            swap.sendingAssetId,
            swap.receivingAssetId,
            swap.fromAmount,
            paid
        );
    }

    function swapTokensMultipleV3ERC20ToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swaps
    ) external {
        _multiple(transactionId, integrator, referrer, receiver, minAmountOut, swaps);
    }

    function swapTokensMultipleV3ERC20ToNative(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swaps
    ) external {
        _multiple(transactionId, integrator, referrer, receiver, minAmountOut, swaps);
    }

    function swapTokensMultipleV3NativeToERC20(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swaps
    ) external payable {
        _multiple(transactionId, integrator, referrer, receiver, minAmountOut, swaps);
    }

    function _multiple(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swaps
    ) private {
        uint256 last = swaps.length - 1;
        address from = swaps[0].sendingAssetId;
        uint256 left = _takeFees(from, _deposit(swaps), swaps, last);
        if (left < swaps[last].fromAmount) revert CumulativeSlippageTooHigh(swaps[last].fromAmount, left);
        uint256 paid = _exchange(swaps[last], receiver, minAmountOut);
        address into = swaps[last].receivingAssetId;
        emit LiFiGenericSwapCompleted(
            transactionId, integrator, referrer, receiver, from, into, swaps[0].fromAmount, paid
        );
    }

    /// Pays the amount that follows the selector in the swap's call data.
    function _exchange(SwapData calldata swap, address receiver, uint256 minAmountOut) private returns (uint256 paid) {
        if (receiver == address(0)) revert InvalidReceiver();
        paid = abi.decode(swap.callData[4:], (uint256));
        if (paid < minAmountOut) revert CumulativeSlippageTooHigh(minAmountOut, paid);
        _pay(swap.receivingAssetId, receiver, paid);
    }

    // ---------------------------------------------------------------- shared

    function _start(BridgeData calldata bridge, address output, uint256 amount, uint256 outputAmount, bool swapped)
        private
    {
        if (bridge.hasSourceSwaps != swapped) revert InformationMismatch();
        if (bridge.receiver == address(0)) revert InvalidReceiver();
        _lock(
            Lock({
                transactionId: bridge.transactionId,
                tool: bridge.bridge,
                depositor: msg.sender,
                receiver: bridge.receiver,
                inputToken: bridge.sendingAssetId,
                inputAmount: amount,
                toChainId: bridge.destinationChainId,
                outputToken: output,
                outputAmount: outputAmount
            })
        );
        emit LiFiTransferStarted(bridge);
    }

    function _depositAndSwap(BridgeData calldata bridge, SwapData[] calldata swaps, uint256 nativeFee)
        private
        returns (uint256 amount)
    {
        if (swaps.length == 0) revert NoSwapDataProvided();
        uint256 taken = _deposit(swaps);
        if (bridge.sendingAssetId == address(0)) taken = msg.value - nativeFee;
        else _keepCoin(nativeFee);
        amount = _takeFees(bridge.sendingAssetId, taken, swaps, swaps.length);
        if (amount < bridge.minAmount) revert CumulativeSlippageTooHigh(bridge.minAmount, amount);
    }

    function _deposit(SwapData[] calldata swaps) private returns (uint256 taken) {
        for (uint256 i; i < swaps.length; ++i) {
            if (!swaps[i].requiresDeposit) continue;
            address token = swaps[i].sendingAssetId;
            if (token != address(0)) _pull(token, swaps[i].fromAmount);
            taken += swaps[i].fromAmount;
        }
    }

    /// Pays LI.FI's fees and returns the rest. Only the FeeForwarder, which is this contract too, may be called.
    function _takeFees(address token, uint256 amount, SwapData[] calldata swaps, uint256 count)
        private
        returns (uint256)
    {
        for (uint256 i; i < count; ++i) {
            SwapData calldata swap = swaps[i];
            if (swap.callTo != address(this) || swap.sendingAssetId != token) revert ContractCallNotAllowed();
            FeeDistribution[] memory fees;
            if (token == address(0)) {
                if (bytes4(swap.callData) != IFeeForwarder.forwardNativeFees.selector) revert ContractCallNotAllowed();
                fees = abi.decode(swap.callData[4:], (FeeDistribution[]));
            } else {
                if (bytes4(swap.callData) != IFeeForwarder.forwardERC20Fees.selector) revert ContractCallNotAllowed();
                (, fees) = abi.decode(swap.callData[4:], (address, FeeDistribution[]));
            }
            for (uint256 j; j < fees.length; ++j) {
                amount -= fees[j].amount;
                _pay(token, fees[j].recipient, fees[j].amount);
            }
        }
        return amount;
    }

    function _word(address who) private pure returns (bytes32) {
        return bytes32(uint256(uint160(who)));
    }
}
