// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../Order.sol";
import {RELAY_SOLVER_CHAIN, relayName, usdc, usdt, wrappedNative} from "./Assets.sol";
import {word} from "./Calldata.sol";
import {IRouteGuard} from "./IRouteGuard.sol";
import {RELAY_REFUNDS_MAX, RELAY_WINDOW_MAX} from "./Limits.sol";

/// For deposits with Relay: depositErc20(address depositor, address token, uint256 amount, bytes32 id) and
/// depositNative(address depositor, bytes32 id). The id is the EIP-712 hash of an order. The order is rebuilt here from
/// the intent and must give the same hash. It has one payment in, one out to the recipient, no calls and no fees.
/// Refunds pay the token to the account, or a known token to the recipient on the destination. Everything is open for
/// ten days at most. The terms that only Relay knows follow the arguments, where the depository does not read: salt,
/// expectedAmount, minimumAmount, deadline, extraData, number of refunds, and for each refund isDestination, currency,
/// minimumAmount, deadline, extraData.
contract RelayDepositGuard is IRouteGuard {
    bytes private constant INPUT_PAYMENT = "InputPayment(string chainId,bytes currency,uint256 amount,uint256 weight)";
    bytes private constant INPUT_REFUND =
        "InputRefund(string chainId,bytes recipient,bytes currency,uint256 minimumAmount,uint32 deadline,bytes extraData)";
    bytes private constant OUTPUT_PAYMENT =
        "OutputPayment(bytes recipient,bytes currency,uint256 minimumAmount,uint256 expectedAmount)";
    bytes private constant INPUT = "Input(InputPayment payment,InputRefund[] refunds)";
    bytes private constant OUTPUT =
        "Output(string chainId,OutputPayment[] payments,uint32 deadline,bytes[] calls,bytes extraData)";
    bytes private constant ORDER =
        "Order(string version,string solverChainId,address solver,uint256 salt,Input[] inputs,Output output,Fee[] fees)";
    bytes private constant FEES =
        "Fee(string recipientChainId,bytes recipient,string currencyChainId,bytes currency,uint256 amount)";

    bytes32 private constant INPUT_PAYMENT_TYPE = keccak256(INPUT_PAYMENT);
    bytes32 private constant INPUT_REFUND_TYPE = keccak256(INPUT_REFUND);
    bytes32 private constant OUTPUT_PAYMENT_TYPE = keccak256(OUTPUT_PAYMENT);
    bytes32 private constant INPUT_TYPE = keccak256(bytes.concat(INPUT, INPUT_PAYMENT, INPUT_REFUND));
    bytes32 private constant OUTPUT_TYPE = keccak256(bytes.concat(OUTPUT, OUTPUT_PAYMENT));
    bytes32 private constant ORDER_TYPE =
        keccak256(bytes.concat(ORDER, FEES, INPUT, INPUT_PAYMENT, INPUT_REFUND, OUTPUT, OUTPUT_PAYMENT));
    bytes32 private constant EMPTY = keccak256("");
    uint256 private constant HEAD = 192;
    uint256 private constant REFUND = 160;

    /// The only address that may fill the order.
    address public immutable solver;

    constructor(address solver_) {
        solver = solver_;
    }

    /// @inheritdoc IRouteGuard
    function check(
        bytes calldata data,
        address account,
        address token,
        uint256 amount,
        uint256 nativeFee,
        Intent calldata intent
    ) external view returns (bool) {
        if (nativeFee != 0) return false;
        bytes4 selector = bytes4(data[0:4]);
        bytes calldata args = data[4:];
        if (word(args, 0) != uint160(account)) return false;
        uint256 size = 128; // of the arguments
        if (selector == 0xe8017952) {
            if (token == address(0) || word(args, 32) != uint160(token) || word(args, 64) != amount) return false;
        } else if (selector == 0x49290c1c && token == address(0)) {
            size = 64;
        } else {
            return false;
        }
        bytes calldata terms = args[size:];
        uint256 count = word(terms, 160);
        if (count > RELAY_REFUNDS_MAX || terms.length != HEAD + count * REFUND) return false;
        if (word(terms, 64) < intent.minOut || word(terms, 32) < word(terms, 64)) return false;
        if (!_isOpen(word(terms, 96))) return false;
        (bytes32 refunds, bool comesBack) = _refunds(terms[HEAD:], account, token, intent);
        bytes32 inputs = _inputs(token, amount, refunds);
        return comesBack && word(args, size - 32) == uint256(_order(terms, inputs, _output(terms, intent)));
    }

    function _order(bytes calldata terms, bytes32 inputs, bytes32 output) private view returns (bytes32) {
        return keccak256(
            abi.encode(ORDER_TYPE, keccak256("v1"), RELAY_SOLVER_CHAIN, solver, word(terms, 0), inputs, output, EMPTY)
        );
    }

    function _inputs(address token, uint256 amount, bytes32 refunds) private view returns (bytes32) {
        bytes32 payment =
            keccak256(abi.encode(INPUT_PAYMENT_TYPE, relayName(block.chainid), _hash(token), amount, uint256(1)));
        return keccak256(abi.encode(keccak256(abi.encode(INPUT_TYPE, payment, refunds))));
    }

    function _output(bytes calldata terms, Intent calldata intent) private pure returns (bytes32) {
        bytes32 payment = keccak256(
            abi.encode(
                OUTPUT_PAYMENT_TYPE, _hash(intent.recipient), _hash(intent.tokenOut), word(terms, 64), word(terms, 32)
            )
        );
        bytes32 extra = keccak256(terms[128:160]);
        return keccak256(
            abi.encode(
                OUTPUT_TYPE, relayName(intent.toChainId), keccak256(abi.encode(payment)), word(terms, 96), EMPTY, extra
            )
        );
    }

    /// The hash of the list of refunds, and whether one of them pays the account.
    function _refunds(bytes calldata terms, address account, address token, Intent calldata intent)
        private
        view
        returns (bytes32, bool comesBack)
    {
        bytes memory hashes;
        for (uint256 at; at < terms.length; at += REFUND) {
            bytes calldata one = terms[at:at + REFUND];
            bool there = word(one, 0) == 1;
            // Only one encoding is valid: any other value of these words is refused.
            if (word(one, 0) > 1 || word(one, 32) > type(uint160).max) return (0, false);
            if (!_isOpen(word(one, 96))) return (0, false);
            if (there ? !_isKnown(address(uint160(word(one, 32))), intent) : word(one, 32) != uint160(token)) {
                return (0, false);
            }
            comesBack = comesBack || !there;
            bytes32 hash = keccak256(
                abi.encode(
                    INPUT_REFUND_TYPE,
                    relayName(there ? intent.toChainId : block.chainid),
                    _hash(there ? intent.recipient : account),
                    _hash(address(uint160(word(one, 32)))),
                    word(one, 64),
                    word(one, 96),
                    keccak256(one[128:160])
                )
            );
            hashes = bytes.concat(hashes, hash);
        }
        return (keccak256(hashes), comesBack);
    }

    /// Whether a deadline is still open now, and not unreasonably far away.
    function _isOpen(uint256 deadline) private view returns (bool) {
        return deadline > block.timestamp && deadline <= block.timestamp + RELAY_WINDOW_MAX;
    }

    /// The tokens allowed for a refund on the destination: the bought token, or one that Relay holds there.
    function _isKnown(address currency, Intent calldata intent) private pure returns (bool) {
        uint256 chainId = intent.toChainId;
        return currency == address(0) || currency == intent.tokenOut || currency == usdc(chainId)
            || currency == usdt(chainId) || currency == wrappedNative(chainId);
    }

    function _hash(address value) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(value));
    }
}
