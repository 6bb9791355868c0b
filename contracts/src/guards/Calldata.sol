// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// The 32 bytes at `start`. Reverts if there are none.
function word(bytes calldata data, uint256 start) pure returns (uint256) {
    return uint256(bytes32(data[start:start + 32]));
}

/// Whether the bytes or the list at the offset stored at `head` are empty.
function isEmpty(bytes calldata data, uint256 head) pure returns (bool) {
    return word(data[word(data, head):], 0) == 0;
}

/// The output token of the last of LI.FI's SwapData[].
function received(bytes calldata swaps) pure returns (uint256) {
    return word(swaps[32 + word(swaps, word(swaps, 0) * 32):], 96);
}

/// LI.FI's SwapData[]: callTo, approveTo, sendingAssetId, receivingAssetId, fromAmount, callData, requiresDeposit.
/// Together they take only `amount` of `token` from the caller. With `feesOnly` nothing is exchanged: LI.FI takes its
/// fee by "swaps" from a token to itself.
function takes(bytes calldata swaps, address token, uint256 amount, bool feesOnly) pure returns (bool) {
    uint256 count = word(swaps, 0);
    swaps = swaps[32:];
    uint256 taken;
    for (uint256 i; i < count; ++i) {
        bytes calldata swap = swaps[word(swaps, i * 32):];
        bool isToken = word(swap, 64) == uint160(token);
        if (feesOnly && !(isToken && word(swap, 96) == uint160(token))) return false;
        if (word(swap, 192) == 0) continue;
        if (!isToken) return false;
        taken += word(swap, 128);
    }
    // For the native coin, the value of the call is taken, regardless of these fields.
    return count != 0 && (token == address(0) ? taken <= amount : taken == amount);
}
