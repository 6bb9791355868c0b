// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Item} from "./ExecutorSettings.sol";
import {Execution} from "./ModularAccount.sol";
import {Order, orderHash} from "./Order.sol";
import {IAccountRegistry, RouteExecutor} from "./RouteExecutor.sol";

interface IVotes is IAccountRegistry {
    function replacements() external view returns (uint256);
}

interface IAnsweringAccount {
    function executeFromExecutor(bytes32 mode, bytes calldata data) external returns (bytes[] memory results);
}

/// A recovery that two holders approve: coin or tokens (kind 1), an ERC-721 token (2), ERC-1155 tokens (3).
struct Recovery {
    bytes32 accountSalt;
    uint8 kind;
    address asset; // zero for the coin
    uint256 id; // of kinds 2 and 3, otherwise zero
    uint256 amount; // of kinds 1 and 3, otherwise zero
    address to;
    bytes32 label; // distinguishes otherwise equal recoveries, and leads to the deposit
}

/// The module that returns money that no route takes. It has no settings of its own. If the RouteExecutor has no record
/// of a cap for a token, the token can be refunded immediately, by an order of a relayer and a signer of that executor.
/// It goes to the refund address that the signer finds in the intent. This works only a few times a day, because no cap
/// bounds the token's value. All other money goes to the address that two holders name, three days after their
/// approval, unless the guardian or the admin vetoes it. For the coin, and for a token with a recorded cap, the
/// guardian must have approved.
contract RecoveryExecutor is EIP712 {
    /// @notice How long a recovery waits after the second approval.
    uint64 public constant DELAY = 3 days;
    /// @notice How long an approval counts, and how long after its delay a recovery may be executed.
    uint64 public constant WINDOW = 14 days;
    /// @notice How far ahead the deadline of a refund may be.
    uint64 public constant MAX_LIFETIME = 1 hours;
    /// @notice The most refunds on one UTC day.
    uint32 public constant REFUNDS_PER_DAY = 20;
    uint8 private constant GUARDIAN = 1;
    uint8 private constant RECOVERY = 2;
    uint8 private constant TOKEN = 1;
    uint8 private constant NFT = 2;
    uint8 private constant MULTI_TOKEN = 3;
    bytes32 private constant BATCH = bytes32(uint256(1) << 248);

    /// @notice The registry of the accounts and of the role holders.
    IVotes public immutable registry;
    /// @notice The executor whose relayers and signers may refund, and whose caps decide what can be routed.
    RouteExecutor public immutable routes;
    /// @notice The UTC day of the last refund.
    uint32 public refundDay;
    /// @notice The number of refunds on `refundDay`.
    uint32 public refundsOnDay;
    /// Approvals are bound to the count of replacements: a replacement voids every pending recovery.
    mapping(bytes32 approval => mapping(uint8 role => uint64 at)) private _votes;
    mapping(bytes32 approval => uint64 at) private _readyAt;
    bool private transient _busy;

    event RecoveryApproved(bytes32 indexed id, Recovery recovery, address by);
    event RecoveryScheduled(bytes32 indexed id, uint64 readyAt);
    event RecoveryWithdrawn(bytes32 indexed id, address by);
    event RecoveryVetoed(bytes32 indexed id, address by);
    event Recovered(
        bytes32 indexed id, address indexed account, address indexed asset, Recovery recovery, address by
    );

    error Denied(address caller);
    error Reentered();
    error Routable(address token);
    error TooManyRefunds(uint32 day);
    error NotAPayment();
    error BadRecovery();
    error NotApproved(bytes32 id);
    error NotReady(bytes32 id, uint64 readyAt);
    error ApprovalExpired(bytes32 id, uint64 expiredAt);
    error GuardianMustApprove(address token);
    error Refused(address asset);

    modifier nonReentrant() {
        if (_busy) revert Reentered();
        _busy = true;
        _;
        _busy = false;
    }

    /// @param routes_ The executor that routes the routable tokens, of the same registry.
    constructor(RouteExecutor routes_) EIP712("Switchyard", "1") {
        routes = routes_;
        registry = IVotes(address(routes_.registry()));
    }

    // ---------------------------------------------------------------- refunds, by both hot keys

    /// @notice Pays a token that cannot be routed, whole and without a fee, to the recipient of an order.
    /// @param order A payment on this chain, signed for this contract.
    /// @param signature Of a signer that the RouteExecutor lists.
    /// @return account The account that paid; it is deployed if it is missing.
    function execute(Order calldata order, bytes calldata signature) external nonReentrant returns (address account) {
        if (gasleft() < order.minGas) revert RouteExecutor.GasTooLow(gasleft(), order.minGas);
        if (!routes.isRelayer(msg.sender)) revert RouteExecutor.NotRelayer(msg.sender);
        if (routes.paused()) revert RouteExecutor.Paused();
        _checkRefund(order, signature);
        _countRefund();
        account = registry.open(order.accountSalt, order.routeId);
        _checkReceiver(order.intent.recipient, account, order.token);
        uint256 spent = _pay(order, account);
        emit RouteExecutor.RouteExecuted(
            order.routeId,
            account,
            order.token,
            spent,
            0,
            0,
            0,
            0,
            order.collector,
            order.intent,
            address(0),
            msg.sender
        );
    }

    /// @notice The digest that a signer signs.
    /// @param order The order.
    /// @return Its EIP-712 hash for this contract and chain.
    function hashOrder(Order calldata order) public view returns (bytes32) {
        return _hashTypedDataV4(orderHash(order));
    }

    /// @notice The registry calls this before it makes a key a holder. The keys that refund here are those of the
    /// RouteExecutor, even while that is not a module.
    /// @param key The key.
    /// @return Whether it is a relayer or a signer.
    function isHotKey(address key) external view returns (bool) {
        return routes.isHotKey(key);
    }

    function _checkRefund(Order calldata order, bytes calldata signature) private view {
        if (block.timestamp > order.deadline) revert RouteExecutor.Expired(order.deadline);
        if (order.deadline > block.timestamp + MAX_LIFETIME) revert RouteExecutor.DeadlineTooFar(order.deadline);
        if (!routes.isSigner(ECDSA.recoverCalldata(hashOrder(order), signature))) revert RouteExecutor.BadSignature();
        bool isPayment = order.kind == 1 && order.intent.toChainId == block.chainid
            && order.intent.tokenOut == order.token && order.target == address(0) && order.spender == address(0)
            && order.nativeFee == 0 && order.data.length == 0;
        if (!isPayment) revert NotAPayment();
        if (order.protocolFee != 0 || order.gasFee != 0) {
            revert RouteExecutor.BadFees(order.protocolFee, order.gasFee);
        }
        if (order.minSpent == 0 || order.minSpent > order.amountIn || order.intent.minOut == 0) {
            revert RouteExecutor.BadMinimum();
        }
        if (!_isUnknown(order.token)) revert Routable(order.token);
    }

    /// Whether the RouteExecutor has no record of a cap. A cap that was stopped or lowered to zero is recorded, and so
    /// is the day of the last route. If the admin's delayed `setCap` removed a cap before anything was routed, no trace
    /// is left. The coin always counts as known.
    function _isUnknown(address token) private view returns (bool) {
        (uint32 day, uint112 limit,) = routes.capOf(token);
        return token != address(0) && limit == 0 && day == 0
            && routes.stoppedAt(Item.Cap, bytes32(uint256(uint160(token)))) == 0;
    }

    function _countRefund() private {
        uint32 today = uint32(block.timestamp / 1 days);
        uint32 count = refundDay == today ? refundsOnDay : 0;
        if (count == REFUNDS_PER_DAY) revert TooManyRefunds(today);
        (refundDay, refundsOnDay) = (today, count + 1);
    }

    function _pay(Order calldata order, address account) private returns (uint256 spent) {
        IERC20 token = IERC20(order.token);
        address recipient = order.intent.recipient;
        uint256 had = token.balanceOf(account);
        uint256 recipientHad = token.balanceOf(recipient);
        if (had < order.amountIn) revert RouteExecutor.InsufficientBalance(had, order.amountIn);
        _call(account, Execution(order.token, 0, abi.encodeCall(IERC20.transfer, (recipient, order.amountIn))));
        uint256 left = token.balanceOf(account);
        spent = left < had ? had - left : 0;
        if (spent > order.amountIn) revert RouteExecutor.Overspent(spent, order.amountIn);
        if (spent < order.minSpent) revert RouteExecutor.Underspent(spent, order.minSpent);
        uint256 has = token.balanceOf(recipient);
        uint256 got = has > recipientHad ? has - recipientHad : 0;
        if (got < order.intent.minOut) revert RouteExecutor.OutputTooLow(got, order.intent.minOut);
    }

    // ---------------------------------------------------------------- recoveries, by two holders

    /// @notice Approves a recovery. It is scheduled once two holders have approved the same within 14 days.
    /// @param recovery The asset, the amount and the receiver.
    /// @return id Its id.
    function approve(Recovery calldata recovery) external returns (bytes32 id) {
        _check(recovery);
        uint8 by = _roleOf(msg.sender);
        bytes32 approval;
        (id, approval) = _approvalOf(recovery);
        mapping(uint8 role => uint64 at) storage votes = _votes[approval];
        votes[by] = uint64(block.timestamp);
        emit RecoveryApproved(id, recovery, msg.sender);
        uint64 readyAt_ = _readyAt[approval];
        if (readyAt_ != 0 && block.timestamp <= readyAt_ + WINDOW) return id; // the third holder
        uint256 count;
        for (uint8 role; role <= RECOVERY; ++role) {
            if (votes[role] != 0 && block.timestamp <= votes[role] + WINDOW) ++count;
            else delete votes[role];
        }
        if (count < 2) return id;
        readyAt_ = uint64(block.timestamp) + DELAY;
        _readyAt[approval] = readyAt_;
        emit RecoveryScheduled(id, readyAt_);
    }

    /// @notice Withdraws the caller's own approval, and with it a schedule that depends on it.
    /// @param recovery The approved recovery.
    function withdraw(Recovery calldata recovery) external {
        uint8 by = _roleOf(msg.sender);
        (bytes32 id, bytes32 approval) = _approvalOf(recovery);
        mapping(uint8 role => uint64 at) storage votes = _votes[approval];
        if (votes[by] == 0) revert NotApproved(id);
        delete votes[by];
        uint256 count;
        for (uint8 role; role <= RECOVERY; ++role) {
            if (votes[role] != 0) ++count;
        }
        if (count < 2) delete _readyAt[approval];
        emit RecoveryWithdrawn(id, msg.sender);
    }

    /// @notice Ends a scheduled recovery immediately, by the guardian or the admin.
    /// @param recovery The approved recovery.
    function veto(Recovery calldata recovery) external {
        if (_roleOf(msg.sender) == RECOVERY) revert Denied(msg.sender);
        (bytes32 id, bytes32 approval) = _approvalOf(recovery);
        if (_readyAt[approval] == 0) revert NotApproved(id);
        delete _readyAt[approval];
        for (uint8 role; role <= RECOVERY; ++role) {
            delete _votes[approval][role];
        }
        emit RecoveryVetoed(id, msg.sender);
    }

    /// @notice Executes an approved recovery, between three and seventeen days after the second approval.
    /// @dev The coin, and a token with a cap on record in the RouteExecutor, leave only if the guardian is among the
    /// approving holders. A stop of the cap by the admin therefore opens nothing.
    /// @param recovery The approved recovery; any holder may call.
    /// @return account The account that gave it up; it is deployed if it is missing.
    function recover(Recovery calldata recovery) external nonReentrant returns (address account) {
        _roleOf(msg.sender);
        (bytes32 id, bytes32 approval) = _approvalOf(recovery);
        uint64 readyAt_ = _readyAt[approval];
        if (readyAt_ == 0) revert NotApproved(id);
        if (block.timestamp < readyAt_) revert NotReady(id, readyAt_);
        if (block.timestamp > readyAt_ + WINDOW) revert ApprovalExpired(id, readyAt_ + WINDOW);
        if (_votes[approval][GUARDIAN] == 0 && !_isUnknown(recovery.asset)) {
            revert GuardianMustApprove(recovery.asset);
        }
        account = registry.open(recovery.accountSalt, id);
        _checkReceiver(recovery.to, account, recovery.asset);
        bytes memory answer = _call(account, _callOf(recovery, account));
        // A token may return `false` if it did nothing. A token that returns nothing has done it.
        bool isRefused = answer.length >= 32 && abi.decode(answer, (uint256)) == 0;
        if (isRefused && recovery.kind == TOKEN && recovery.asset != address(0)) revert Refused(recovery.asset);
        emit Recovered(id, account, recovery.asset, recovery, msg.sender);
    }

    /// @notice The state of a recovery under the present holders.
    /// @param recovery The asset, the amount and the receiver.
    /// @return id Its id, which the registry spends when it is executed.
    /// @return readyAt When it may be executed; zero while fewer than two approve.
    /// @return approvedAt When admin, guardian and recovery approved; zero for each that did not.
    function status(Recovery calldata recovery)
        external
        view
        returns (bytes32 id, uint64 readyAt, uint64[3] memory approvedAt)
    {
        bytes32 approval;
        (id, approval) = _approvalOf(recovery);
        readyAt = _readyAt[approval];
        for (uint8 role; role <= RECOVERY; ++role) {
            approvedAt[role] = _votes[approval][role];
        }
    }

    function _check(Recovery calldata recovery) private pure {
        bool isGood = recovery.kind == TOKEN
            ? recovery.id == 0 && recovery.amount != 0
            : recovery.kind == NFT
                ? recovery.amount == 0 && recovery.asset != address(0)
                : recovery.kind == MULTI_TOKEN && recovery.amount != 0 && recovery.asset != address(0);
        if (!isGood || recovery.to == address(0)) revert BadRecovery();
    }

    function _callOf(Recovery calldata recovery, address account) private pure returns (Execution memory) {
        if (recovery.kind == NFT) {
            bytes memory sent =
                abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", account, recovery.to, recovery.id);
            return Execution(recovery.asset, 0, sent);
        }
        if (recovery.kind == MULTI_TOKEN) {
            bytes memory sent = abi.encodeCall(
                IERC1155.safeTransferFrom, (account, recovery.to, recovery.id, recovery.amount, "")
            );
            return Execution(recovery.asset, 0, sent);
        }
        if (recovery.asset == address(0)) return Execution(recovery.to, recovery.amount, "");
        return Execution(recovery.asset, 0, abi.encodeCall(IERC20.transfer, (recovery.to, recovery.amount)));
    }

    function _approvalOf(Recovery calldata recovery) private view returns (bytes32 id, bytes32 approval) {
        id = keccak256(abi.encode("switchyard recovery", block.chainid, address(this), recovery));
        approval = keccak256(abi.encode(id, registry.replacements()));
    }

    // ---------------------------------------------------------------- both

    /// A token, this system or the account itself as the receiver is a mistake that would burn or change nothing.
    function _checkReceiver(address to, address account, address asset) private view {
        if (
            to == address(0) || to == account || to == asset || to == address(this) || to == address(registry)
                || to == address(routes)
        ) revert RouteExecutor.BadRecipient(to);
    }

    function _roleOf(address who) private view returns (uint8) {
        for (uint8 role; role <= RECOVERY; ++role) {
            if (registry.holder(role) == who) return role;
        }
        revert Denied(who);
    }

    function _call(address account, Execution memory call) private returns (bytes memory) {
        Execution[] memory calls = new Execution[](1);
        calls[0] = call;
        return IAnsweringAccount(account).executeFromExecutor(BATCH, abi.encode(calls))[0];
    }
}
