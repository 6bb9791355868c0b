// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../src/Order.sol";
import {usdc as usdcOf, usdt as usdtOf, wrappedNative} from "../src/guards/Assets.sol";
import {IRouteGuard} from "../src/guards/IRouteGuard.sol";
import {Base} from "./support/Base.sol";

struct InputPayment {
    string chainId;
    bytes currency;
    uint256 amount;
    uint256 weight;
}

struct InputRefund {
    string chainId;
    bytes recipient;
    bytes currency;
    uint256 minimumAmount;
    uint32 deadline;
    bytes extraData;
}

struct Input {
    InputPayment payment;
    InputRefund[] refunds;
}

struct OutputPayment {
    bytes recipient;
    bytes currency;
    uint256 minimumAmount;
    uint256 expectedAmount;
}

struct Output {
    string chainId;
    OutputPayment[] payments;
    uint32 deadline;
    bytes[] calls;
    bytes extraData;
}

struct Fee {
    string recipientChainId;
    bytes recipient;
    string currencyChainId;
    bytes currency;
    uint256 amount;
}

/// Relay's order, field by field.
struct RelayOrder {
    string version;
    string solverChainId;
    address solver;
    uint256 salt;
    Input[] inputs;
    Output output;
    Fee[] fees;
}

interface HashesStructs {
    function eip712HashStruct(string calldata, bytes calldata) external pure returns (bytes32);
}

/// Tests the guard's artifact with orders that forge itself hashes. The source needs viaIR, which these tests do not use.
contract RelayTest is Base {
    string private constant TYPE =
        "Order(string version,string solverChainId,address solver,uint256 salt,Input[] inputs,Output output,Fee[] fees)Fee(string recipientChainId,bytes recipient,string currencyChainId,bytes currency,uint256 amount)Input(InputPayment payment,InputRefund[] refunds)InputPayment(string chainId,bytes currency,uint256 amount,uint256 weight)InputRefund(string chainId,bytes recipient,bytes currency,uint256 minimumAmount,uint32 deadline,bytes extraData)Output(string chainId,OutputPayment[] payments,uint32 deadline,bytes[] calls,bytes extraData)OutputPayment(bytes recipient,bytes currency,uint256 minimumAmount,uint256 expectedAmount)";
    address private constant solver = address(0x501E);
    uint256 private constant sent = 25e6;
    uint256 private constant least = 24.7e6;
    uint256 private constant expected = 24.9e6;
    uint32 private constant until = 1_800_000_000 + 7 days;
    bytes32 private constant fill = bytes32(uint256(0xF111));

    IRouteGuard private guard;
    address private token;
    Intent private intent;
    uint256 private extra;
    uint256[5] private chains = [uint256(8453), 1, 137, 42161, 43114];
    string[5] private names = ["base", "ethereum", "polygon", "arbitrum", "avalanche"];
    /// Whether each refund is paid on the destination chain.
    bool[] private refunds;

    function setUp() public override {
        super.setUp();
        guard = IRouteGuard(vm.deployCode("artifacts/RelayDepositGuard.json", abi.encode(solver)));
        _reset();
    }

    function _reset() private {
        vm.chainId(8453);
        token = usdcOf(8453);
        intent = Intent(42161, usdcOf(42161), user, least);
        refunds = [false, true];
    }

    function _name(uint256 chain) private view returns (string memory) {
        for (uint256 n; n < chains.length; n++) {
            if (chains[n] == chain) return names[n];
        }
        return "";
    }

    function _order() private view returns (RelayOrder memory order) {
        Input[] memory inputs = new Input[](1);
        inputs[0].payment = InputPayment(_name(block.chainid), abi.encodePacked(token), sent, 1);
        inputs[0].refunds = new InputRefund[](refunds.length);
        for (uint256 n; n < refunds.length; n++) {
            inputs[0].refunds[n] = InputRefund(
                _name(refunds[n] ? intent.toChainId : block.chainid),
                abi.encodePacked(refunds[n] ? intent.recipient : account),
                abi.encodePacked(refunds[n] ? intent.tokenOut : token),
                n,
                until,
                abi.encodePacked(fill)
            );
        }
        OutputPayment[] memory payments = new OutputPayment[](1);
        payments[0] =
            OutputPayment(abi.encodePacked(intent.recipient), abi.encodePacked(intent.tokenOut), least, expected);
        Output memory output = Output(_name(intent.toChainId), payments, until, new bytes[](0), abi.encodePacked(fill));
        order = RelayOrder("v1", "base", solver, 7, inputs, output, new Fee[](0));
    }

    function _deposit(RelayOrder memory order) private view returns (bytes memory) {
        bytes32 id = HashesStructs(address(vm)).eip712HashStruct(TYPE, abi.encode(order));
        bytes memory call = token == address(0)
            ? abi.encodeWithSelector(0x49290c1c, account, id)
            : abi.encodeWithSelector(0xe8017952, account, token, sent, id);
        OutputPayment memory paid = order.output.payments[0];
        bytes memory terms = abi.encode(
            order.salt,
            paid.expectedAmount,
            paid.minimumAmount,
            order.output.deadline,
            fill,
            order.inputs[0].refunds.length
        );
        for (uint256 n; n < refunds.length; n++) {
            InputRefund memory one = order.inputs[0].refunds[n];
            terms = bytes.concat(
                terms, abi.encode(refunds[n], address(bytes20(one.currency)), one.minimumAmount, one.deadline, fill)
            );
        }
        return bytes.concat(call, terms);
    }

    function _accepts(bytes memory data) private view returns (bool) {
        return _accepts(data, account, token, sent, intent);
    }

    function _accepts(bytes memory data, address who, address what, uint256 amount, Intent memory wish)
        private
        view
        returns (bool)
    {
        try guard.check(data, who, what, amount, extra, wish) returns (bool ok) {
            return ok;
        } catch {
            return false;
        }
    }

    function test_relays_order_is_accepted_between_any_two_chains() public {
        for (uint256 from; from < 5; from++) {
            for (uint256 to; to < 5; to++) {
                vm.chainId(chains[from]);
                intent.toChainId = chains[to];
                token = address(0x70CE);
                assert(_accepts(_deposit(_order())));
                token = address(0);
                assert(_accepts(_deposit(_order())));
            }
        }
    }

    function test_a_deposit_that_differs_from_the_order_is_refused() public {
        bytes memory data = _deposit(_order());
        assert(_accepts(data));
        assert(!_accepts(data, thief, token, sent, intent));
        assert(!_accepts(data, account, thief, sent, intent));
        assert(!_accepts(data, account, address(0), sent, intent));
        assert(!_accepts(data, account, token, sent - 1, intent));
        assert(!_accepts(data, account, token, sent, Intent(137, intent.tokenOut, user, least)));
        assert(!_accepts(data, account, token, sent, Intent(5, intent.tokenOut, user, least)));
        assert(!_accepts(data, account, token, sent, Intent(42161, address(0), user, least)));
        assert(!_accepts(data, account, token, sent, Intent(42161, intent.tokenOut, thief, least)));
        assert(!_accepts(data, account, token, sent, Intent(42161, intent.tokenOut, user, least + 1)));
        vm.chainId(137);
        assert(!_accepts(data));
    }

    function test_a_relay_order_with_fees_calls_or_other_receivers_is_refused() public view {
        RelayOrder memory order = _order();
        order.fees = new Fee[](1);
        order.fees[0] = Fee("base", abi.encodePacked(thief), "base", abi.encodePacked(token), 1);
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.output.calls = new bytes[](1);
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.solver = thief;
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.inputs[0].payment.weight = 2;
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.output.payments[0].recipient = abi.encodePacked(thief);
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.inputs[0].refunds[0].recipient = abi.encodePacked(thief);
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.inputs[0].refunds[1].recipient = abi.encodePacked(thief);
        assert(!_accepts(_deposit(order)));
    }

    function test_a_relay_order_has_a_refund_on_this_chain_and_at_most_four_refunds() public {
        refunds = new bool[](0);
        assert(!_accepts(_deposit(_order())));
        refunds = [true];
        assert(!_accepts(_deposit(_order())));
        refunds = [false];
        assert(_accepts(_deposit(_order())));
        refunds = [true, true, false, true];
        assert(_accepts(_deposit(_order())));
        refunds = [true, true, false, true, false];
        assert(!_accepts(_deposit(_order())));
    }

    function test_every_deadline_of_a_relay_order_is_in_the_next_ten_days() public {
        uint32 time = uint32(_now());
        uint32[4] memory ends = [time + 1, time + 10 days, time, time + 10 days + 1];
        for (uint256 n; n < ends.length; n++) {
            for (uint256 which; which < 3; which++) {
                RelayOrder memory order = _order();
                if (which == 2) order.output.deadline = ends[n];
                else order.inputs[0].refunds[which].deadline = ends[n];
                assert(_accepts(_deposit(order)) == (n < 2));
            }
        }
    }

    function test_a_refund_pays_the_sent_token_here_or_a_listed_token_there() public {
        address[5] memory known = [address(0), intent.tokenOut, usdcOf(42161), usdtOf(42161), wrappedNative(42161)];
        RelayOrder memory order;
        for (uint256 n; n < known.length; n++) {
            order = _order();
            order.inputs[0].refunds[1].currency = abi.encodePacked(known[n]);
            assert(_accepts(_deposit(order)));
            order.inputs[0].refunds[0].currency = abi.encodePacked(known[n]);
            assert(!_accepts(_deposit(order)));
        }
        for (uint256 n; n < 2; n++) {
            order = _order();
            order.inputs[0].refunds[n].currency = abi.encodePacked(address(0x5CA3));
            assert(!_accepts(_deposit(order)));
        }
        intent.tokenOut = address(0x70CE);
        assert(_accepts(_deposit(_order())));
    }

    function test_a_native_fee_is_refused_for_relay() public {
        bytes memory data = _deposit(_order());
        extra = 1;
        assert(!_accepts(data));
    }

    function test_relays_minimum_is_at_least_the_orders_and_at_most_the_expected_amount() public view {
        RelayOrder memory order = _order();
        order.output.payments[0].expectedAmount = least - 1;
        assert(!_accepts(_deposit(order)));
        order = _order();
        order.output.payments[0].minimumAmount = least - 1;
        assert(!_accepts(_deposit(order)));
        order.output.payments[0].minimumAmount = expected;
        assert(_accepts(_deposit(order)));
    }

    function testFuzz_a_flipped_bit_in_a_deposit_is_refused(uint256 bit, bool isNative) public {
        if (isNative) token = address(0);
        bytes memory data = _deposit(_order());
        bit %= data.length * 8;
        data[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        assert(!_accepts(data));
    }

    function testFuzz_a_deposit_of_another_length_is_refused(uint16 length, bytes32 tail) public view {
        bytes memory data = _deposit(_order());
        bytes memory other = bytes.concat(data, tail, tail, tail, tail, tail);
        uint256 size = uint256(length) % other.length;
        if (size == data.length) return;
        assembly ("memory-safe") {
            mstore(other, size)
        }
        assert(!_accepts(other));
    }

    function testFuzz_random_bytes_are_refused_as_a_deposit(bytes calldata data) public view {
        assert(!_accepts(data));
    }
}
