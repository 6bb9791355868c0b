// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {ExecutorSettings, IHolders, Settings} from "./ExecutorSettings.sol";
import {Execution} from "./ModularAccount.sol";
import {Intent, Order, orderHash} from "./Order.sol";
import {IRouteGuard} from "./guards/IRouteGuard.sol";

interface IAccountRegistry is IHolders {
    function open(bytes32 salt, bytes32 routeId) external returns (address account);
}

interface IAccount {
    // Results are not declared, so they are not decoded.
    function executeFromExecutor(bytes32 mode, bytes calldata data) external payable;
}

/// One order of a batch.
struct SignedOrder {
    Order order;
    bytes signature;
    uint256 gas; // the most gas that it may use in any case
}

/// The module that routes deposits. Two keys are needed, a relayer that sends and a signer that decides. Both are bound
/// to rules that only the holders widen, after a delay. All or nothing: a failure leaves no trace.
contract RouteExecutor is ExecutorSettings, EIP712 {
    uint8 private constant PAY = 1;
    uint8 private constant SWAP = 2;
    uint8 private constant BRIDGE = 3;
    /// How far ahead the deadline of an order may be.
    uint64 public constant MAX_LIFETIME = 1 hours;
    bytes32 private constant BATCH = bytes32(uint256(1) << 248);
    /// The gas that an order of a batch takes beyond its own: its bytes are copied, and its failure is emitted.
    uint256 private constant BATCH_GAS = 20_000;
    uint256 private constant REASON_LIMIT = 256;

    /// The relayer of the current batch.
    address private transient _relayer;

    struct Before {
        uint256 account;
        uint256 coin;
        uint256 collector;
        uint256 recipient;
    }

    event RouteExecuted(
        bytes32 indexed routeId,
        address indexed account,
        address indexed token,
        uint256 spent,
        uint256 protocolFee,
        uint256 gasFee,
        uint256 nativeFee,
        uint256 nativeReturned,
        address collector,
        Intent intent,
        address target,
        address relayer
    );
    /// An order of a batch that left no trace; at most 256 bytes of its reason are kept.
    event OrderFailed(bytes32 indexed routeId, bytes32 indexed accountSalt, bytes reason);

    error NotRelayer(address caller);
    error Paused();
    error GasTooLow(uint256 have, uint256 need);
    error Expired(uint64 deadline);
    error DeadlineTooFar(uint64 deadline);
    error BadSignature();
    error BadFees(uint256 protocolFee, uint256 gasFee);
    error BadMinimum();
    error BadNativeFee(uint256 sent, uint256 signed);
    error BadRecipient(address recipient);
    error BadCollector(address collector);
    error BadKind(uint8 kind);
    error NoRule(address target, bytes4 selector, address spender);
    error GuardRefused(address guard);
    error GuardChanged(address guard);
    error InsufficientBalance(uint256 have, uint256 need);
    error Overspent(uint256 spent, uint256 limit);
    error Underspent(uint256 spent, uint256 minimum);
    error FeeNotReceived(uint256 got, uint256 want);
    error OutputTooLow(uint256 got, uint256 want);
    error AllowanceLeft(uint256 left);

    constructor(IAccountRegistry registry_, Settings memory initial)
        ExecutorSettings(registry_, initial)
        EIP712("Switchyard", "1")
    {}

    /// @notice Deploys the account if it is missing, takes the fees, makes the payment or the call, and checks the
    /// result.
    /// @param order The signer's order; its native fee is sent along.
    /// @param signature Of a listed signer, over `hashOrder`.
    /// @return account The account that paid.
    function execute(Order calldata order, bytes calldata signature)
        external
        payable
        nonReentrant
        returns (address account)
    {
        return _execute(order, signature, msg.sender);
    }

    /// @notice Executes many orders separately. A failed order costs the others nothing, costs at most its own gas, and
    /// emits an event.
    /// @param batch The orders; the native fees of all are sent along, and those of failed ones return.
    /// @return done Which of them were executed.
    function executeBatch(SignedOrder[] calldata batch) external payable nonReentrant returns (bool[] memory done) {
        if (!isRelayer[msg.sender]) revert NotRelayer(msg.sender);
        uint256 coin;
        uint256 need;
        for (uint256 i; i < batch.length; ++i) {
            coin += batch[i].order.nativeFee;
            need += batch[i].gas + batch[i].gas / 63 + BATCH_GAS;
        }
        // Checked before the first order, so none can starve another.
        if (msg.value != coin) revert BadNativeFee(msg.value, coin);
        if (gasleft() < need) revert GasTooLow(gasleft(), need);
        done = new bool[](batch.length);
        _relayer = msg.sender;
        for (uint256 i; i < batch.length; ++i) {
            done[i] = _attempt(batch[i]);
            if (done[i]) coin -= batch[i].order.nativeFee;
        }
        _relayer = address(0);
        if (coin == 0) return done;
        (bool ok,) = msg.sender.call{value: coin}("");
        if (!ok) revert BadNativeFee(msg.value, coin);
    }

    /// @notice Executes one order of the current batch; only this contract may call it.
    /// @param order As for `execute`.
    /// @param signature As for `execute`.
    function executeOne(Order calldata order, bytes calldata signature) external payable {
        if (msg.sender != address(this) || _relayer == address(0)) revert Denied(msg.sender);
        _execute(order, signature, _relayer);
    }

    function _attempt(SignedOrder calldata each) private returns (bool ok) {
        bytes memory input = abi.encodeCall(this.executeOne, (each.order, each.signature));
        uint256 limit = each.gas;
        uint256 value = each.order.nativeFee;
        bytes memory reason;
        assembly ("memory-safe") {
            ok := call(limit, address(), value, add(input, 0x20), mload(input), 0, 0)
            if iszero(ok) {
                let size := returndatasize()
                if gt(size, REASON_LIMIT) { size := REASON_LIMIT }
                reason := mload(0x40)
                mstore(reason, size)
                returndatacopy(add(reason, 0x20), 0, size)
                mstore(0x40, and(add(add(reason, 0x3f), size), not(0x1f)))
            }
        }
        if (!ok) emit OrderFailed(each.order.routeId, each.order.accountSalt, reason);
    }

    function _execute(Order calldata order, bytes calldata signature, address relayer)
        private
        returns (address account)
    {
        if (gasleft() < order.minGas) revert GasTooLow(gasleft(), order.minGas);
        if (!isRelayer[relayer]) revert NotRelayer(relayer);
        if (paused) revert Paused();
        uint256 fee = _checkOrder(order, signature);
        _countAgainstCap(order.token, order.amountIn);
        account = IAccountRegistry(address(registry)).open(order.accountSalt, order.routeId);
        if (order.intent.recipient == account) revert BadRecipient(account);
        _checkCall(order, account, order.amountIn - fee);
        (uint256 spent, uint256 nativeReturned) = _run(order, account, fee, relayer);
        _emitExecuted(order, account, spent, nativeReturned, relayer);
    }

    /// @notice The digest that a signer signs.
    /// @param order The order.
    /// @return Its EIP-712 hash for this contract and chain.
    function hashOrder(Order calldata order) public view returns (bytes32) {
        return _hashTypedDataV4(orderHash(order));
    }

    // ---------------------------------------------------------------- before

    function _checkOrder(Order calldata order, bytes calldata signature) private view returns (uint256 fee) {
        if (block.timestamp > order.deadline) revert Expired(order.deadline);
        if (order.deadline > block.timestamp + MAX_LIFETIME) revert DeadlineTooFar(order.deadline);
        if (!isSigner[ECDSA.recoverCalldata(hashOrder(order), signature)]) revert BadSignature();

        fee = order.protocolFee + order.gasFee;
        if (order.protocolFee > order.amountIn / 10 || fee >= order.amountIn) {
            revert BadFees(order.protocolFee, order.gasFee);
        }
        if (order.minSpent <= fee || order.minSpent > order.amountIn || order.intent.minOut == 0) revert BadMinimum();
        if (msg.value != order.nativeFee || order.nativeFee > maxNativeFee) {
            revert BadNativeFee(msg.value, order.nativeFee);
        }
        if (!isCollector[order.collector] && (fee != 0 || order.collector != address(0))) {
            revert BadCollector(order.collector);
        }
        // A token, this system or the collector as the recipient is a mistake that would burn or be counted twice.
        address recipient = order.intent.recipient;
        if (
            recipient == address(0) || recipient == order.token || recipient == order.intent.tokenOut
                || recipient == address(this) || recipient == address(registry) || recipient == order.collector
        ) revert BadRecipient(recipient);
    }

    /// Checks that kind and chain agree, that fields of other kinds are empty, and that the rules admit the call.
    function _checkCall(Order calldata order, address account, uint256 amount) private view {
        bool here = order.intent.toChainId == block.chainid;
        if (order.kind == PAY) {
            bool empty = order.target == address(0) && order.spender == address(0) && order.data.length == 0;
            if (!here || !empty || order.nativeFee != 0 || order.intent.tokenOut != order.token) revert BadKind(PAY);
            return;
        }
        if (order.kind == SWAP ? !here : (order.kind != BRIDGE || here)) revert BadKind(order.kind);
        if ((order.token == address(0)) != (order.spender == address(0))) revert BadKind(order.kind);
        bytes4 selector = order.data.length < 4 ? bytes4(0) : bytes4(order.data[0:4]);
        Guard storage guard = guardOf[ruleKey(order.target, selector, order.spender)];
        address reader = guard.at;
        if (reader == address(0) || order.data.length < 4) revert NoRule(order.target, selector, order.spender);
        if (reader.codehash != guard.codeHash) revert GuardChanged(reader);
        if (!IRouteGuard(reader).check(order.data, account, order.token, amount, order.nativeFee, order.intent)) {
            revert GuardRefused(reader);
        }
    }

    // ---------------------------------------------------------------- during and after

    function _run(Order calldata order, address account, uint256 fee, address relayer)
        private
        returns (uint256 spent, uint256 nativeReturned)
    {
        Intent calldata intent = order.intent;
        Before memory had;
        had.account = _balance(order.token, account);
        if (had.account < order.amountIn) revert InsufficientBalance(had.account, order.amountIn);
        had.coin = account.balance;
        if (fee != 0) had.collector = _balance(order.token, order.collector);
        if (order.kind != BRIDGE) had.recipient = _balance(intent.tokenOut, intent.recipient);

        _send(account, _calls(order, account, fee), order.nativeFee);

        uint256 left = _balance(order.token, account);
        spent = left < had.account ? had.account - left : 0;
        if (spent > order.amountIn) revert Overspent(spent, order.amountIn);
        if (order.token == address(0) && order.nativeFee != 0 && spent < order.minSpent) {
            // Part of the extra coin was not needed: the excess over the allowed remainder is the relayer's.
            nativeReturned = order.minSpent - spent;
            if (nativeReturned > order.nativeFee) nativeReturned = order.nativeFee;
            _send(account, Execution(relayer, nativeReturned, ""));
            spent += nativeReturned;
        }
        if (spent < order.minSpent) revert Underspent(spent, order.minSpent);
        if (fee != 0) {
            uint256 got = _rise(order.token, order.collector, had.collector);
            if (got < fee) revert FeeNotReceived(got, fee);
        }
        if (order.kind != BRIDGE) {
            uint256 got = _rise(intent.tokenOut, intent.recipient, had.recipient);
            if (got < intent.minOut) revert OutputTooLow(got, intent.minOut);
        }
        if (order.token == address(0)) return (spent, nativeReturned);
        if (order.kind != PAY) _takeApprovalBack(order, account);
        nativeReturned = _returnCoin(order, account, had.coin, relayer);
    }

    function _calls(Order calldata order, address account, uint256 fee)
        private
        view
        returns (Execution[] memory calls)
    {
        bool native = order.token == address(0);
        uint256 amount = order.amountIn - fee;
        uint256 count;
        calls = new Execution[](4);
        if (fee != 0) calls[count++] = _transfer(order.token, order.collector, fee);
        if (order.kind == PAY) {
            calls[count++] = _transfer(order.token, order.intent.recipient, amount);
        } else if (native) {
            calls[count++] = Execution(order.target, amount + order.nativeFee, order.data);
        } else {
            if (IERC20(order.token).allowance(account, order.spender) != 0) {
                calls[count++] = _approve(order.token, order.spender, 0);
            }
            calls[count++] = _approve(order.token, order.spender, amount);
            calls[count++] = Execution(order.target, order.nativeFee, order.data);
        }
        assembly ("memory-safe") {
            mstore(calls, count)
        }
    }

    /// If the target took less than the approved amount, the approval is removed.
    function _takeApprovalBack(Order calldata order, address account) private {
        IERC20 token = IERC20(order.token);
        if (token.allowance(account, order.spender) == 0) return;
        _send(account, _approve(order.token, order.spender, 0));
        uint256 left = token.allowance(account, order.spender);
        if (left != 0) revert AllowanceLeft(left);
    }

    /// The coin that the target returned belongs to the relayer, up to the relayer's own coin; the rest stays the
    /// user's.
    function _returnCoin(Order calldata order, address account, uint256 coinBefore, address relayer)
        private
        returns (uint256 surplus)
    {
        uint256 coin = account.balance;
        if (order.nativeFee == 0 || coin <= coinBefore) return 0;
        surplus = coin - coinBefore < order.nativeFee ? coin - coinBefore : order.nativeFee;
        _send(account, Execution(relayer, surplus, ""));
    }

    function _send(address account, Execution memory call) private {
        Execution[] memory calls = new Execution[](1);
        calls[0] = call;
        _send(account, calls, 0);
    }

    function _send(address account, Execution[] memory calls, uint256 value) private {
        IAccount(account).executeFromExecutor{value: value}(BATCH, abi.encode(calls));
    }

    function _transfer(address token, address to, uint256 amount) private pure returns (Execution memory) {
        if (token == address(0)) return Execution(to, amount, "");
        return Execution(token, 0, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    function _approve(address token, address spender, uint256 amount) private pure returns (Execution memory) {
        return Execution(token, 0, abi.encodeCall(IERC20.approve, (spender, amount)));
    }

    function _balance(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : IERC20(token).balanceOf(who);
    }

    function _rise(address token, address who, uint256 before) private view returns (uint256) {
        uint256 present = _balance(token, who);
        return present > before ? present - before : 0;
    }

    function _emitExecuted(
        Order calldata order,
        address account,
        uint256 spent,
        uint256 nativeReturned,
        address relayer
    ) private {
        emit RouteExecuted(
            order.routeId,
            account,
            order.token,
            spent,
            order.protocolFee,
            order.gasFee,
            order.nativeFee,
            nativeReturned,
            order.collector,
            order.intent,
            order.target,
            relayer
        );
    }
}
