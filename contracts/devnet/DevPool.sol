// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Locks money on one chain. The solver, which is trusted, pays it from the pool of the other chain, once per lock.
abstract contract DevPool {
    using SafeERC20 for IERC20;

    struct Lock {
        bytes32 transactionId;
        string tool;
        address depositor;
        address receiver;
        address inputToken;
        uint256 inputAmount;
        uint256 toChainId;
        address outputToken;
        uint256 outputAmount;
    }

    struct Chain {
        uint256 chainId;
        uint32 endpointId;
        address usdc;
    }

    enum State {
        None,
        Locked,
        Refunded
    }

    address public solver;
    mapping(bytes32 lockId => State) public lockState;
    mapping(bytes32 lockId => bool) public filled;
    mapping(uint256 endpointId => uint256 chainId) public chainOfEndpoint;
    mapping(uint256 chainId => address) public usdcOf;

    event Locked(bytes32 indexed lockId, uint256 indexed toChainId, Lock lock);
    event Filled(
        bytes32 indexed lockId, uint256 indexed fromChainId, address indexed receiver, address token, uint256 amount
    );
    event Refunded(bytes32 indexed lockId, address indexed depositor, address token, uint256 amount);

    error OnlySolver();
    error InvalidAmount();
    error CannotBridgeToSameNetwork();
    error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount);
    error QuoteExpired();
    error WrongState();
    error NativeTransferFailed();

    receive() external payable {}

    function initialize(address solver_, Chain[] calldata chains) external {
        if (solver != address(0)) revert OnlySolver();
        solver = solver_;
        for (uint256 i; i < chains.length; ++i) {
            chainOfEndpoint[chains[i].endpointId] = chains[i].chainId;
            usdcOf[chains[i].chainId] = chains[i].usdc;
        }
    }

    /// Pays on the destination chain. LI.FI reports PARTIAL if the token differs from the promised one.
    function fill(uint256 fromChainId, Lock calldata lock, address token, uint256 amount) external {
        if (msg.sender != solver) revert OnlySolver();
        bytes32 lockId = idOf(fromChainId, lock);
        if (filled[lockId] || lock.toChainId != block.chainid) revert WrongState();
        filled[lockId] = true;
        _pay(token, lock.receiver, amount);
        emit Filled(lockId, fromChainId, lock.receiver, token, amount);
    }

    /// Refunds the sending account on the source chain.
    function refund(Lock calldata lock) external {
        if (msg.sender != solver) revert OnlySolver();
        bytes32 lockId = idOf(block.chainid, lock);
        if (lockState[lockId] != State.Locked) revert WrongState();
        lockState[lockId] = State.Refunded;
        _pay(lock.inputToken, lock.depositor, lock.inputAmount);
        emit Refunded(lockId, lock.depositor, lock.inputToken, lock.inputAmount);
    }

    function idOf(uint256 fromChainId, Lock memory lock) public pure returns (bytes32) {
        return keccak256(abi.encode(fromChainId, lock));
    }

    function _lock(Lock memory lock) internal virtual {
        if (lock.inputAmount == 0) revert InvalidAmount();
        if (lock.toChainId == block.chainid) revert CannotBridgeToSameNetwork();
        bytes32 lockId = idOf(block.chainid, lock);
        if (lockState[lockId] != State.None) revert WrongState();
        lockState[lockId] = State.Locked;
        emit Locked(lockId, lock.toChainId, lock);
    }

    /// Takes the amount and returns surplus native coin to the caller, as the Diamond's refundExcessNative does.
    function _collect(address token, uint256 amount, uint256 nativeFee) internal {
        if (token != address(0)) _pull(token, amount);
        _keepCoin(token == address(0) ? amount + nativeFee : nativeFee);
    }

    function _keepCoin(uint256 amount) internal {
        if (msg.value < amount) revert InvalidAmount();
        if (msg.value > amount) _pay(address(0), msg.sender, msg.value - amount);
    }

    function _pull(address token, uint256 amount) internal {
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = IERC20(token).balanceOf(address(this)) - before;
        if (received < amount) revert CumulativeSlippageTooHigh(amount, received);
    }

    function _pay(address token, address to, uint256 amount) internal {
        if (token != address(0)) {
            IERC20(token).safeTransfer(to, amount);
            return;
        }
        (bool ok,) = to.call{value: amount}("");
        if (!ok) revert NativeTransferFailed();
    }
}
