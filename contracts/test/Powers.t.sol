// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ExecutorSettings, Item, Rule} from "../src/ExecutorSettings.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {Token} from "./support/Tokens.sol";
import {Vm} from "./support/Vm.sol";

/// Pays one of its holders one unit less than was sent.
contract OneUnitShort is Token {
    address private immutable _who;

    constructor(address who) {
        _who = who;
    }

    function _move(address from, address to, uint256 value) internal override {
        balanceOf[from] -= value;
        balanceOf[to] += to == _who ? value - 1 : value;
    }
}

/// The limits of power. Each rule here was once removed from the contracts without failing a test.
contract PowersTest is Base {
    address private constant newKey = address(0x4E77);

    struct Widening {
        Item what;
        bytes32 key;
        bytes call;
    }

    function _widenings() private view returns (Widening[7] memory all) {
        Rule memory rule = Rule(address(odd), 0x01020304, address(odd), openGuard, openGuard.codehash);
        bytes32 ruleKey = executor.ruleKey(address(odd), 0x01020304, address(odd));
        all[0] = Widening(Item.Everything, 0, abi.encodeCall(ExecutorSettings.unpause, ()));
        all[1] = Widening(Item.Relayer, _key(newKey), abi.encodeCall(ExecutorSettings.addRelayer, (newKey)));
        all[2] = Widening(Item.Signer, _key(newKey), abi.encodeCall(ExecutorSettings.addSigner, (newKey)));
        all[3] = Widening(Item.Collector, _key(newKey), abi.encodeCall(ExecutorSettings.addCollector, (newKey)));
        all[4] = Widening(Item.Rule, ruleKey, abi.encodeCall(ExecutorSettings.addRule, (rule)));
        all[5] = Widening(Item.Cap, _key(address(dai)), abi.encodeCall(ExecutorSettings.setCap, (address(dai), 5)));
        all[6] = Widening(Item.NativeFee, 0, abi.encodeCall(ExecutorSettings.setMaxNativeFee, (1 ether)));
    }

    function _schedule(bytes memory call) private {
        vm.prank(admin);
        executor.schedule(call);
    }

    function test_a_stop_voids_any_scheduled_change_of_the_same_item() public {
        for (uint256 i; i < 7; ++i) {
            Widening memory wide = _widenings()[i];
            _schedule(wide.call);
            _stop(wide.what, wide.key);
            _wait(2 days);
            vm.prank(admin);
            vm.expectPartialRevert(ExecutorSettings.StoppedSince.selector);
            executor.applyChange(wide.call);
        }
    }

    function test_a_stop_voids_no_scheduled_change_of_another_item() public {
        for (uint256 i; i < 7; ++i) {
            Widening memory wide = _widenings()[i];
            _schedule(wide.call);
            for (uint256 other; other < 7; ++other) {
                Widening memory stopped = _widenings()[other];
                if (other != i) _stop(stopped.what, stopped.key);
            }
            if (wide.key != 0) _stop(wide.what, bytes32(uint256(7)));
            _wait(2 days);
            vm.prank(admin);
            executor.applyChange(wide.call);
            _wait(1);
        }
    }

    function test_a_lowered_cap_voids_a_scheduled_raise() public {
        bytes memory raise = abi.encodeCall(ExecutorSettings.setCap, (address(usdc), 2 * dayCap));
        _schedule(raise);
        vm.prank(guardian);
        executor.lowerCap(address(usdc), dayCap - 1);
        _wait(2 days);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.StoppedSince.selector);
        executor.applyChange(raise);
    }

    function test_a_signer_never_becomes_a_relayer_nor_a_relayer_a_signer() public {
        bytes[2] memory calls = [
            abi.encodeCall(ExecutorSettings.addRelayer, (vm.addr(signerKey))),
            abi.encodeCall(ExecutorSettings.addSigner, (relayer))
        ];
        for (uint256 i; i < 2; ++i) {
            _schedule(calls[i]);
            _wait(2 days);
            vm.prank(admin);
            vm.expectPartialRevert(ExecutorSettings.BadSetting.selector);
            executor.applyChange(calls[i]);
        }
    }

    function test_only_the_admin_sweeps() public {
        usdc.mint(address(executor), 5e6);
        address[4] memory others = [guardian, recovery, relayer, vm.addr(signerKey)];
        for (uint256 i; i < 4; ++i) {
            vm.prank(others[i]);
            vm.expectPartialRevert(ExecutorSettings.Denied.selector);
            executor.sweep(address(usdc), collector);
        }
        _equal(usdc.balanceOf(address(executor)), 5e6);
    }

    function test_an_order_is_refused_if_its_fee_arrives_one_unit_short() public {
        Token token = new OneUnitShort(collector);
        _list(address(token));
        token.mint(account, 100e6);
        _refused(_pay("1", address(token), 100e6, 1e6), RouteExecutor.FeeNotReceived.selector);
        Order memory free = _pay("2", address(token), 100e6, 0);
        _run(free);
    }

    function test_a_stop_emits_the_stopped_item_and_its_caller() public {
        for (uint256 i; i < 7; ++i) {
            Widening memory wide = _widenings()[i];
            vm.expectEmit(true, true, true, true, address(executor));
            emit ExecutorSettings.Stopped(wide.what, wide.key, guardian);
            _stop(wide.what, wide.key);
        }
    }

    function test_scheduling_applying_and_cancelling_emit_events() public {
        bytes memory call = abi.encodeCall(ExecutorSettings.addCollector, (newKey));
        bytes32 id = keccak256(call);
        vm.expectEmit(true, true, true, true, address(executor));
        emit ExecutorSettings.Scheduled(id, uint64(_now() + 2 days), call);
        _schedule(call);
        vm.expectEmit(true, true, true, true, address(executor));
        emit ExecutorSettings.Cancelled(id, guardian);
        vm.prank(guardian);
        executor.cancel(id);
        _schedule(call);
        _wait(2 days);
        vm.expectEmit(true, true, true, true, address(executor));
        emit ExecutorSettings.Applied(id);
        vm.prank(admin);
        executor.applyChange(call);
    }

    function test_an_order_may_live_exactly_one_hour() public {
        usdc.mint(account, 300e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 0);
        o.deadline = uint64(_now() + 1 hours);
        _run(o);
        o = _bridge("2", address(usdc), 100e6, 0);
        o.deadline = uint64(_now() + 1 hours);
        bytes memory signature = _sign(executor, o, signerKey);
        _wait(1 hours); // the last second counts
        vm.prank(relayer);
        executor.execute(o, signature);
        o = _bridge("3", address(usdc), 100e6, 0);
        o.deadline = uint64(_now() + 1 hours + 1);
        _refused(o, RouteExecutor.DeadlineTooFar.selector);
    }

    function test_a_scheduled_change_applies_until_the_last_second_of_its_window() public {
        bytes memory call = abi.encodeCall(ExecutorSettings.addCollector, (newKey));
        _schedule(call);
        _wait(2 days + 14 days);
        vm.prank(admin);
        executor.applyChange(call); // the last second counts
        require(executor.isCollector(newKey));
    }
}
