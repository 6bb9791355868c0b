// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// The cheat codes in use, which need no forge-std.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function addr(uint256) external pure returns (address);
    function sign(uint256, bytes32) external pure returns (uint8, bytes32, bytes32);
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function prank(address) external;
    function startPrank(address) external;
    function stopPrank() external;
    function expectRevert() external;
    function expectRevert(bytes4) external;
    function expectRevert(bytes calldata) external;
    function expectPartialRevert(bytes4) external;
    function expectEmit(bool, bool, bool, bool, address) external;
    function warp(uint256) external;
    function setNonce(address, uint64) external;
    function chainId(uint256) external;
    function assume(bool) external pure;
    function getBlockTimestamp() external view returns (uint256);
    function deployCode(string calldata, bytes calldata) external returns (address);
    function getCode(string calldata) external view returns (bytes memory);
    function toString(uint256) external pure returns (string memory);
    function toString(address) external pure returns (string memory);
    function toString(bytes32) external pure returns (string memory);
    function toString(bytes calldata) external pure returns (string memory);
    function eip712HashTypedData(string calldata) external pure returns (bytes32);
}
