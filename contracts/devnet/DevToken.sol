// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A devnet ERC-20. Its code is placed at the token's mainnet address, so it has no constructor and no immutables.
abstract contract DevTokenBase {
    uint8 public decimals;
    address public owner;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    /// Further minters, which can also burn, as Circle's bridge can with USDC.
    mapping(address => bool) public isMinter;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address from, uint256 balance, uint256 value);
    error InsufficientAllowance(address spender, uint256 allowance, uint256 value);
    error OnlyOwner();

    function initialize(string calldata name_, string calldata symbol_, uint8 decimals_, address owner_) external {
        if (owner != address(0)) revert OnlyOwner();
        (decimals, owner) = (decimals_, owner_);
        _call(name_, symbol_);
    }

    function _call(string calldata name_, string calldata symbol_) internal virtual;

    function setMinter(address minter) external {
        if (msg.sender != owner) revert OnlyOwner();
        isMinter[minter] = true;
    }

    function mint(address to, uint256 value) external {
        if (msg.sender != owner && !isMinter[msg.sender]) revert OnlyOwner();
        _assureMoves(address(0), to);
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    /// Burns from the minter's own balance.
    function burn(uint256 value) external {
        if (!isMinter[msg.sender]) revert OnlyOwner();
        _assureMoves(msg.sender, address(0));
        balanceOf[msg.sender] -= value;
        totalSupply -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    /// Tokens override it to refuse minting to or burning from an address.
    function _assureMoves(address from, address to) internal view virtual {}

    function approve(address spender, uint256 value) external virtual returns (bool) {
        _approve(spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        _spend(from, value);
        _move(from, to, value);
        return true;
    }

    function _approve(address spender, uint256 value) internal {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }

    function _spend(address from, uint256 value) internal {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed == type(uint256).max) return;
        if (allowed < value) revert InsufficientAllowance(msg.sender, allowed, value);
        allowance[from][msg.sender] = allowed - value;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        uint256 held = balanceOf[from];
        if (held < value) revert InsufficientBalance(from, held, value);
        unchecked {
            balanceOf[from] = held - value;
            balanceOf[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

contract DevToken is DevTokenBase {
    string public name;
    string public symbol;

    function _call(string calldata name_, string calldata symbol_) internal override {
        (name, symbol) = (name_, symbol_);
    }
}

/// Its name and symbol are bytes32, as in the oldest tokens.
contract Bytes32Token is DevTokenBase {
    bytes32 public name;
    bytes32 public symbol;

    function _call(string calldata name_, string calldata symbol_) internal override {
        (name, symbol) = (bytes32(bytes(name_)), bytes32(bytes(symbol_)));
    }
}
