// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

struct Execution {
    address target;
    uint256 value;
    bytes callData;
}

interface IModuleList {
    function isExecutor(address module) external view returns (bool);
}

interface IERC7579AccountConfig {
    function accountId() external view returns (string memory);
    function supportsExecutionMode(bytes32 mode) external view returns (bool);
    function supportsModule(uint256 moduleTypeId) external view returns (bool);
}

/// A user's deposit wallet with an ERC-7579-shaped executor interface. It has no storage, owner, initializer,
/// delegatecall or valid signature: it acts only on a call by a module that the registry lists. It can call anything
/// but answers no callback (token receipts, ERC-1271, flash loans). That is deliberate and permanent, because the code
/// is frozen.
contract ModularAccount is IERC7579AccountConfig {
    bytes32 private constant SINGLE = 0;
    bytes32 private constant BATCH = bytes32(uint256(1) << 248);
    uint256 private constant EXECUTOR_TYPE = 2;
    uint256 private constant RETURN_LIMIT = 256;

    /// The registry of the modules that may make it act.
    IModuleList public immutable registry;
    bool private transient _busy;

    error NotExecutor(address caller);
    error Reentered();
    error UnsupportedMode(bytes32 mode);
    error UnsupportedCall(bytes4 selector);
    error NoCode(address target);
    error CallFailed(uint256 index, address target, bytes reason);

    constructor() {
        registry = IModuleList(msg.sender);
    }

    receive() external payable {}

    /// Coin with a memo arrives as it did before deployment. A call without coin is a mistake and reverts.
    fallback() external payable {
        if (msg.value == 0) revert UnsupportedCall(msg.sig);
    }

    /// Call type single or batch, revert on failure. At most 256 bytes of a call's return or revert data are kept.
    function executeFromExecutor(bytes32 mode, bytes calldata data) external payable returns (bytes[] memory results) {
        if (!registry.isExecutor(msg.sender)) revert NotExecutor(msg.sender);
        if (_busy) revert Reentered();
        _busy = true;
        if (mode == SINGLE) {
            results = new bytes[](1);
            results[0] = _call(0, address(bytes20(data[0:20])), uint256(bytes32(data[20:52])), data[52:]);
        } else if (mode == BATCH) {
            Execution[] calldata batch;
            assembly ("memory-safe") {
                let head := add(data.offset, calldataload(data.offset))
                batch.offset := add(head, 0x20)
                batch.length := calldataload(head)
            }
            results = new bytes[](batch.length);
            for (uint256 i; i < batch.length; ++i) {
                results[i] = _call(i, batch[i].target, batch[i].value, batch[i].callData);
            }
        } else {
            revert UnsupportedMode(mode);
        }
        _busy = false;
    }

    function _call(uint256 index, address target, uint256 value, bytes calldata data)
        private
        returns (bytes memory ret)
    {
        if (data.length != 0 && target.code.length == 0) revert NoCode(target);
        bool ok;
        assembly ("memory-safe") {
            ret := mload(0x40)
            calldatacopy(ret, data.offset, data.length)
            ok := call(gas(), target, value, ret, data.length, 0, 0)
            let size := returndatasize()
            if gt(size, RETURN_LIMIT) { size := RETURN_LIMIT }
            mstore(ret, size)
            returndatacopy(add(ret, 0x20), 0, size)
            mstore(0x40, and(add(add(ret, 0x3f), size), not(0x1f)))
        }
        if (!ok) revert CallFailed(index, target, ret);
    }

    // ---------------------------------------------------------------- self-description

    /// Vendor, name and version, in the form of ERC-7579.
    function accountId() external pure returns (string memory) {
        return "switchyard.account.1.0.0";
    }

    /// Single and batch; a failure reverts all.
    function supportsExecutionMode(bytes32 mode) external pure returns (bool) {
        return mode == SINGLE || mode == BATCH;
    }

    /// Only modules that make it act.
    function supportsModule(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == EXECUTOR_TYPE;
    }

    /// Whether the registry lists it.
    function isModuleInstalled(uint256 moduleTypeId, address module, bytes calldata) external view returns (bool) {
        return moduleTypeId == EXECUTOR_TYPE && registry.isExecutor(module);
    }

    /// ERC-165 itself and the configuration part of ERC-7579. Execution and installation by others are not offered.
    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7 || interfaceId == type(IERC7579AccountConfig).interfaceId;
    }

    /// Never a signer: Permit2, ERC-2612 and order-book signatures in an account's name are impossible.
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0xffffffff;
    }
}
