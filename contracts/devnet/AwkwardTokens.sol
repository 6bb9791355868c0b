// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {DevToken} from "./DevToken.sol";

/// Tether on Ethereum: returns no value, and refuses to change an allowance from non-zero to non-zero.
contract TetherLikeToken is DevToken {
    error AllowanceNotZero();

    function approve(address spender, uint256 value) external override returns (bool) {
        if (value != 0 && allowance[msg.sender][spender] != 0) revert AllowanceNotZero();
        _approve(spender, value);
        _answerNothing();
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        _move(msg.sender, to, value);
        _answerNothing();
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        _spend(from, value);
        _move(from, to, value);
        _answerNothing();
    }

    function _answerNothing() private pure {
        assembly ("memory-safe") {
            return(0, 0)
        }
    }
}

/// Keeps 1 % of every transfer.
contract FeeOnTransferToken is DevToken {
    function _move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super._move(from, to, value - fee);
        if (fee != 0) super._move(from, address(0xdead), fee);
    }
}

/// Returns false instead of reverting: `transferFrom` never moves anything.
contract FalseReturningToken is DevToken {
    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// Emits Transfer without moving anything.
contract GhostToken is DevToken {
    function _move(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }
}

/// Passes every simulation and reverts when it is mined, as honeypots do: simulations carry no gas price.
contract RevertingToken is DevToken {
    error NotForSale();

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        if (tx.gasprice != 0) revert NotForSale();
        _spend(from, value);
        _move(from, to, value);
        return true;
    }
}

/// Refuses transfers as Circle's FiatToken does. A blocked address cannot send, receive, mint or burn. A paused token
/// refuses everything.
contract BlocklistToken is DevToken {
    mapping(address => bool) public isBlacklisted;
    bool public paused;

    error Blocked(address account);

    function setBlocked(address account, bool isBlocked) external {
        if (msg.sender != owner) revert OnlyOwner();
        isBlacklisted[account] = isBlocked;
    }

    function setPaused(bool paused_) external {
        if (msg.sender != owner) revert OnlyOwner();
        paused = paused_;
    }

    function _assureMoves(address from, address to) internal view override {
        require(!paused, "Pausable: paused");
        if (isBlacklisted[from]) revert Blocked(from);
        if (isBlacklisted[to]) revert Blocked(to);
    }

    function _move(address from, address to, uint256 value) internal override {
        _assureMoves(from, to);
        super._move(from, to, value);
    }
}

/// Its owner changes balances without an event, as a rebase does.
contract RebasingToken is DevToken {
    function rebase(address account, uint256 balance) external {
        if (msg.sender != owner) revert OnlyOwner();
        balanceOf[account] = balance;
    }
}

/// Its owner can pause all transfers.
contract PausableToken is DevToken {
    bool public paused;

    error EnforcedPause();

    function setPaused(bool isPaused) external {
        if (msg.sender != owner) revert OnlyOwner();
        paused = isPaused;
    }

    function _move(address from, address to, uint256 value) internal override {
        if (paused) revert EnforcedPause();
        super._move(from, to, value);
    }
}

/// Calls a configured hook during every transfer, as ERC-777 tokens do.
contract ReentrantToken is DevToken {
    address public hook;
    bytes public hookData;
    uint256 public refused;
    bool private entered;

    function setHook(address hook_, bytes calldata data) external {
        if (msg.sender != owner) revert OnlyOwner();
        (hook, hookData) = (hook_, data);
    }

    function _move(address from, address to, uint256 value) internal override {
        if (hook != address(0) && !entered) {
            entered = true;
            (bool ok,) = hook.call(hookData);
            if (!ok) ++refused;
            entered = false;
        }
        super._move(from, to, value);
    }
}
