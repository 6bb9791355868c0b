// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// A plain ERC-20, the base of the unusual ones.
contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) internal virtual {
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

/// USDT-like: no return values, and approve from non-zero to non-zero reverts.
contract TetherLike {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external {
        require(value == 0 || allowance[msg.sender][spender] == 0, "approve");
        allowance[msg.sender][spender] = value;
    }

    function transfer(address to, uint256 value) external {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    function transferFrom(address from, address to, uint256 value) external {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
    }
}

contract FalseToken is Token {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }
}

contract FeeToken is Token {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, address(0xdead), value / 100);
        super._move(from, to, value - value / 100);
    }
}

/// Takes its fee from the sender, on top.
contract OnTopToken is Token {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, address(0xdead), value / 100);
        super._move(from, to, value);
    }
}

contract BlockToken is Token {
    mapping(address => bool) public blocked;

    function setBlocked(address who) external {
        blocked[who] = true;
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!blocked[from] && !blocked[to], "blocked");
        super._move(from, to, value);
    }
}

/// Calls a configured address whenever it moves.
contract HookToken is Token {
    address public hook;
    bytes public data;
    bool public called;
    bool public succeeded;

    function setHook(address hook_, bytes calldata data_) external {
        (hook, data) = (hook_, data_);
    }

    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value);
        (succeeded,) = hook.call(data);
        called = true;
    }
}

/// Its allowance cannot be revoked.
contract StickyToken is Token {
    function approve(address spender, uint256 value) external override returns (bool) {
        if (value != 0) allowance[msg.sender][spender] = value;
        return true;
    }
}

/// Returns a hundred thousand bytes from every transfer and approval.
contract BombToken is Token {
    function approve(address spender, uint256 value) external override returns (bool) {
        allowance[msg.sender][spender] = value;
        assembly {
            return(0, 100000)
        }
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        _move(msg.sender, to, value);
        assembly {
            return(0, 100000)
        }
    }
}

/// Balances are shares times a rate, rounded down.
contract ShareToken {
    uint256 private constant RATE_UP = 11;
    uint256 private constant RATE_DOWN = 10;
    mapping(address => uint256) public shares;

    function mint(address to, uint256 value) external {
        shares[to] += value;
    }

    function balanceOf(address who) external view returns (uint256) {
        return shares[who] * RATE_UP / RATE_DOWN;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 moved = value * RATE_DOWN / RATE_UP;
        shares[msg.sender] -= moved;
        shares[to] += moved;
        return true;
    }
}

/// Polygon's 0x..1010 in form: the native balance as a token, without approvals.
contract NativeMirror {
    function balanceOf(address who) external view returns (uint256) {
        return who.balance;
    }

    function transfer(address to, uint256 value) external payable returns (bool) {
        if (msg.value != value) return false;
        (bool ok,) = to.call{value: value}("");
        return ok;
    }

    function approve(address, uint256) external pure {
        revert("disabled");
    }

    function allowance(address, address) external pure returns (uint256) {
        revert("disabled");
    }
}

/// For the lens: fails, returns too little, or burns all its gas, for chosen accounts.
contract UnreadableToken {
    function balanceOf(address who) external pure returns (uint256) {
        uint256 mood = uint160(who) % 4;
        if (mood == 1) revert("no");
        if (mood == 2) {
            assembly {
                return(0, 31)
            }
        }
        if (mood == 3) {
            while (true) mood = uint256(keccak256(abi.encode(mood)));
        }
        return uint160(who);
    }
}

/// Uses much gas, but less than the lens allows.
contract SlowToken {
    function balanceOf(address who) external pure returns (uint256 held) {
        for (uint256 i; i < 500; ++i) {
            held = uint256(keccak256(abi.encode(held)));
        }
        return uint160(who);
    }
}

/// The part of ERC-721 that leaves an account.
contract Collectible {
    mapping(uint256 => address) public ownerOf;

    function mint(address to, uint256 id) external {
        ownerOf[id] = to;
    }

    function safeTransferFrom(address from, address to, uint256 id) external {
        require(ownerOf[id] == from && msg.sender == from, "owner");
        ownerOf[id] = to;
    }
}

/// The part of ERC-1155 that leaves an account.
contract Collectibles {
    mapping(address => mapping(uint256 => uint256)) public balanceOf;

    function mint(address to, uint256 id, uint256 amount) external {
        balanceOf[to][id] += amount;
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes calldata) external {
        require(msg.sender == from, "owner");
        balanceOf[from][id] -= amount;
        balanceOf[to][id] += amount;
    }
}
