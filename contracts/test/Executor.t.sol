// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {AccountRegistry} from "../src/AccountRegistry.sol";
import {ExecutorSettings, Rule} from "../src/ExecutorSettings.sol";
import {ModularAccount} from "../src/ModularAccount.sol";
import {Intent, Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {Diamond, OddDiamond} from "./support/Diamonds.sol";
import {Forcer} from "./support/Others.sol";
import {Token} from "./support/Tokens.sol";

contract Greedy {
    uint256 public count;
    uint256[] private _junk;

    receive() external payable {
        for (uint256 i; i < 50; ++i) {
            _junk.push(++count);
        }
    }
}

contract ExecutorTest is Base {
    // ---------------------------------------------------------------- what a route does

    function test_the_first_route_deploys_and_the_next_does_not() public {
        usdc.mint(account, 1500e6);
        require(account.code.length == 0);
        _run(_bridge("1", address(usdc), 1000e6, 7e6));
        require(account.code.length == 51);
        _equal(usdc.balanceOf(collector), 7e6);
        _equal(usdc.balanceOf(address(diamond)), 993e6);
        _run(_bridge("2", address(usdc), 500e6, 0));
        _equal(usdc.balanceOf(address(diamond)), 1493e6);
        _equal(usdc.balanceOf(account), 0);
        _equal(usdc.allowance(account, address(diamond)), 0);
    }

    function test_native_coin_is_bridged_too() public {
        vm.deal(account, 3 ether);
        uint256 before = address(diamond).balance;
        _run(_bridge("1", address(0), 2 ether, 0.1 ether));
        _equal(collector.balance, 0.1 ether);
        _equal(address(diamond).balance - before, 1.9 ether);
        _equal(account.balance, 1 ether);
    }

    function test_a_payment_and_a_swap_run_on_the_same_chain() public {
        usdc.mint(account, 300e6);
        vm.deal(account, 1 ether);
        _run(_pay("1", address(usdc), 100e6, 1e6));
        _equal(usdc.balanceOf(user), 99e6);
        _run(_pay("2", address(0), 1 ether, 0.01 ether));
        _equal(user.balance, 0.99 ether);
        _run(_swap("3", 100e6, 1e6, 99e18));
        _equal(dai.balanceOf(user), 99e18);
        Order memory o = _swap("4", 100e6, 0, 1 ether);
        o.intent.tokenOut = address(0);
        o.data = _swapCall(user, address(usdc), address(0), 100e6, 1 ether);
        _run(o);
        _equal(user.balance, 1.99 ether);
    }

    function test_gas_fee_and_protocol_fee_go_to_the_collector_together() public {
        usdc.mint(account, 100e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 10e6);
        o.gasFee = 60e6;
        o.data = _bridgeCall(address(usdc), user, 30e6, 137, false, false);
        o.intent.minOut = 30e6;
        _run(o);
        _equal(usdc.balanceOf(collector), 70e6);
    }

    function test_F34_the_event_has_every_figure_that_a_ledger_needs() public {
        usdc.mint(account, 100e6);
        Order memory o = _viaOdd("1", address(usdc), 100e6, 2e6);
        o.gasFee = 1e6;
        o.nativeFee = 0.3 ether;
        o.data = _bridgeCall(address(usdc), user, 97e6, 137, false, false);
        o.intent.minOut = 97e6;
        odd.set(OddDiamond.Mode.GiveCoinBack, 0.1 ether);
        bytes memory signature = _sign(executor, o, signerKey);
        vm.expectEmit(true, true, true, true, address(executor));
        emit RouteExecutor.RouteExecuted(
            "1",
            account,
            address(usdc),
            100e6,
            2e6,
            1e6,
            0.3 ether,
            0.1 ether,
            collector,
            o.intent,
            address(odd),
            relayer
        );
        vm.prank(relayer);
        executor.execute{value: 0.3 ether}(o, signature);
    }

    function test_a_failed_order_leaves_no_trace_and_returns_its_reason() public {
        usdc.mint(account, 1000e6);
        odd.set(OddDiamond.Mode.Fail, 7);
        Order memory o = _viaOdd("1", address(usdc), 1000e6, 7e6);
        bytes memory signature = _sign(executor, o, signerKey);
        bytes memory boom = abi.encodeWithSelector(OddDiamond.Boom.selector, 7);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(ModularAccount.CallFailed.selector, 2, address(odd), boom));
        executor.execute(o, signature);
        require(account.code.length == 0 && !registry.routeUsed(salt, "1"));
        _equal(usdc.balanceOf(account), 1000e6);
        _equal(usdc.balanceOf(collector), 0);
        (,, uint112 spent) = executor.capOf(address(usdc));
        _equal(spent, 0);
        odd.set(OddDiamond.Mode.TakePart, 993e6);
        vm.prank(relayer);
        executor.execute(o, signature); // the same signed bytes, sent again
    }

    function test_a_route_id_is_used_once_even_for_a_different_order() public {
        usdc.mint(account, 1000e6);
        _run(_bridge("1", address(usdc), 100e6, 0));
        _refused(_bridge("1", address(usdc), 100e6, 0), AccountRegistry.RouteUsed.selector);
        _refused(_pay("1", address(usdc), 50e6, 1e6), AccountRegistry.RouteUsed.selector);
        _run(_bridge("2", address(usdc), 100e6, 0));
    }

    // ---------------------------------------------------------------- keys

    function test_both_keys_are_needed() public {
        usdc.mint(account, 1000e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 0);
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(thief);
        vm.expectPartialRevert(RouteExecutor.NotRelayer.selector);
        executor.execute(o, signature);
        signature = _sign(executor, o, 0xBAD);
        vm.prank(relayer);
        vm.expectRevert(RouteExecutor.BadSignature.selector);
        executor.execute(o, signature);
        signature = _sign(executor, o, secondSignerKey);
        vm.prank(relayer);
        executor.execute(o, signature);
    }

    function test_every_field_is_signed() public {
        usdc.mint(account, 1000e6);
        bytes memory signature = _sign(executor, _bridge("1", address(usdc), 100e6, 1e6), signerKey);
        for (uint256 field; field < 19; ++field) {
            Order memory o = _bridge("1", address(usdc), 100e6, 1e6);
            if (field == 0) o.routeId = "2";
            if (field == 1) o.accountSalt = "other";
            if (field == 2) o.kind = 1;
            if (field == 3) o.token = address(dai);
            if (field == 4) o.amountIn += 1;
            if (field == 5) o.minSpent -= 1;
            if (field == 6) o.protocolFee += 1;
            if (field == 7) o.gasFee += 1;
            if (field == 8) o.collector = thief;
            if (field == 9) o.intent.toChainId = 1;
            if (field == 10) o.intent.tokenOut = address(dai);
            if (field == 11) o.intent.recipient = thief;
            if (field == 12) o.intent.minOut -= 1;
            if (field == 13) o.target = address(odd);
            if (field == 14) o.spender = address(odd);
            if (field == 15) o.nativeFee = 1;
            if (field == 16) o.minGas = 1;
            if (field == 17) o.deadline += 1;
            if (field == 18) o.data = abi.encodePacked(o.data, hex"00");
            vm.prank(relayer);
            vm.expectRevert(RouteExecutor.BadSignature.selector);
            executor.execute{value: o.nativeFee}(o, signature);
        }
    }

    function test_the_digest_follows_eip712() public view {
        Order memory o = _bridge(keccak256("1"), address(usdc), 100e6, 1e6);
        o.gasFee = 3;
        o.nativeFee = 4;
        o.minGas = 5;
        require(executor.hashOrder(o) == vm.eip712HashTypedData(_typedData(o)));
    }

    function testFuzz_a_signature_is_bound_to_chain_and_executor(uint64 chainId) public {
        vm.assume(chainId != 0 && chainId != block.chainid);
        usdc.mint(account, 10e6);
        Order memory o = _pay("1", address(usdc), 1e6, 0);
        bytes memory signature = _sign(executor, o, signerKey);
        RouteExecutor other = _newExecutor();
        vm.prank(relayer);
        vm.expectRevert(RouteExecutor.BadSignature.selector);
        other.execute(o, signature);
        vm.chainId(chainId);
        vm.prank(relayer);
        vm.expectRevert(RouteExecutor.BadSignature.selector);
        executor.execute(o, signature);
    }

    function test_malleable_short_and_empty_signatures_are_refused() public {
        usdc.mint(account, 10e6);
        Order memory o = _bridge("1", address(usdc), 1e6, 0);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signerKey, executor.hashOrder(o));
        uint256 n = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
        vm.prank(relayer);
        vm.expectPartialRevert(ECDSA.ECDSAInvalidSignatureS.selector);
        executor.execute(o, abi.encodePacked(r, n - uint256(s), v == 27 ? uint8(28) : uint8(27)));
        vm.prank(relayer);
        vm.expectPartialRevert(ECDSA.ECDSAInvalidSignatureLength.selector);
        executor.execute(o, abi.encodePacked(r, s));
        vm.prank(relayer);
        vm.expectRevert(ECDSA.ECDSAInvalidSignature.selector);
        executor.execute(o, abi.encodePacked(bytes32(uint256(1)), bytes32(uint256(1)), uint8(99)));
    }

    // ---------------------------------------------------------------- what may be signed

    function test_F05_the_guard_refuses_every_field_that_differs_from_the_intent() public {
        usdc.mint(account, 1000e6);
        bytes4 no = RouteExecutor.GuardRefused.selector;
        Order memory o = _bridge("1", address(usdc), 100e6, 1e6);
        o.data = _bridgeCall(address(usdc), thief, 99e6, 137, false, false);
        _refused(o, no);
        o.data = _bridgeCall(address(usdc), user, 99e6, 56, false, false);
        _refused(o, no);
        o.data = _bridgeCall(address(usdc), user, 98e6, 137, false, false);
        _refused(o, no);
        o.data = _bridgeCall(address(dai), user, 99e6, 137, false, false);
        _refused(o, no);
        o.data = _bridgeCall(address(usdc), user, 99e6, 137, true, false);
        _refused(o, no);
        o.data = _bridgeCall(address(usdc), user, 99e6, 137, false, true);
        _refused(o, no);
        o = _bridge("1", address(usdc), 100e6, 1e6);
        o.accountSalt = "another account"; // this account would receive the refunds
        _refused(o, no);
        o = _bridge("1", address(usdc), 100e6, 1e6);
        o.intent.minOut += 1;
        _refused(o, no);
        o = _bridge("1", address(usdc), 100e6, 1e6);
        o.intent.tokenOut = address(dai);
        _refused(o, no);
        o = _swap("1", 100e6, 1e6, 99e18);
        o.data = _swapCall(thief, address(usdc), address(dai), 99e6, 99e18);
        _refused(o, no);
        o.data = _swapCall(user, address(usdc), address(dai), 100e6, 99e18);
        _refused(o, no);
        o.data = _swapCall(user, address(dai), address(dai), 99e6, 99e18);
        _refused(o, no);
        _run(_bridge("1", address(usdc), 100e6, 1e6));
    }

    function test_F05_the_minimum_of_a_swap_is_measured() public {
        usdc.mint(account, 200e6);
        Order memory o = _swap("1", 100e6, 0, 90e18);
        o.data = _swapCall(user, address(usdc), address(dai), 100e6, 90e18 - 1);
        _refused(o, RouteExecutor.GuardRefused.selector);
        // it states the minimum and pays less
        o.data = _swapPaying(user, address(usdc), address(dai), 100e6, 90e18, 90e18 - 1);
        _refused(o, RouteExecutor.OutputTooLow.selector);
        o.data = _swapCall(user, address(usdc), address(dai), 100e6, 90e18);
        _run(o);
    }

    function test_F06_the_days_cap_bounds_the_loss_of_both_hot_keys() public {
        usdc.mint(account, 50_000e6);
        dai.mint(account, 1e18);
        _run(_pay("1", address(usdc), 9_000e6, 0));
        _refused(_pay("2", address(usdc), 1_000e6 + 1, 0), ExecutorSettings.CapReached.selector);
        _refused(_pay("2", address(usdc), type(uint256).max, 0), ExecutorSettings.CapReached.selector);
        _run(_pay("3", address(usdc), 1_000e6, 0));
        _refused(_pay("4", address(usdc), 1, 0), ExecutorSettings.CapReached.selector);
        _refused(_pay("5", address(dai), 1, 0), ExecutorSettings.CapReached.selector); // unlisted: not routable
        _wait(1 days);
        _run(_pay("6", address(usdc), 10_000e6, 0));
    }

    function test_F08_unusable_recipients_are_refused() public {
        usdc.mint(account, 100e6);
        vm.deal(account, 1 ether);
        address[6] memory bad = [address(0), address(usdc), account, address(executor), address(registry), collector];
        for (uint256 i; i < 6; ++i) {
            Order memory o = _pay("1", address(usdc), 1e6, 0);
            o.intent.recipient = bad[i];
            _refused(o, RouteExecutor.BadRecipient.selector);
            o = _pay("1", address(0), 1, 0);
            o.intent.recipient = bad[i];
            if (bad[i] != address(usdc)) _refused(o, RouteExecutor.BadRecipient.selector);
        }
        Order memory swap = _swap("1", 1e6, 0, 1);
        swap.intent.recipient = address(dai);
        _refused(swap, RouteExecutor.BadRecipient.selector);
    }

    /// The output of a swap or a bridge never stays with the paying account, because a second route would have to
    /// follow.
    function test_F08_no_route_pays_the_account_that_it_spends_from() public {
        usdc.mint(account, 100e6);
        Order memory swap = _swap("1", 1e6, 0, 1);
        swap.intent.recipient = account;
        swap.data = _swapCall(account, address(usdc), address(dai), 1e6, 1);
        _refused(swap, RouteExecutor.BadRecipient.selector);
        Order memory bridge = _bridge("2", address(usdc), 1e6, 0);
        bridge.intent.recipient = account;
        bridge.data = _bridgeCall(address(usdc), account, 1e6, 137, false, false);
        _refused(bridge, RouteExecutor.BadRecipient.selector);
    }

    function test_F08_kind_and_chain_agree_and_fields_of_other_kinds_are_empty() public {
        usdc.mint(account, 100e6);
        vm.deal(account, 1 ether);
        bytes4 no = RouteExecutor.BadKind.selector;
        Order memory o;
        for (uint256 kind; kind < 256; kind += 4) {
            o = _bridge("1", address(usdc), 1e6, 0);
            o.kind = uint8(kind);
            _refused(o, no);
        }
        o = _bridge("1", address(usdc), 1e6, 0);
        o.kind = 2;
        _refused(o, no);
        o = _swap("1", 1e6, 0, 1);
        o.kind = 3;
        _refused(o, no);
        for (uint256 i; i < 6; ++i) {
            o = _pay("1", address(usdc), 1e6, 0);
            if (i == 0) o.target = address(diamond);
            if (i == 1) o.spender = address(diamond);
            if (i == 2) o.data = hex"00";
            if (i == 3) o.nativeFee = 1;
            if (i == 4) o.intent.toChainId = 137;
            if (i == 5) o.intent.tokenOut = address(dai);
            _refused(o, no);
        }
        o = _bridge("1", address(0), 1, 0);
        o.spender = address(diamond);
        _refused(o, no);
        o = _bridge("1", address(usdc), 1e6, 0);
        o.spender = address(0);
        _refused(o, no);
    }

    function test_F15_a_rule_is_one_target_one_selector_one_spender() public {
        usdc.mint(account, 100e6);
        bytes4 no = RouteExecutor.NoRule.selector;
        Order memory o = _bridge("1", address(usdc), 1e6, 0);
        o.spender = address(odd);
        _refused(o, no);
        o = _bridge("1", address(usdc), 1e6, 0);
        o.target = address(usdc);
        o.data = abi.encodeCall(Token.transfer, (thief, 1e6));
        _refused(o, no);
        o = _viaOdd("1", address(usdc), 1e6, 0);
        o.data = abi.encodeCall(Diamond.anyCall, (address(usdc), ""));
        _refused(o, no);
        o.data = hex"010203";
        _refused(o, no);
        o.data = "";
        _refused(o, no);
        _change(
            abi.encodeCall(
                ExecutorSettings.addRule, (Rule(address(odd), 0, address(odd), openGuard, openGuard.codehash))
            )
        );
        o.deadline = uint64(_now() + 60);
        _refused(o, no); // empty data is not the zero selector
    }

    function test_F16_fees_are_bounded() public {
        usdc.mint(account, 1000e6);
        bytes4 no = RouteExecutor.BadFees.selector;
        _refused(_bridge("1", address(usdc), 100e6, 10e6 + 1), no);
        Order memory o = _bridge("1", address(usdc), 100e6, 10e6);
        o.gasFee = 90e6;
        _refused(o, no);
        o.gasFee = type(uint256).max;
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectRevert();
        executor.execute(o, signature);
        _run(_bridge("1", address(usdc), 100e6, 10e6));
    }

    function test_F17_an_order_that_moves_less_than_its_minimum_is_refused() public {
        usdc.mint(account, 1000e6);
        odd.set(OddDiamond.Mode.TakePart, 1);
        Order memory o = _viaOdd("1", address(usdc), 100e6, 1e6);
        _refused(o, RouteExecutor.Underspent.selector);
        o.minSpent = 1e6; // fees alone are no route either
        _refused(o, RouteExecutor.BadMinimum.selector);
        o.minSpent = 100e6 + 1;
        _refused(o, RouteExecutor.BadMinimum.selector);
        o.minSpent = 1e6 + 1;
        o.intent.minOut = 0;
        _refused(o, RouteExecutor.BadMinimum.selector);
        o.intent.minOut = 1;
        _run(o); // these terms are met, and the allowance is revoked
        _equal(usdc.allowance(account, address(odd)), 0);
        _equal(usdc.balanceOf(account), 1000e6 - 1e6 - 1);
    }

    function test_a_token_cannot_leave_beyond_the_signed_amount() public {
        usdc.mint(account, 1000e6);
        bytes memory more = abi.encodeCall(Token.transferFrom, (account, user, 101e6));
        _refused(_any("1", 100e6, address(usdc), more), ModularAccount.CallFailed.selector);
        address other = registry.accountAddress("other");
        usdc.mint(other, 100e6);
        bytes memory others = abi.encodeCall(Token.transferFrom, (other, user, 1));
        _refused(_any("1", 100e6, address(usdc), others), ModularAccount.CallFailed.selector);
    }

    function test_F19_the_native_fee_is_bounded_exact_and_its_surplus_returns() public {
        usdc.mint(account, 300e6);
        vm.deal(account, 1 ether);
        Order memory o = _viaOdd("1", address(usdc), 100e6, 0);
        o.nativeFee = 0.5 ether + 1;
        _refused(o, RouteExecutor.BadNativeFee.selector);
        o.nativeFee = 0.5 ether;
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectPartialRevert(RouteExecutor.BadNativeFee.selector);
        executor.execute{value: 0.4 ether}(o, signature);
        odd.set(OddDiamond.Mode.GiveCoinBack, 0.4 ether);
        uint256 before = relayer.balance;
        _run(o);
        _equal(before - relayer.balance, 0.1 ether);
        _equal(account.balance, 1 ether);
        // An amount above the relayer's payment belongs to the user instead of the relayer.
        vm.deal(address(odd), 5 ether);
        odd.set(OddDiamond.Mode.GiveCoinBack, 2 ether);
        o = _viaOdd("2", address(usdc), 100e6, 0);
        o.nativeFee = 0.5 ether;
        before = relayer.balance;
        _run(o);
        _equal(relayer.balance, before);
        _equal(account.balance, 2.5 ether);
        o = _viaOdd("3", address(usdc), 100e6, 0);
        before = relayer.balance;
        _run(o);
        _equal(relayer.balance, before);
    }

    /// A bridge of the coin leaves dust and the unused part of its message fee. The dust belongs to the account, and
    /// the rest to the relayer.
    function test_C6_a_coin_bridge_may_leave_dust_and_the_unused_fee_returns() public {
        uint256[4] memory back = [uint256(0.7e12), 1e12, 1.5e12, 0.2 ether + 1e12];
        for (uint256 i; i < 4; ++i) {
            vm.deal(account, 1 ether);
            Order memory o = _viaOdd(bytes32(i), address(0), 1 ether, 0.1 ether);
            (o.spender, o.nativeFee) = (address(0), 0.2 ether);
            odd.set(OddDiamond.Mode.GiveCoinBack, back[i]);
            _refused(_with(o, 1 ether + 1), RouteExecutor.BadMinimum.selector);
            uint256 before = relayer.balance;
            _run(_with(o, 1 ether - 1e12));
            uint256 stays = back[i] < 1e12 ? back[i] : 1e12;
            _equal(account.balance, stays);
            _equal(before - relayer.balance, 0.2 ether - (back[i] - stays));
        }
        vm.deal(account, 1 ether);
        Order memory poor = _viaOdd("more", address(0), 1 ether, 0.1 ether);
        (poor.spender, poor.nativeFee) = (address(0), 0.2 ether);
        odd.set(OddDiamond.Mode.GiveCoinBack, 0.2 ether + 1e12 + 1);
        _refused(_with(poor, 1 ether - 1e12), RouteExecutor.Underspent.selector);
    }

    function _with(Order memory o, uint256 minSpent) private pure returns (Order memory) {
        o.minSpent = minSpent;
        return o;
    }

    function test_F20_the_collector_is_signed_and_listed() public {
        usdc.mint(account, 200e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 1e6);
        o.collector = thief;
        _refused(o, RouteExecutor.BadCollector.selector);
        o.collector = address(0);
        _refused(o, RouteExecutor.BadCollector.selector);
        o = _bridge("1", address(usdc), 100e6, 0);
        o.collector = thief;
        _refused(o, RouteExecutor.BadCollector.selector);
        o.collector = address(0);
        _run(o); // without a fee, no collector needs to be named
    }

    function test_F21_an_order_expires_within_an_hour() public {
        usdc.mint(account, 100e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 0);
        o.deadline = uint64(_now() + 1 hours + 1);
        _refused(o, RouteExecutor.DeadlineTooFar.selector);
        o.deadline = uint64(_now() - 1);
        _refused(o, RouteExecutor.Expired.selector);
        o.deadline = uint64(_now() + 1 hours);
        bytes memory signature = _sign(executor, o, signerKey);
        _wait(1 hours + 1);
        vm.prank(relayer);
        vm.expectPartialRevert(RouteExecutor.Expired.selector);
        executor.execute(o, signature);
        o = _bridge("1", address(usdc), 100e6, 0);
        o.deadline = uint64(_now());
        _run(o);
    }

    /// A relayer could force a target's worse branch with its gas limit alone. The signed minimum prevents that.
    function test_F24_the_relayer_cannot_go_below_the_signed_gas_floor() public {
        usdc.mint(account, 200e6);
        registry.createAccount(salt);
        odd.set(OddDiamond.Mode.PoorBranch, 0);
        Order memory o = _viaOdd("1", address(usdc), 100e6, 0);
        bytes memory signature = _sign(executor, o, signerKey);
        uint256 forced;
        for (uint256 gas = 250_000; gas < 4_500_000 && forced == 0; gas += 20_000) {
            vm.prank(relayer);
            try executor.execute{gas: gas}(o, signature) {
                forced = gas;
            } catch {}
        }
        require(forced != 0 && odd.poor() == 1 && odd.good() == 0); // the fault is real
        o = _viaOdd("2", address(usdc), 100e6, 0);
        o.minGas = 4_500_000;
        signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectPartialRevert(RouteExecutor.GasTooLow.selector);
        executor.execute{gas: forced}(o, signature);
        vm.prank(relayer);
        executor.execute{gas: 4_700_000}(o, signature);
        _equal(odd.good(), 1);
    }

    /// The signer's rule: five sixths of the gas limit, which is the measured gas plus three tenths.
    function test_C12_a_heavy_target_has_no_poor_branch_at_five_sixths_of_the_gas_limit() public {
        usdc.mint(account, 200e6);
        registry.createAccount(salt);
        odd.set(OddDiamond.Mode.PoorBranch, 0);
        uint256 limit = _gasOf(_viaOdd("1", address(usdc), 100e6, 0)) * 13 / 10;
        Order memory o = _viaOdd("2", address(usdc), 100e6, 0);
        o.minGas = limit * 5 / 6 - 40_000; // less the cost of a transaction and its bytes
        bytes memory signature = _sign(executor, o, signerKey);
        for (uint256 gas = 250_000; gas <= limit && !registry.routeUsed(salt, "2"); gas += 20_000) {
            vm.prank(relayer);
            try executor.execute{gas: gas}(o, signature) {} catch {}
        }
        require(registry.routeUsed(salt, "2") && odd.good() == 2 && odd.poor() == 0);
    }

    /// Only the relayer's gas limit bounds it. A limit on chain (a stipend) would break smart wallets.
    function test_F18_the_relayers_gas_limit_stops_a_greedy_recipient() public {
        Greedy greedy = new Greedy();
        vm.deal(account, 1);
        Order memory o = _pay("1", address(0), 1, 0);
        o.intent.recipient = address(greedy);
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectRevert();
        executor.execute{gas: 400_000}(o, signature);
        require(!registry.routeUsed(salt, "1") && account.balance == 1);
    }

    function test_an_order_above_the_balance_is_refused() public {
        usdc.mint(account, 100e6);
        _refused(_bridge("1", address(usdc), 100e6 + 1, 0), RouteExecutor.InsufficientBalance.selector);
        _refused(_bridge("1", address(0), 1, 0), RouteExecutor.InsufficientBalance.selector);
    }

    function test_F32_the_executors_own_balance_goes_only_to_a_collector() public {
        usdc.mint(address(executor), 5e6);
        vm.deal(address(this), 1 ether);
        new Forcer{value: 1 ether}(payable(address(executor)));
        usdc.mint(account, 10e6);
        _run(_bridge("1", address(usdc), 10e6, 0));
        _equal(address(executor).balance, 1 ether);
        vm.prank(thief);
        vm.expectRevert();
        executor.sweep(address(usdc), collector);
        vm.startPrank(admin);
        vm.expectRevert();
        executor.sweep(address(usdc), thief);
        executor.sweep(address(usdc), collector);
        executor.sweep(address(0), collector);
        vm.stopPrank();
        _equal(usdc.balanceOf(collector), 5e6);
        _equal(collector.balance, 1 ether);
    }

    // ---------------------------------------------------------------- the same order as EIP-712 JSON

    function _typedData(Order memory o) private view returns (string memory) {
        return string.concat(
            '{"types":{"EIP712Domain":[{"name":"name","type":"string"},{"name":"version","type":"string"},',
            '{"name":"chainId","type":"uint256"},{"name":"verifyingContract","type":"address"}],',
            '"Intent":[{"name":"toChainId","type":"uint256"},{"name":"tokenOut","type":"address"},',
            '{"name":"recipient","type":"address"},{"name":"minOut","type":"uint256"}],"Order":[',
            '{"name":"routeId","type":"bytes32"},{"name":"accountSalt","type":"bytes32"},{"name":"kind","type":"uint8"},',
            '{"name":"token","type":"address"},{"name":"amountIn","type":"uint256"},{"name":"minSpent","type":"uint256"},',
            '{"name":"protocolFee","type":"uint256"},{"name":"gasFee","type":"uint256"},{"name":"collector","type":"address"},',
            '{"name":"intent","type":"Intent"},{"name":"target","type":"address"},{"name":"spender","type":"address"},',
            '{"name":"nativeFee","type":"uint256"},{"name":"minGas","type":"uint256"},{"name":"deadline","type":"uint64"},',
            '{"name":"data","type":"bytes"}]},"primaryType":"Order","domain":{"name":"Switchyard","version":"1","chainId":',
            vm.toString(block.chainid),
            ',"verifyingContract":"',
            vm.toString(address(executor)),
            '"},"message":',
            _message(o)
        );
    }

    function _message(Order memory o) private pure returns (string memory) {
        string memory head = string.concat(
            '{"routeId":"',
            vm.toString(o.routeId),
            '","accountSalt":"',
            vm.toString(o.accountSalt),
            '","kind":3,"token":"',
            vm.toString(o.token),
            '","amountIn":',
            vm.toString(o.amountIn),
            ',"minSpent":',
            vm.toString(o.minSpent)
        );
        string memory fees = string.concat(
            ',"protocolFee":',
            vm.toString(o.protocolFee),
            ',"gasFee":',
            vm.toString(o.gasFee),
            ',"collector":"',
            vm.toString(o.collector),
            '","intent":',
            _intent(o.intent)
        );
        string memory call = string.concat(
            ',"target":"',
            vm.toString(o.target),
            '","spender":"',
            vm.toString(o.spender),
            '","nativeFee":',
            vm.toString(o.nativeFee),
            ',"minGas":',
            vm.toString(o.minGas),
            ',"deadline":',
            vm.toString(o.deadline)
        );
        return string.concat(head, fees, call, ',"data":"', vm.toString(o.data), '"}}');
    }

    function _intent(Intent memory i) private pure returns (string memory) {
        return string.concat(
            '{"toChainId":',
            vm.toString(i.toChainId),
            ',"tokenOut":"',
            vm.toString(i.tokenOut),
            '","recipient":"',
            vm.toString(i.recipient),
            '","minOut":',
            vm.toString(i.minOut),
            "}"
        );
    }
}
