// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// The arguments of LI.FI's Diamond, field by field, so the functions have the selectors of the real ones.

struct BridgeData {
    bytes32 transactionId;
    string bridge;
    string integrator;
    address referrer;
    address sendingAssetId;
    address receiver;
    uint256 minAmount;
    uint256 destinationChainId;
    bool hasSourceSwaps;
    bool hasDestinationCall;
}

struct SwapData {
    address callTo;
    address approveTo;
    address sendingAssetId;
    address receivingAssetId;
    uint256 fromAmount;
    bytes callData;
    bool requiresDeposit;
}

struct AcrossV4Data {
    bytes32 receiverAddress;
    bytes32 refundAddress;
    bytes32 sendingAssetId;
    bytes32 receivingAssetId;
    uint256 outputAmount;
    uint128 outputAmountMultiplier;
    bytes32 exclusiveRelayer;
    uint32 quoteTimestamp;
    uint32 fillDeadline;
    uint32 exclusivityParameter;
    bytes message;
}

struct SendParam {
    uint32 dstEid;
    bytes32 to;
    uint256 amountLD;
    uint256 minAmountLD;
    bytes extraOptions;
    bytes composeMsg;
    bytes oftCmd;
}

struct MessagingFee {
    uint256 nativeFee;
    uint256 lzTokenFee;
}

struct StargateData {
    uint16 assetId;
    SendParam sendParams;
    MessagingFee fee;
    address payable refundAddress;
}

struct PolymerCCTPData {
    uint256 polymerTokenFee;
    uint256 maxCCTPFee;
    bytes32 nonEVMReceiver;
    bytes32 solanaReceiverATA;
    uint32 minFinalityThreshold;
    address refundRecipient;
    bytes hookData;
}

struct FeeDistribution {
    address recipient;
    uint256 amount;
}

/// Takes LI.FI's fee, as a "swap" before a bridge or a swap.
interface IFeeForwarder {
    function forwardERC20Fees(address token, FeeDistribution[] calldata distributions) external;
    function forwardNativeFees(FeeDistribution[] calldata distributions) external payable;
}
