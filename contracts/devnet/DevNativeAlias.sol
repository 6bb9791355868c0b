// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Polygon's 0x…1010: the native coin with the interface of a token. A transfer moves native coin and emits a log.
contract DevNativeAlias {
    string public constant name = "Polygon Ecosystem Token";
    string public constant symbol = "POL";
    uint8 public constant decimals = 18;

    event Transfer(address indexed from, address indexed to, uint256 value);

    error NotSent();

    function balanceOf(address account) external view returns (uint256) {
        return account.balance;
    }

    function transfer(address to, uint256 value) external payable returns (bool) {
        if (msg.value != value) return false;
        (bool success,) = to.call{value: value}("");
        if (!success) revert NotSent();
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
