// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Returns which of these accounts hold something. Accounts are swept to zero, so "not zero" is the deposit signal. The
/// result does not name the block: call it at a block hash and take the number from the node.
contract BalanceLens {
    /// The most gas that the read of one balance may use.
    uint256 public constant READ_GAS = 200_000;

    error GasTooLow();

    /// @param token address(0) is the native coin
    /// @param accounts 20 bytes each
    /// @return hits 36 bytes for each balance above `threshold`: uint32 index, uint256 balance
    /// @return failures 4 bytes for each balance that could not be read: uint32 index
    function nonZero(address token, bytes calldata accounts, uint256 threshold)
        external
        view
        returns (bytes memory hits, bytes memory failures)
    {
        uint256 count = accounts.length / 20;
        hits = new bytes(count * 36);
        failures = new bytes(count * 4 + 32);
        uint256 hitBytes;
        uint256 failureBytes;
        for (uint256 i; i < count; ++i) {
            // With less gas than a read may use, a failure would look like a fault of the token.
            if (gasleft() < READ_GAS + READ_GAS / 32) revert GasTooLow();
            (bool ok, uint256 held) = _read(token, address(bytes20(accounts[i * 20:i * 20 + 20])));
            if (!ok) {
                assembly ("memory-safe") {
                    mstore(add(add(failures, 0x20), failureBytes), shl(224, i))
                }
                failureBytes += 4;
            } else if (held > threshold) {
                assembly ("memory-safe") {
                    let at := add(add(hits, 0x20), hitBytes)
                    mstore(at, shl(224, i))
                    mstore(add(at, 4), held)
                }
                hitBytes += 36;
            }
        }
        assembly ("memory-safe") {
            mstore(hits, hitBytes)
            mstore(failures, failureBytes)
        }
    }

    function _read(address token, address account) private view returns (bool ok, uint256 held) {
        if (token == address(0)) return (true, account.balance);
        assembly ("memory-safe") {
            mstore(0x00, 0x70a0823100000000000000000000000000000000000000000000000000000000)
            mstore(0x04, account)
            ok := staticcall(READ_GAS, token, 0x00, 0x24, 0x00, 0x20)
            ok := and(ok, gt(returndatasize(), 0x1f))
            held := mload(0x00)
        }
    }
}
