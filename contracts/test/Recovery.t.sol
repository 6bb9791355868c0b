// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {AccountRegistry} from "../src/AccountRegistry.sol";
import {ExecutorSettings, Item, Settings, TokenCap} from "../src/ExecutorSettings.sol";
import {Order} from "../src/Order.sol";
import {Recovery, RecoveryExecutor} from "../src/RecoveryExecutor.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {RecoveryBase} from "./support/RecoveryBase.sol";
import {BlockToken, FalseToken, FeeToken, HookToken, NativeMirror, OnTopToken, TetherLike} from "./support/Tokens.sol";
import {Vm} from "./support/Vm.sol";

/// Tokens that no route takes are returned: immediately to the refund address named by both hot keys, or later by two
/// holders.
contract RecoveryTest is RecoveryBase {
    // ---------------------------------------------------------------- refunds

    function test_both_hot_keys_refund_an_unlisted_token_whole() public {
        stray.mint(account, 70e18);
        vm.recordLogs();
        _refund(_refundOrder("1", address(stray), 70e18));
        require(stray.balanceOf(user) == 70e18 && stray.balanceOf(account) == 0 && account.code.length != 0);
        require(registry.routeUsed(salt, "1"));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory last = logs[logs.length - 1];
        require(last.emitter == address(recoveries) && last.topics[0] == RouteExecutor.RouteExecuted.selector);
        require(last.topics[1] == "1" && last.topics[2] == _key(account) && last.topics[3] == _key(address(stray)));
        require(abi.decode(last.data, (uint256)) == 70e18);
    }

    function test_C14_refund_keys_cannot_become_holders_even_without_the_route_executor() public {
        vm.prank(guardian);
        registry.removeModule(address(executor));
        address[2] memory hot = [relayer, vm.addr(signerKey)];
        for (uint256 i; i < 2; ++i) {
            vm.prank(guardian);
            vm.expectPartialRevert(AccountRegistry.BadHolder.selector);
            registry.replace(0, hot[i]);
        }
        require(!recoveries.isHotKey(thief));
    }

    function test_native_coin_cannot_leave_through_its_token_mirror() public {
        vm.etch(0x0000000000000000000000000000000000001010, address(new NativeMirror()).code);
        vm.deal(account, 1 ether);
        Order memory o = _refundOrder("1", 0x0000000000000000000000000000000000001010, 1 ether);
        _refundRefused(o, RouteExecutor.Underspent.selector);
        Recovery memory r = _tokens(o.token, 1 ether);
        _approve(admin, r);
        _approve(recovery, r);
        _wait(3 days);
        _recoverRefused(r, RecoveryExecutor.Refused.selector);
        require(account.balance == 1 ether);
    }

    function test_hot_keys_cannot_refund_a_token_that_has_or_had_a_cap() public {
        usdc.mint(account, 10e6);
        vm.deal(account, 1 ether);
        _refundRefused(_refundOrder("1", address(usdc), 1e6), RecoveryExecutor.Routable.selector);
        _refundRefused(_refundOrder("1", address(0), 1 ether), RecoveryExecutor.Routable.selector);
        _stop(Item.Cap, _key(address(usdc)));
        _refundRefused(_refundOrder("1", address(usdc), 1e6), RecoveryExecutor.Routable.selector);
        stray.mint(account, 10e18);
        _list(address(stray));
        _refundRefused(_refundOrder("1", address(stray), 1e18), RecoveryExecutor.Routable.selector);
        vm.prank(guardian);
        executor.lowerCap(address(stray), 0);
        _refundRefused(_refundOrder("1", address(stray), 1e18), RecoveryExecutor.Routable.selector);
    }

    function test_a_refund_must_be_a_payment_on_this_chain() public {
        stray.mint(account, 10e18);
        for (uint256 field; field < 8; ++field) {
            Order memory o = _refundOrder("1", address(stray), 1e18);
            if (field == 0) o.kind = 2;
            if (field == 1) o.kind = 3;
            if (field == 2) o.intent.toChainId = 137;
            if (field == 3) o.intent.tokenOut = address(usdc);
            if (field == 4) o.target = address(odd);
            if (field == 5) o.spender = address(odd);
            if (field == 6) o.nativeFee = 1;
            if (field == 7) o.data = hex"01";
            _refundRefused(o, RecoveryExecutor.NotAPayment.selector);
        }
    }

    function test_a_refund_has_no_fee_and_needs_a_minimum() public {
        stray.mint(account, 10e18);
        Order memory o = _refundOrder("1", address(stray), 1e18);
        o.protocolFee = 1;
        _refundRefused(o, RouteExecutor.BadFees.selector);
        (o.protocolFee, o.gasFee) = (0, 1);
        _refundRefused(o, RouteExecutor.BadFees.selector);
        (o.gasFee, o.minSpent) = (0, 0);
        _refundRefused(o, RouteExecutor.BadMinimum.selector);
        o.minSpent = o.amountIn + 1;
        _refundRefused(o, RouteExecutor.BadMinimum.selector);
        (o.minSpent, o.intent.minOut) = (o.amountIn, 0);
        _refundRefused(o, RouteExecutor.BadMinimum.selector);
        (o.intent.minOut, o.amountIn, o.minSpent) = (1, 11e18, 11e18);
        _refundRefused(o, RouteExecutor.InsufficientBalance.selector);
    }

    function test_a_refund_needs_both_hot_keys_and_obeys_the_route_executors_stops() public {
        stray.mint(account, 10e18);
        Order memory o = _refundOrder("1", address(stray), 1e18);
        bytes memory signature = _signRefund(o, signerKey);
        vm.prank(thief);
        vm.expectPartialRevert(RouteExecutor.NotRelayer.selector);
        recoveries.execute(o, signature);
        bytes memory other = _signRefund(o, 0x7E1F);
        vm.prank(relayer);
        vm.expectRevert(RouteExecutor.BadSignature.selector);
        recoveries.execute(o, other);
        other = _sign(executor, o, signerKey); // for the other executor
        vm.prank(relayer);
        vm.expectRevert(RouteExecutor.BadSignature.selector);
        recoveries.execute(o, other);
        _stop(Item.Everything, 0);
        _refundRefused(o, RouteExecutor.Paused.selector);
        _wait(1);
        _change(abi.encodeCall(ExecutorSettings.unpause, ()));
        o.deadline = uint64(_now() + 600);
        _stop(Item.Signer, _key(vm.addr(signerKey)));
        _refundRefused(o, RouteExecutor.BadSignature.selector);
        _stop(Item.Relayer, _key(relayer));
        signature = _signRefund(o, secondSignerKey);
        vm.prank(relayer);
        vm.expectPartialRevert(RouteExecutor.NotRelayer.selector);
        recoveries.execute(o, signature);
    }

    function test_a_refund_runs_once_within_an_hour_and_above_its_gas_floor() public {
        stray.mint(account, 10e18);
        Order memory o = _refundOrder("1", address(stray), 1e18);
        o.deadline = uint64(_now() + 1 hours + 1);
        _refundRefused(o, RouteExecutor.DeadlineTooFar.selector);
        o.deadline = uint64(_now() - 1);
        _refundRefused(o, RouteExecutor.Expired.selector);
        o = _refundOrder("1", address(stray), 1e18);
        o.minGas = 90_000_000;
        _refundRefusedWith(o, RouteExecutor.GasTooLow.selector, 1_000_000);
        o.minGas = 0;
        o.deadline = uint64(_now() + 1 hours);
        _refund(o);
        o.amountIn = o.minSpent = o.intent.minOut = 2e18;
        _refundRefused(o, bytes4(keccak256("RouteUsed(bytes32)")));
        // The route executor cannot use it either: the id is spent for all modules.
        usdc.mint(account, 10e6);
        _refused(_pay("1", address(usdc), 1e6, 0), bytes4(keccak256("RouteUsed(bytes32)")));
    }

    function test_unusable_receivers_are_refused() public {
        stray.mint(account, 10e18);
        address[6] memory foolish =
            [address(0), account, address(stray), address(recoveries), address(registry), address(executor)];
        for (uint256 i; i < foolish.length; ++i) {
            Order memory o = _refundOrder("1", address(stray), 1e18);
            o.intent.recipient = foolish[i];
            _refundRefused(o, RouteExecutor.BadRecipient.selector);
            Recovery memory r = _tokens(address(stray), 1e18);
            r.to = foolish[i];
            if (r.to == address(0)) continue;
            _approveBoth(r);
            _wait(3 days);
            _recoverRefused(r, RouteExecutor.BadRecipient.selector);
        }
    }

    function test_at_most_twenty_refunds_run_in_a_day() public {
        stray.mint(account, 100e18);
        for (uint256 i; i < 20; ++i) {
            _refund(_refundOrder(bytes32(i + 1), address(stray), 1e18));
        }
        _refundRefused(_refundOrder("x", address(stray), 1e18), RecoveryExecutor.TooManyRefunds.selector);
        _wait(1 days);
        _refund(_refundOrder("x", address(stray), 1e18));
        require(recoveries.refundsOnDay() == 1 && stray.balanceOf(user) == 21e18);
    }

    function test_unusual_tokens_are_refunded_only_within_the_orders_terms() public {
        FeeToken fee = new FeeToken();
        fee.mint(account, 10e18);
        Order memory o = _refundOrder("1", address(fee), 1e18);
        _refundRefused(o, RouteExecutor.OutputTooLow.selector);
        o.intent.minOut = 1;
        _refund(o);
        OnTopToken onTop = new OnTopToken();
        onTop.mint(account, 10e18);
        _refundRefused(_refundOrder("2", address(onTop), 1e18), RouteExecutor.Overspent.selector);
        FalseToken no = new FalseToken();
        no.mint(account, 10e18);
        _refundRefused(_refundOrder("2", address(no), 1e18), RouteExecutor.Underspent.selector);
        TetherLike silent = new TetherLike();
        silent.mint(account, 10e18);
        _refund(_refundOrder("2", address(silent), 1e18));
        require(silent.balanceOf(user) == 1e18);
    }

    function test_a_token_that_calls_back_moves_nothing_more() public {
        HookToken hook = new HookToken();
        hook.mint(account, 10e18);
        _change(abi.encodeCall(ExecutorSettings.addRelayer, (address(hook))));
        Order memory inner = _refundOrder("2", address(hook), 1e18);
        bytes memory signature = _signRefund(inner, signerKey);
        hook.setHook(address(recoveries), abi.encodeCall(RecoveryExecutor.execute, (inner, signature)));
        _refund(_refundOrder("1", address(hook), 1e18));
        require(hook.called() && !hook.succeeded() && !registry.routeUsed(salt, "2"));
        Recovery memory r = _tokens(address(hook), 1e18);
        hook.setHook(address(recoveries), abi.encodeCall(RecoveryExecutor.recover, (r)));
        _approveBoth(r);
        _wait(3 days);
        vm.prank(recovery);
        recoveries.recover(r);
        require(!hook.succeeded() && hook.balanceOf(other) == 1e18);
    }

    function testFuzz_a_refund_moves_only_its_amount_from_its_account(uint256 held, uint256 amount, bytes32 id)
        public
    {
        held = held % 1e30 + 1;
        amount = amount % held + 1;
        stray.mint(account, held);
        stray.mint(registry.accountAddress("another"), 5e18);
        usdc.mint(account, 7e6);
        _refund(_refundOrder(id, address(stray), amount));
        require(stray.balanceOf(user) == amount && stray.balanceOf(account) == held - amount);
        require(stray.balanceOf(registry.accountAddress("another")) == 5e18 && usdc.balanceOf(account) == 7e6);
        require(stray.balanceOf(address(recoveries)) == 0);
    }

    // ---------------------------------------------------------------- recoveries

    function test_two_holders_recover_any_asset_after_three_days() public {
        vm.deal(account, 3 ether);
        usdc.mint(account, 9e6);
        nft.mint(account, 7);
        nfts.mint(account, 8, 50);
        Recovery[4] memory all =
            [_tokens(address(0), 2 ether), _tokens(address(usdc), 4e6), _nft(7), _multi(8, 30)];
        for (uint256 i; i < 4; ++i) {
            _approve(admin, all[i]);
            _recoverRefused(all[i], RecoveryExecutor.NotApproved.selector);
            _approve(guardian, all[i]);
            _recoverRefused(all[i], RecoveryExecutor.NotReady.selector);
        }
        _wait(3 days - 1);
        _recoverRefused(all[0], RecoveryExecutor.NotReady.selector);
        _wait(1);
        for (uint256 i; i < 4; ++i) {
            vm.prank(recovery);
            require(recoveries.recover(all[i]) == account);
            _recoverRefused(all[i], bytes4(keccak256("RouteUsed(bytes32)")));
        }
        require(other.balance == 2 ether && account.balance == 1 ether);
        require(usdc.balanceOf(other) == 4e6 && usdc.balanceOf(account) == 5e6);
        require(nft.ownerOf(7) == other && nfts.balanceOf(other, 8) == 30 && nfts.balanceOf(account, 8) == 20);
    }

    function test_only_the_guardian_and_the_admin_can_veto() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        vm.prank(guardian);
        vm.expectPartialRevert(RecoveryExecutor.NotApproved.selector);
        recoveries.veto(r);
        address[2] memory vetoers = [guardian, admin];
        for (uint256 i; i < 2; ++i) {
            _approve(admin, r);
            _approve(recovery, r);
            vm.prank(recovery);
            vm.expectPartialRevert(RecoveryExecutor.Denied.selector);
            recoveries.veto(r);
            vm.prank(thief);
            vm.expectPartialRevert(RecoveryExecutor.Denied.selector);
            recoveries.veto(r);
            vm.prank(vetoers[i]);
            recoveries.veto(r);
            _wait(3 days);
            _recoverRefused(r, RecoveryExecutor.NotApproved.selector);
            // One approval alone does not restore it.
            _approve(admin, r);
            _recoverRefused(r, RecoveryExecutor.NotApproved.selector);
        }
    }

    function test_only_holders_approve_withdraw_and_recover() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        address[3] memory others = [thief, relayer, vm.addr(signerKey)];
        for (uint256 i; i < 3; ++i) {
            vm.startPrank(others[i]);
            vm.expectPartialRevert(RecoveryExecutor.Denied.selector);
            recoveries.approve(r);
            vm.expectPartialRevert(RecoveryExecutor.Denied.selector);
            recoveries.withdraw(r);
            vm.expectPartialRevert(RecoveryExecutor.Denied.selector);
            recoveries.recover(r);
            vm.stopPrank();
        }
        // One holder twice counts as one holder.
        _approve(recovery, r);
        _approve(recovery, r);
        _wait(3 days);
        _recoverRefused(r, RecoveryExecutor.NotApproved.selector);
    }

    function test_an_approval_counts_for_fourteen_days_and_a_schedule_for_fourteen_after_its_delay() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        _approve(admin, r);
        _wait(14 days + 1);
        _approve(recovery, r);
        (,, uint64[3] memory approvedAt) = _statusOf(r);
        require(approvedAt[0] == 0 && approvedAt[2] != 0);
        _approve(admin, r);
        (, uint64 readyAt,) = _statusOf(r);
        require(readyAt == _now() + 3 days);
        _wait(17 days);
        _wait(1);
        _recoverRefused(r, RecoveryExecutor.ApprovalExpired.selector);
        // One holder cannot revive an old schedule.
        _approve(guardian, r);
        _recoverRefused(r, RecoveryExecutor.ApprovalExpired.selector);
        _approve(admin, r);
        _wait(17 days);
        vm.prank(recovery);
        recoveries.recover(r);
        require(stray.balanceOf(other) == 4e18);
    }

    function test_a_withdrawn_approval_cancels_a_schedule_that_needs_it() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        vm.prank(admin);
        vm.expectPartialRevert(RecoveryExecutor.NotApproved.selector);
        recoveries.withdraw(r);
        _approve(admin, r);
        _approve(recovery, r);
        vm.prank(recovery);
        recoveries.withdraw(r);
        _wait(3 days);
        _recoverRefused(r, RecoveryExecutor.NotApproved.selector);
        // With three approvals, one withdrawal stops nothing.
        _approve(recovery, r);
        _approve(guardian, r);
        vm.prank(guardian);
        recoveries.withdraw(r);
        _wait(3 days);
        vm.prank(admin);
        recoveries.recover(r);
    }

    function test_replacing_a_holder_voids_open_recoveries() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        _approve(admin, r);
        _approve(recovery, r);
        vm.prank(guardian);
        registry.replace(0, address(0xBEE));
        vm.prank(recovery);
        registry.replace(0, address(0xBEE));
        _wait(3 days);
        _recoverRefused(r, RecoveryExecutor.NotApproved.selector);
        vm.prank(admin);
        vm.expectPartialRevert(RecoveryExecutor.Denied.selector);
        recoveries.approve(r);
    }

    /// A token that is also a holder tries to recover another account's money during a refund.
    function test_no_recovery_starts_during_a_refund() public {
        HookToken hook = new HookToken();
        for (uint256 i; i < 2; ++i) {
            vm.prank(i == 0 ? guardian : recovery);
            registry.replace(0, address(hook));
        }
        Recovery memory r = _tokens(address(stray), 100);
        r.accountSalt = "b";
        stray.mint(registry.accountAddress("b"), 100);
        _approve(guardian, r);
        _approve(recovery, r);
        _wait(3 days);
        hook.mint(account, 100);
        hook.setHook(address(recoveries), abi.encodeCall(RecoveryExecutor.recover, (r)));
        _refund(_refundOrder("1", address(hook), 100));
        require(hook.called() && !hook.succeeded() && stray.balanceOf(other) == 0);
        vm.prank(address(hook)); // between refunds it may
        recoveries.recover(r);
        require(stray.balanceOf(other) == 100);
    }

    function test_a_routable_token_leaves_only_with_the_guardians_approval() public {
        usdc.mint(account, 9e6);
        vm.deal(account, 1 ether);
        Recovery[2] memory all = [_tokens(address(usdc), 4e6), _tokens(address(0), 1 ether)];
        for (uint256 i; i < 2; ++i) {
            _approve(admin, all[i]);
            _approve(recovery, all[i]);
        }
        _wait(3 days);
        for (uint256 i; i < 2; ++i) {
            _recoverRefused(all[i], RecoveryExecutor.GuardianMustApprove.selector);
            _approve(guardian, all[i]);
            vm.prank(admin);
            recoveries.recover(all[i]);
        }
        require(usdc.balanceOf(other) == 4e6 && other.balance == 1 ether);
    }

    function test_a_stopped_cap_still_needs_the_guardians_approval() public {
        usdc.mint(account, 9e6);
        stray.mint(account, 9e18);
        _list(address(stray));
        Recovery[2] memory all = [_tokens(address(usdc), 4e6), _tokens(address(stray), 4e18)];
        vm.startPrank(admin);
        executor.stop(Item.Cap, _key(address(usdc)));
        executor.lowerCap(address(stray), 0);
        vm.stopPrank();
        for (uint256 i; i < 2; ++i) {
            _approve(admin, all[i]);
            _approve(recovery, all[i]);
        }
        _wait(3 days);
        for (uint256 i; i < 2; ++i) {
            _recoverRefused(all[i], RecoveryExecutor.GuardianMustApprove.selector);
            _approve(guardian, all[i]);
            vm.prank(admin);
            recoveries.recover(all[i]);
        }
        require(usdc.balanceOf(other) == 4e6 && stray.balanceOf(other) == 4e18);
    }

    function test_a_routed_token_needs_the_guardian_even_without_its_cap() public {
        usdc.mint(account, 10e6);
        _run(_pay("1", address(usdc), 1e6, 0));
        _change(abi.encodeCall(ExecutorSettings.setCap, (address(usdc), 0)));
        require(executor.stoppedAt(Item.Cap, _key(address(usdc))) == 0);
        _refundRefused(_refundOrder("2", address(usdc), 1e6), RecoveryExecutor.Routable.selector);
        Recovery memory r = _tokens(address(usdc), 4e6);
        _approve(admin, r);
        _approve(recovery, r);
        _wait(3 days);
        _recoverRefused(r, RecoveryExecutor.GuardianMustApprove.selector);
    }

    /// The RouteExecutor's settings keep no trace of such a cap. Holders who use `stop` or `lowerCap` leave one.
    function test_an_unused_cap_that_a_delayed_change_removed_is_forgotten() public {
        stray.mint(account, 10e18);
        _list(address(stray));
        _change(abi.encodeCall(ExecutorSettings.setCap, (address(stray), 0)));
        _refund(_refundOrder("1", address(stray), 1e18));
        require(stray.balanceOf(user) == 1e18);
    }

    function test_native_coin_needs_the_guardian_even_if_it_never_had_a_cap() public {
        Settings memory settings = _settings();
        settings.caps = new TokenCap[](0);
        executor = RouteExecutor(
            payable(vm.deployCode("artifacts/RouteExecutor.json", abi.encode(address(registry), settings)))
        );
        recoveries =
            RecoveryExecutor(vm.deployCode("artifacts/RecoveryExecutor.json", abi.encode(address(executor))));
        _install(address(recoveries));
        vm.deal(account, 1 ether);
        _refundRefused(_refundOrder("1", address(0), 1 ether), RecoveryExecutor.Routable.selector);
        Recovery memory r = _tokens(address(0), 1 ether);
        _approve(admin, r);
        _approve(recovery, r);
        _wait(3 days);
        _recoverRefused(r, RecoveryExecutor.GuardianMustApprove.selector);
        _approve(guardian, r);
        vm.prank(admin);
        recoveries.recover(r);
        require(other.balance == 1 ether);
    }

    function test_an_approval_covers_one_exact_recovery() public {
        stray.mint(account, 9e18);
        Recovery memory good = _tokens(address(stray), 4e18);
        _approveBoth(good);
        _wait(3 days);
        for (uint256 field; field < 7; ++field) {
            Recovery memory r = _tokens(address(stray), 4e18);
            if (field == 0) r.accountSalt = "another";
            if (field == 1) r.kind = 3;
            if (field == 2) r.asset = address(usdc);
            if (field == 3) r.id = 1;
            if (field == 4) r.amount += 1;
            if (field == 5) r.to = thief;
            if (field == 6) r.label = "another";
            _recoverRefused(r, RecoveryExecutor.NotApproved.selector);
        }
        vm.chainId(137);
        _recoverRefused(good, RecoveryExecutor.NotApproved.selector);
        vm.chainId(31337);
        vm.prank(admin);
        recoveries.recover(good);
    }

    function test_an_invalid_recovery_cannot_be_approved() public {
        for (uint256 i; i < 9; ++i) {
            Recovery memory r = _tokens(address(stray), 4e18);
            if (i == 0) r.kind = 0;
            if (i == 1) r.kind = 4;
            if (i == 2) r.id = 1;
            if (i == 3) r.amount = 0;
            if (i == 4) r.to = address(0);
            if (i == 5) r.kind = 2; // with an amount
            if (i == 6) (r.kind, r.amount, r.asset) = (2, 0, address(0));
            if (i == 7) (r.kind, r.amount) = (3, 0);
            if (i == 8) (r.kind, r.asset) = (3, address(0));
            vm.prank(admin);
            vm.expectPartialRevert(RecoveryExecutor.BadRecovery.selector);
            recoveries.approve(r);
        }
    }

    function test_a_recovery_fails_without_a_trace_if_the_token_returns_false_or_has_no_code() public {
        FalseToken no = new FalseToken();
        no.mint(account, 9e18);
        BlockToken blocked = new BlockToken();
        blocked.mint(account, 9e18);
        blocked.setBlocked(other);
        Recovery[3] memory all =
            [_tokens(address(no), 1e18), _tokens(address(blocked), 1e18), _tokens(address(0xDEAD), 1e18)];
        for (uint256 i; i < 3; ++i) {
            _approveBoth(all[i]);
        }
        _wait(3 days);
        _recoverRefused(all[0], RecoveryExecutor.Refused.selector);
        _recoverRefused(all[1], bytes4(keccak256("CallFailed(uint256,address,bytes)")));
        _recoverRefused(all[2], bytes4(keccak256("NoCode(address)")));
        (bytes32 id,,) = _statusOf(all[0]);
        require(!registry.routeUsed(salt, id));
    }

    function test_a_recovery_emits_an_event_for_each_step() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        (bytes32 id,,) = _statusOf(r);
        vm.recordLogs();
        _approveBoth(r);
        vm.prank(guardian);
        recoveries.veto(r);
        _approveBoth(r);
        vm.prank(admin);
        recoveries.withdraw(r);
        _approve(admin, r);
        _wait(3 days);
        vm.prank(admin);
        recoveries.recover(r);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        bytes32[11] memory names = [
            RecoveryExecutor.RecoveryApproved.selector,
            RecoveryExecutor.RecoveryApproved.selector,
            RecoveryExecutor.RecoveryScheduled.selector,
            RecoveryExecutor.RecoveryVetoed.selector,
            RecoveryExecutor.RecoveryApproved.selector,
            RecoveryExecutor.RecoveryApproved.selector,
            RecoveryExecutor.RecoveryScheduled.selector,
            RecoveryExecutor.RecoveryWithdrawn.selector,
            RecoveryExecutor.RecoveryApproved.selector,
            RecoveryExecutor.RecoveryScheduled.selector,
            RecoveryExecutor.Recovered.selector
        ];
        uint256 seen;
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter != address(recoveries)) continue;
            require(logs[i].topics[0] == names[seen++] && logs[i].topics[1] == id);
        }
        require(seen == 11);
    }

    /// USDT-like tokens with a leftover allowance: the recovery of one moves nothing of the other.
    function test_a_recovery_moves_only_its_token_while_another_waits() public {
        TetherLike first = new TetherLike();
        TetherLike second = new TetherLike();
        first.mint(account, 9e18);
        second.mint(account, 9e18);
        vm.prank(account);
        second.approve(thief, 5e18);
        Recovery memory waiting = _tokens(address(first), 4e18);
        Recovery memory r = _tokens(address(second), 3e18);
        _approveBoth(r);
        _wait(1 days);
        _approveBoth(waiting);
        _wait(2 days);
        _recoverRefused(waiting, RecoveryExecutor.NotReady.selector);
        vm.recordLogs();
        vm.prank(admin);
        recoveries.recover(r);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        Vm.Log memory last = logs[logs.length - 1];
        require(last.topics[0] == RecoveryExecutor.Recovered.selector);
        require(last.topics[3] == bytes32(uint256(uint160(address(second)))));
        (Recovery memory told,) = abi.decode(last.data, (Recovery, address));
        require(told.amount == 3e18 && second.balanceOf(told.to) == told.amount);
        require(second.balanceOf(account) == 6e18 && first.balanceOf(account) == 9e18);
        require(second.allowance(account, thief) == 5e18);
        _wait(1 days);
        vm.prank(admin);
        recoveries.recover(waiting);
        require(first.balanceOf(account) == 5e18);
    }

    function testFuzz_a_recovery_needs_two_holders_and_three_days(uint8 who, uint256 wait) public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        address[3] memory holders = [admin, guardian, recovery];
        for (uint256 i; i < 3; ++i) {
            if (who & (1 << i) != 0) _approve(holders[i], r);
        }
        _wait(wait % 30 days);
        vm.prank(admin);
        try recoveries.recover(r) {
            uint256 count = (who & 1) + (who >> 1 & 1) + (who >> 2 & 1);
            require(count >= 2 && wait % 30 days >= 3 days && wait % 30 days <= 17 days);
        } catch {
            require(stray.balanceOf(other) == 0);
        }
    }

    // ---------------------------------------------------------------- as a module

    function test_a_removed_recovery_executor_moves_nothing() public {
        stray.mint(account, 9e18);
        Recovery memory r = _tokens(address(stray), 4e18);
        _approveBoth(r);
        _wait(3 days);
        vm.prank(guardian);
        registry.removeModule(address(recoveries));
        _recoverRefused(r, bytes4(keccak256("Denied(address)")));
        _refundRefused(_refundOrder("1", address(stray), 1e18), bytes4(keccak256("Denied(address)")));
    }
}
