// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {AccountRegistry} from "../src/AccountRegistry.sol";
import {ExecutorSettings, IHolders, Item, Rule, Settings, TokenCap} from "../src/ExecutorSettings.sol";
import {Order} from "../src/Order.sol";
import {IAccountRegistry, RouteExecutor} from "../src/RouteExecutor.sol";
import {OpenGuard} from "../test/support/Diamonds.sol";
import {Token} from "../test/support/Tokens.sol";
import {Vm} from "../test/support/Vm.sol";

/// A called contract that takes any amount from the account, up to its allowance.
contract Taker {
    Token private immutable token;
    uint256 public wants;

    constructor(Token token_) {
        token = token_;
    }

    function want(uint256 amount) external {
        wants = amount;
    }

    function take() external payable {
        token.transferFrom(msg.sender, address(this), wants);
    }
}

/// A signature with any bytes. The solver chooses the address that it recovers to, so every signature is covered.
struct Signature {
    bytes32 r;
    bytes32 s;
    uint8 v;
}

/// An account that holds money, the real registry and executor, one token, one rule. Each `check_` is proved for every
/// value of its parameters.
contract RoutesTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint8 private constant PAY = 1;
    uint8 private constant BRIDGE = 3;
    address private constant admin = address(0xA11CE);
    address private constant guardian = address(0x60A2D);
    address private constant recovery = address(0x4EC0);
    address private constant collector = address(0xFEE);
    address private constant relayer = address(0x1234);
    address private constant signer = address(0x516);
    bytes32 private constant salt = keccak256("organization/user");
    uint256 private constant held = 1_000_000e6;

    AccountRegistry private registry;
    RouteExecutor private executor;
    Token private usdc;
    Taker private taker;
    address private account;

    function setUp() public {
        vm.warp(1_800_000_000);
        vm.chainId(8453);
        registry = new AccountRegistry(admin, guardian, recovery);
        usdc = new Token();
        taker = new Taker(usdc);
        OpenGuard open = new OpenGuard();
        Settings memory s;
        s.relayers = new address[](1);
        s.relayers[0] = relayer;
        s.signers = new address[](1);
        s.signers[0] = signer;
        s.collectors = new address[](1);
        s.collectors[0] = collector;
        s.caps = new TokenCap[](1);
        s.caps[0] = TokenCap(address(usdc), held);
        s.rules = new Rule[](1);
        s.rules[0] = Rule(address(taker), Taker.take.selector, address(taker), address(open), address(open).codehash);
        s.maxNativeFee = 0.5 ether;
        executor = new RouteExecutor(IAccountRegistry(address(registry)), s);
        vm.prank(admin);
        registry.scheduleModule(address(executor));
        vm.warp(1_800_000_000 + 3 days);
        vm.prank(admin);
        registry.installModule(address(executor));
        account = registry.createAccount(salt);
        usdc.mint(account, held);
    }

    // ---------------------------------------------------------------- 1. at most the amount

    /// The guard admits every call, and the called contract takes any amount.
    function check_a_call_moves_at_most_the_amount(
        uint256 amountIn,
        uint256 minSpent,
        uint256 fee,
        uint256 wants,
        Signature memory by
    ) public {
        Order memory o = _order("route", amountIn, fee);
        o.kind = BRIDGE;
        o.minSpent = minSpent;
        o.intent.toChainId = 137;
        o.target = o.spender = address(taker);
        o.data = abi.encodeCall(Taker.take, ());
        taker.want(wants);
        if (!_tried(o, by)) return;
        assert(usdc.balanceOf(account) >= held - amountIn);
        assert(usdc.balanceOf(account) <= held - minSpent);
        assert(usdc.allowance(account, address(taker)) == 0);
    }

    function check_a_payment_moves_exactly_the_amount(
        uint256 amountIn,
        uint256 protocolFee,
        uint256 gasFee,
        Signature memory by
    ) public {
        Order memory o = _order("route", amountIn, protocolFee);
        o.gasFee = gasFee;
        if (_tried(o, by)) assert(usdc.balanceOf(account) == held - amountIn);
    }

    // ---------------------------------------------------------------- 2. only the signed recipient

    /// The recipient gets the rest, the collector the fees, and any other address nothing.
    function check_a_payment_pays_only_the_signed_recipient(
        uint256 amountIn,
        uint256 protocolFee,
        uint256 gasFee,
        address recipient,
        address other,
        Signature memory by
    ) public {
        vm.assume(other != account && other != recipient && other != collector);
        Order memory o = _order("route", amountIn, protocolFee);
        o.gasFee = gasFee;
        o.intent.recipient = recipient;
        uint256 had = usdc.balanceOf(other);
        if (!_tried(o, by)) return;
        assert(recipient != account && recipient != collector);
        assert(usdc.balanceOf(recipient) == amountIn - protocolFee - gasFee);
        assert(usdc.balanceOf(collector) == protocolFee + gasFee);
        assert(usdc.balanceOf(other) == had);
    }

    /// Two orders with one digest are equal: a signature covers the recipient, amount, fees, collector and account.
    function check_a_digest_identifies_one_order(Order memory one, Order memory other) public view {
        vm.assume(executor.hashOrder(one) == executor.hashOrder(other));
        assert(one.routeId == other.routeId && one.accountSalt == other.accountSalt && one.kind == other.kind);
        assert(one.token == other.token && one.amountIn == other.amountIn && one.minSpent == other.minSpent);
        assert(one.protocolFee == other.protocolFee && one.gasFee == other.gasFee && one.collector == other.collector);
        assert(one.intent.recipient == other.intent.recipient && one.intent.minOut == other.intent.minOut);
        assert(one.intent.toChainId == other.intent.toChainId && one.intent.tokenOut == other.intent.tokenOut);
        assert(one.target == other.target && one.spender == other.spender && one.nativeFee == other.nativeFee);
        assert(one.minGas == other.minGas && one.deadline == other.deadline);
        assert(keccak256(one.data) == keccak256(other.data));
    }

    // ---------------------------------------------------------------- 3. once

    /// Any second order with the same route ID, for any amount and deadline, moves nothing.
    function check_a_route_id_is_used_once(
        bytes32 id,
        uint256 first,
        uint256 second,
        uint64 deadline,
        Signature memory by,
        Signature memory again
    ) public {
        Order memory o = _order(id, first, 0);
        if (!_tried(o, by)) return;
        assert(registry.routeUsed(salt, id));
        uint256 left = usdc.balanceOf(account);
        o = _order(id, second, 0);
        o.deadline = deadline;
        assert(!_tried(o, again));
        assert(usdc.balanceOf(account) == left);
    }

    /// An order uses no route ID except its own.
    function check_another_route_id_stays_usable(bytes32 id, bytes32 other, Signature memory by) public {
        vm.assume(id != other);
        if (_tried(_order(id, 1e6, 0), by)) assert(!registry.routeUsed(salt, other));
    }

    // ---------------------------------------------------------------- 4. stops

    /// After the guardian stops an item, no order that needs it moves anything.
    function check_a_stopped_item_refuses_orders(
        uint8 item,
        uint256 amountIn,
        uint256 fee,
        uint256 nativeFee,
        bool isCall,
        Signature memory by
    ) public {
        vm.assume(item <= uint8(Item.NativeFee));
        Order memory o = _order("route", amountIn, fee);
        bytes32 key;
        if (isCall) {
            o.kind = BRIDGE;
            o.intent.toChainId = 137;
            o.target = o.spender = address(taker);
            o.data = abi.encodeCall(Taker.take, ());
            o.nativeFee = nativeFee;
        }
        if (item == uint8(Item.Relayer)) key = _key(relayer);
        if (item == uint8(Item.Signer)) key = _key(signer);
        if (item == uint8(Item.Collector)) key = _key(collector);
        if (item == uint8(Item.Cap)) key = _key(address(usdc));
        if (item == uint8(Item.Rule)) {
            vm.assume(isCall);
            key = executor.ruleKey(o.target, Taker.take.selector, o.spender);
        }
        if (item == uint8(Item.NativeFee)) vm.assume(isCall && nativeFee > 0);
        taker.want(amountIn - fee < amountIn ? amountIn - fee : amountIn);
        vm.prank(guardian);
        executor.stop(Item(item), key);
        assert(!_tried(o, by));
        assert(usdc.balanceOf(account) == held);
    }

    /// Only the admin and the guardian can stop items or lower caps. No caller can raise a cap without a schedule.
    function check_only_holders_change_settings(address caller, uint8 item, bytes32 key, uint256 limit) public {
        vm.assume(caller != admin && caller != guardian && caller != address(executor));
        vm.assume(item <= uint8(Item.NativeFee));
        vm.prank(caller);
        (bool stopped,) = address(executor).call(abi.encodeCall(ExecutorSettings.stop, (Item(item), key)));
        vm.prank(caller);
        (bool lowered,) = address(executor).call(abi.encodeCall(ExecutorSettings.lowerCap, (address(usdc), limit)));
        vm.prank(caller);
        (bool raised,) = address(executor).call(abi.encodeCall(ExecutorSettings.setCap, (address(usdc), limit)));
        assert(!stopped && !lowered && !raised);
    }

    // ---------------------------------------------------------------- the proofs are not empty

    /// Each `refute_` must be refuted. Otherwise no order is executed here, and the proofs above prove nothing.
    function refute_no_payment_is_executed(uint256 amountIn, uint256 fee, Signature memory by) public {
        assert(!_tried(_order("route", amountIn, fee), by));
    }

    function refute_no_call_moves_less_than_the_amount(uint256 wants, Signature memory by) public {
        Order memory o = _order("route", 100e6, 1e6);
        o.kind = BRIDGE;
        o.minSpent = 50e6;
        o.intent.toChainId = 137;
        o.target = o.spender = address(taker);
        o.data = abi.encodeCall(Taker.take, ());
        taker.want(wants);
        assert(!_tried(o, by) || usdc.balanceOf(account) == held - 100e6);
    }

    // ---------------------------------------------------------------- fixtures

    function _order(bytes32 id, uint256 amountIn, uint256 fee) private view returns (Order memory o) {
        o.routeId = id;
        o.accountSalt = salt;
        o.kind = PAY;
        o.token = address(usdc);
        o.amountIn = o.minSpent = amountIn;
        o.protocolFee = fee;
        o.collector = collector;
        o.deadline = uint64(block.timestamp + 600);
        o.intent.recipient = address(0xD57);
        o.intent.toChainId = 8453;
        o.intent.tokenOut = address(usdc);
        o.intent.minOut = 1;
    }

    function _tried(Order memory o, Signature memory by) private returns (bool done) {
        bytes memory signature = abi.encodePacked(by.r, by.s, by.v);
        vm.deal(relayer, 10 ether);
        vm.assume(o.nativeFee <= 10 ether);
        vm.prank(relayer);
        (done,) = address(executor).call{value: o.nativeFee}(abi.encodeCall(RouteExecutor.execute, (o, signature)));
    }

    function _key(address who) private pure returns (bytes32) {
        return bytes32(uint256(uint160(who)));
    }
}
