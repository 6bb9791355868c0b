// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// The OP Stack predeploy at 0x42..0F with the published Fjord size bound and Base's scalars.
contract DevGasPriceOracle {
    uint256 public l1BaseFee;
    uint256 public blobBaseFee;
    uint256 public constant baseFeeScalar = 2269;
    uint256 public constant blobBaseFeeScalar = 1055762;
    uint256 public constant decimals = 6;
    bool public constant isEcotone = true;
    bool public constant isFjord = true;

    function setFees(uint256 l1BaseFee_, uint256 blobBaseFee_) external {
        (l1BaseFee, blobBaseFee) = (l1BaseFee_, blobBaseFee_);
    }

    function getL1Fee(bytes calldata unsignedTransaction) external view returns (uint256) {
        return _fee(unsignedTransaction.length);
    }

    function getL1FeeUpperBound(uint256 unsignedSize) external view returns (uint256) {
        return _fee(unsignedSize);
    }

    function getOperatorFee(uint256) external pure returns (uint256) {
        return 0;
    }

    function _fee(uint256 length) private view returns (uint256) {
        uint256 size = length + 68;
        size = size + size / 255 + 16;
        uint256 scaled = 836500 * size > 42585600 ? 836500 * size - 42585600 : 0;
        if (scaled < 100e6) scaled = 100e6;
        return scaled * (baseFeeScalar * 16 * l1BaseFee + blobBaseFeeScalar * blobBaseFee) / 1e12;
    }
}

/// The functions of Multicall3 that clients use.
contract DevMulticall3 {
    struct Call {
        address target;
        bytes callData;
    }

    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate(Call[] calldata calls) external payable returns (uint256 blockNumber, bytes[] memory returnData) {
        blockNumber = block.number;
        returnData = new bytes[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            bool success;
            (success, returnData[i]) = calls[i].target.call(calls[i].callData);
            require(success, "Multicall3: call failed");
        }
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || !requireSuccess, "Multicall3: call failed");
        }
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            (results[i].success, results[i].returnData) = calls[i].target.call(calls[i].callData);
            require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
        }
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function getBasefee() external view returns (uint256) {
        return block.basefee;
    }

    function getChainId() external view returns (uint256) {
        return block.chainid;
    }

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function getBlockHash(uint256 number) external view returns (bytes32) {
        return blockhash(number);
    }
}
