// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Execution, ModularAccount} from "../../src/ModularAccount.sol";

/// A module that could be installed later: it moves anything.
contract PlainModule {
    function single(address account, address target, uint256 value, bytes calldata data) external {
        ModularAccount(payable(account)).executeFromExecutor(0, abi.encodePacked(target, value, data));
    }

    function batch(address account, Execution[] calldata calls) external {
        ModularAccount(payable(account)).executeFromExecutor(bytes32(uint256(1) << 248), abi.encode(calls));
    }

    function mode(address account, bytes32 mode_, bytes calldata data) external returns (bytes[] memory) {
        return ModularAccount(payable(account)).executeFromExecutor(mode_, data);
    }
}

contract Sender {
    receive() external payable {}

    function pay2300(address payable to) external {
        to.transfer(1 ether);
    }

    function send(address to, uint256 value, bytes calldata data) external returns (bool ok) {
        (ok,) = to.call{value: value}(data);
    }
}

contract Forcer {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}

contract Echo {
    function say(uint256 size) external pure {
        assembly {
            calldatacopy(0, calldatasize(), size)
            mstore(0, 1)
            return(0, size)
        }
    }

    function fail(uint256 size) external pure {
        assembly {
            calldatacopy(0, calldatasize(), size)
            mstore(0, 1)
            revert(0, size)
        }
    }
}
