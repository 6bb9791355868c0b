// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// The devnet's stand-in for LI.FI's Diamond: a pool bridge and a same-chain swap, with the Diamond's calldata and events.
/// What is locked on one chain is paid out of the pool of the other by the solver, once per lock. The solver is trusted.
contract DevBridge {
    using SafeERC20 for IERC20;

    /// LI.FI's ILiFi.BridgeData, field by field.
    struct BridgeData {
        bytes32 transactionId;
        string bridge;
        string integrator;
        address referrer;
        address sendingAssetId;
        address receiver;
        uint256 minAmount;
        uint256 destinationChainId;
        bool hasSourceSwaps;
        bool hasDestinationCall;
    }

    struct DevBridgeData {
        address outputToken;
        uint256 outputAmount;
        uint256 minOutputAmount;
        uint64 fillDeadline;
    }

    /// LI.FI's LibSwap.SwapData. `callData` is abi.encode(uint256 amountOut).
    struct SwapData {
        address callTo;
        address approveTo;
        address sendingAssetId;
        address receivingAssetId;
        uint256 fromAmount;
        bytes callData;
        bool requiresDeposit;
    }

    struct Lock {
        bytes32 transactionId;
        address depositor;
        address receiver;
        address inputToken;
        uint256 inputAmount;
        uint256 toChainId;
        address outputToken;
        uint256 outputAmount;
        uint256 minOutputAmount;
        uint64 fillDeadline;
    }

    enum State {
        None,
        Locked,
        Refunded
    }

    address public solver;
    mapping(bytes32 lockId => State) public lockState;
    mapping(bytes32 lockId => bool) public filled;

    event LiFiTransferStarted(BridgeData bridgeData);
    event LiFiGenericSwapCompleted(
        bytes32 indexed transactionId,
        string integrator,
        string referrer,
        address receiver,
        address fromAssetId,
        address toAssetId,
        uint256 fromAmount,
        uint256 toAmount
    );
    event Locked(bytes32 indexed lockId, uint256 indexed toChainId, Lock lock);
    event Filled(
        bytes32 indexed lockId, uint256 indexed fromChainId, address indexed receiver, address token, uint256 amount
    );
    event Refunded(bytes32 indexed lockId, address indexed depositor, address token, uint256 amount);

    error OnlySolver();
    error InformationMismatch();
    error InvalidAmount();
    error InvalidReceiver();
    error CannotBridgeToSameNetwork();
    error CumulativeSlippageTooHigh(uint256 minAmount, uint256 receivedAmount);
    error QuoteExpired();
    error WrongState();
    error NativeTransferFailed();

    receive() external payable {}

    function initialize(address solver_) external {
        if (solver != address(0)) revert OnlySolver();
        solver = solver_;
    }

    function startBridgeTokensViaDevBridge(BridgeData calldata bridgeData, DevBridgeData calldata devBridgeData)
        external
        payable
    {
        if (bridgeData.receiver == address(0)) revert InvalidReceiver();
        if (bridgeData.minAmount == 0) revert InvalidAmount();
        if (bridgeData.destinationChainId == block.chainid) revert CannotBridgeToSameNetwork();
        if (bridgeData.hasSourceSwaps || bridgeData.hasDestinationCall) revert InformationMismatch();
        if (block.timestamp > devBridgeData.fillDeadline) revert QuoteExpired();
        _collect(bridgeData.sendingAssetId, bridgeData.minAmount);
        Lock memory lock = Lock({
            transactionId: bridgeData.transactionId,
            depositor: msg.sender,
            receiver: bridgeData.receiver,
            inputToken: bridgeData.sendingAssetId,
            inputAmount: bridgeData.minAmount,
            toChainId: bridgeData.destinationChainId,
            outputToken: devBridgeData.outputToken,
            outputAmount: devBridgeData.outputAmount,
            minOutputAmount: devBridgeData.minOutputAmount,
            fillDeadline: devBridgeData.fillDeadline
        });
        bytes32 lockId = idOf(block.chainid, lock);
        if (lockState[lockId] != State.None) revert WrongState();
        lockState[lockId] = State.Locked;
        emit Locked(lockId, lock.toChainId, lock);
        emit LiFiTransferStarted(bridgeData);
    }

    function swapTokensGeneric(
        bytes32 transactionId,
        string calldata integrator,
        string calldata referrer,
        address payable receiver,
        uint256 minAmountOut,
        SwapData[] calldata swapData
    ) external payable {
        if (receiver == address(0)) revert InvalidReceiver();
        if (swapData.length != 1) revert InformationMismatch();
        SwapData calldata swap = swapData[0];
        if (swap.fromAmount == 0) revert InvalidAmount();
        _collect(swap.sendingAssetId, swap.fromAmount);
        uint256 amountOut = abi.decode(swap.callData, (uint256));
        if (amountOut < minAmountOut) revert CumulativeSlippageTooHigh(minAmountOut, amountOut);
        _pay(swap.receivingAssetId, receiver, amountOut);
        emit LiFiGenericSwapCompleted(
            transactionId,
            integrator,
            referrer,
            receiver,
            swap.sendingAssetId,
            swap.receivingAssetId,
            swap.fromAmount,
            amountOut
        );
    }

    /// On the destination chain. Another token than the promised one is what LI.FI calls PARTIAL.
    function fill(uint256 fromChainId, Lock calldata lock, address token, uint256 amount) external {
        if (msg.sender != solver) revert OnlySolver();
        bytes32 lockId = idOf(fromChainId, lock);
        if (filled[lockId] || lock.toChainId != block.chainid) revert WrongState();
        filled[lockId] = true;
        _pay(token, lock.receiver, amount);
        emit Filled(lockId, fromChainId, lock.receiver, token, amount);
    }

    /// On the source chain: the money goes back to the account that sent it.
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

    /// Surplus native coin goes back to the caller, as the Diamond's refundExcessNative does.
    function _collect(address token, uint256 amount) private {
        if (token == address(0)) {
            if (msg.value < amount) revert InvalidAmount();
            if (msg.value > amount) _pay(address(0), msg.sender, msg.value - amount);
            return;
        }
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = IERC20(token).balanceOf(address(this)) - before;
        if (received < amount) revert CumulativeSlippageTooHigh(amount, received);
        if (msg.value != 0) _pay(address(0), msg.sender, msg.value);
    }

    function _pay(address token, address to, uint256 amount) private {
        if (token != address(0)) {
            IERC20(token).safeTransfer(to, amount);
            return;
        }
        (bool ok,) = to.call{value: amount}("");
        if (!ok) revert NativeTransferFailed();
    }
}
