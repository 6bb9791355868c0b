// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ExecutorSettings, Item, Rule, Settings, TokenCap} from "../src/ExecutorSettings.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {Diamond} from "./support/Diamonds.sol";
import {HookToken} from "./support/Tokens.sol";
import {Vm} from "./support/Vm.sol";

contract SettingsTest is Base {
    function _calls() private view returns (bytes[7] memory) {
        return [
            abi.encodeCall(ExecutorSettings.addRelayer, (thief)),
            abi.encodeCall(ExecutorSettings.addSigner, (thief)),
            abi.encodeCall(ExecutorSettings.addCollector, (thief)),
            abi.encodeCall(
                ExecutorSettings.addRule, (Rule(address(odd), 0x01020304, address(odd), openGuard, openGuard.codehash))
            ),
            abi.encodeCall(ExecutorSettings.setCap, (address(dai), 5)),
            abi.encodeCall(ExecutorSettings.setMaxNativeFee, (1 ether)),
            abi.encodeCall(ExecutorSettings.unpause, ())
        ];
    }

    function test_F01_a_wider_power_waits_for_its_delay() public {
        bytes[7] memory calls = _calls();
        for (uint256 i; i < 7; ++i) {
            vm.startPrank(admin);
            vm.expectPartialRevert(ExecutorSettings.NotScheduled.selector);
            executor.applyChange(calls[i]);
            executor.schedule(calls[i]);
            vm.expectPartialRevert(ExecutorSettings.NotReady.selector);
            executor.applyChange(calls[i]);
            (bool ok,) = address(executor).call(calls[i]); // nor directly
            require(!ok);
            vm.stopPrank();
        }
        _wait(2 days - 1);
        for (uint256 i; i < 7; ++i) {
            vm.prank(admin);
            vm.expectPartialRevert(ExecutorSettings.NotReady.selector);
            executor.applyChange(calls[i]);
        }
        _wait(1);
        vm.prank(admin);
        executor.applyChange(calls[2]);
        require(executor.isCollector(thief));
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.NotScheduled.selector);
        executor.applyChange(calls[2]);
        _wait(14 days + 1);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.ScheduleExpired.selector);
        executor.applyChange(calls[4]);
    }

    /// An admin that is also a token acts during an order.
    function test_the_admin_neither_applies_a_change_nor_sweeps_during_an_order() public {
        HookToken hook = new HookToken();
        _list(address(hook));
        for (uint256 i; i < 2; ++i) {
            vm.prank(i == 0 ? guardian : recovery);
            registry.replace(0, address(hook));
        }
        bytes memory change = abi.encodeCall(ExecutorSettings.addCollector, (thief));
        vm.prank(address(hook));
        executor.schedule(change);
        _wait(2 days);
        usdc.mint(address(executor), 5);
        bytes[2] memory acts = [
            abi.encodeCall(ExecutorSettings.applyChange, (change)),
            abi.encodeCall(ExecutorSettings.sweep, (address(usdc), collector))
        ];
        for (uint256 i; i < 2; ++i) {
            hook.setHook(address(0), "");
            hook.mint(account, 100);
            hook.setHook(address(executor), acts[i]);
            _run(_pay(bytes32(i), address(hook), 100, 0));
            require(hook.called() && !hook.succeeded());
        }
        require(!executor.isCollector(thief) && usdc.balanceOf(address(executor)) == 5);
        // Between orders it may do both.
        for (uint256 i; i < 2; ++i) {
            vm.prank(address(hook));
            (bool ok,) = address(executor).call(acts[i]);
            require(ok);
        }
    }

    function test_F01_the_guardian_vetoes_a_stolen_admin() public {
        bytes memory call = abi.encodeCall(ExecutorSettings.addSigner, (thief));
        vm.prank(thief);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.schedule(call);
        vm.prank(guardian);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.schedule(call);
        vm.prank(admin);
        bytes32 id = executor.schedule(call);
        vm.prank(thief);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.cancel(id);
        vm.prank(guardian);
        executor.cancel(id);
        _wait(3 days);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.NotScheduled.selector);
        executor.applyChange(call);
        vm.prank(guardian);
        vm.expectPartialRevert(ExecutorSettings.NotScheduled.selector);
        executor.cancel(id);
    }

    function test_only_the_admin_applies() public {
        bytes memory call = abi.encodeCall(ExecutorSettings.addSigner, (thief));
        vm.prank(admin);
        executor.schedule(call);
        _wait(2 days);
        vm.prank(guardian);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.applyChange(call);
    }

    function test_F12_the_guardian_stops_each_item_and_starts_none() public {
        usdc.mint(account, 10_000e6);
        vm.deal(account, 10 ether);
        Order memory fee = _bridge("f", address(usdc), 10e6, 1e6);
        fee.nativeFee = 1;
        bytes4 selector = Diamond.startBridgeTokensViaAcrossV4.selector;
        _stop(Item.NativeFee, 0);
        _refused(fee, RouteExecutor.BadNativeFee.selector);
        fee.nativeFee = 0;
        _stop(Item.Rule, executor.ruleKey(address(odd), selector, address(odd)));
        _refused(_viaOdd("a", address(usdc), 1e6, 0), RouteExecutor.NoRule.selector);
        _stop(Item.Collector, _key(collector));
        _refused(fee, RouteExecutor.BadCollector.selector);
        _stop(Item.Cap, _key(address(usdc)));
        Order memory o = _pay("b", address(usdc), 1, 0);
        o.collector = address(0);
        _refused(o, ExecutorSettings.CapReached.selector);
        o = _pay("c", address(0), 1 ether, 0);
        o.collector = address(0);
        _run(o); // a function that was not stopped continues
        _stop(Item.Signer, _key(vm.addr(signerKey)));
        o.routeId = "d";
        _refused(o, RouteExecutor.BadSignature.selector);
        bytes memory signature = _sign(executor, o, secondSignerKey);
        vm.prank(relayer);
        executor.execute(o, signature); // the second signer continues
        _stop(Item.Everything, 0);
        o.routeId = "e";
        _refused(o, RouteExecutor.Paused.selector);
        _stop(Item.Relayer, _key(relayer));
        _refused(o, RouteExecutor.NotRelayer.selector);
        bytes[7] memory calls = _calls();
        for (uint256 i; i < 7; ++i) {
            vm.startPrank(guardian);
            vm.expectPartialRevert(ExecutorSettings.Denied.selector);
            executor.schedule(calls[i]);
            (bool ok,) = address(executor).call(calls[i]);
            require(!ok);
            vm.stopPrank();
        }
        vm.prank(thief);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.stop(Item.Everything, 0);
        vm.prank(recovery);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.stop(Item.Everything, 0);
    }

    /// An alarm pauses the module instead of removing it, so it can resume after the executor's delay instead of the
    /// registry's longer one.
    function test_F13_a_pause_ends_after_two_days_with_the_module_still_installed() public {
        usdc.mint(account, 100e6);
        _stop(Item.Everything, 0);
        _wait(1);
        require(registry.isExecutor(address(executor)));
        _change(abi.encodeCall(ExecutorSettings.unpause, ()));
        _run(_pay("a", address(usdc), 100e6, 0));
    }

    function test_a_stop_voids_changes_scheduled_before_it() public {
        vm.startPrank(admin);
        bytes memory add = abi.encodeCall(ExecutorSettings.addSigner, (vm.addr(signerKey)));
        bytes memory cap = abi.encodeCall(ExecutorSettings.setCap, (address(usdc), 7));
        bytes memory unpause = abi.encodeCall(ExecutorSettings.unpause, ());
        executor.schedule(add);
        executor.schedule(cap);
        executor.schedule(unpause);
        vm.stopPrank();
        _stop(Item.Signer, _key(vm.addr(signerKey)));
        _stop(Item.Cap, _key(address(usdc)));
        _stop(Item.Everything, 0);
        _wait(2 days);
        vm.startPrank(admin);
        vm.expectPartialRevert(ExecutorSettings.StoppedSince.selector);
        executor.applyChange(add);
        vm.expectPartialRevert(ExecutorSettings.StoppedSince.selector);
        executor.applyChange(cap);
        vm.expectPartialRevert(ExecutorSettings.StoppedSince.selector);
        executor.applyChange(unpause);
        executor.schedule(add);
        _wait(2 days);
        executor.applyChange(add);
        vm.stopPrank();
        require(executor.isSigner(vm.addr(signerKey)));
    }

    function test_a_cap_is_lowered_immediately_and_raised_after_the_delay() public {
        usdc.mint(account, 10_000e6);
        vm.startPrank(guardian);
        vm.expectPartialRevert(ExecutorSettings.BadSetting.selector);
        executor.lowerCap(address(usdc), dayCap);
        executor.lowerCap(address(usdc), 50e6);
        vm.stopPrank();
        _wait(1);
        _refused(_pay("a", address(usdc), 51e6, 0), ExecutorSettings.CapReached.selector);
        _change(abi.encodeCall(ExecutorSettings.setCap, (address(usdc), 100e6)));
        _run(_pay("a", address(usdc), 100e6, 0));
        vm.prank(thief);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.lowerCap(address(usdc), 1);
    }

    function test_a_lowered_cap_counts_what_was_spent_that_day() public {
        usdc.mint(account, 10_000e6);
        _run(_pay("a", address(usdc), 5_000e6, 0));
        vm.prank(guardian);
        executor.lowerCap(address(usdc), 4_000e6);
        _refused(_pay("b", address(usdc), 1, 0), ExecutorSettings.CapReached.selector);
    }

    function test_one_key_never_has_two_powers() public {
        Settings memory s = _settings();
        address[4] memory bad = [admin, guardian, recovery, address(0)];
        for (uint256 i; i < 4; ++i) {
            s.relayers[0] = bad[i];
            _refusedSettings(s);
        }
        s = _settings();
        for (uint256 i; i < 4; ++i) {
            s.signers[0] = bad[i];
            _refusedSettings(s);
        }
        s = _settings();
        s.signers[1] = relayer;
        _refusedSettings(s);
    }

    function test_F29_a_rule_names_addresses_with_code() public {
        Settings memory s = _settings();
        s.rules[0].target = thief;
        _refusedSettings(s);
        s = _settings();
        s.rules[0].spender = thief;
        _refusedSettings(s);
        s = _settings();
        s.rules[0].guard = address(0);
        _refusedSettings(s);
        s = _settings();
        s.rules[0].guard = thief;
        _refusedSettings(s);
        bytes memory call = abi.encodeCall(
            ExecutorSettings.addRule, (Rule(thief, 0x01020304, address(diamond), openGuard, openGuard.codehash))
        );
        vm.prank(admin);
        executor.schedule(call);
        _wait(2 days);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.BadSetting.selector);
        executor.applyChange(call);
    }

    function test_impossible_settings_are_refused() public {
        Settings memory s = _settings();
        s.collectors[0] = address(0);
        _refusedSettings(s);
        s = _settings();
        s.caps[0].limit = uint256(type(uint112).max) + 1;
        _refusedSettings(s);
        s = _settings();
        s.maxNativeFee = uint256(type(uint128).max) + 1;
        _refusedSettings(s);
    }

    function test_a_sweep_fails_if_the_collector_refuses_coin() public {
        _change(abi.encodeCall(ExecutorSettings.addCollector, (address(usdc))));
        vm.deal(address(executor), 1 ether);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.BadSetting.selector);
        executor.sweep(address(0), address(usdc));
        require(address(executor).balance == 1 ether);
    }

    function test_F34_initial_settings_emit_events() public {
        vm.recordLogs();
        _newExecutor();
        Vm.Log[] memory logs = vm.getRecordedLogs();
        bytes32[6] memory expected = [
            ExecutorSettings.RelayerAdded.selector,
            ExecutorSettings.SignerAdded.selector,
            ExecutorSettings.CollectorAdded.selector,
            ExecutorSettings.CapSet.selector,
            ExecutorSettings.RuleAdded.selector,
            ExecutorSettings.MaxNativeFeeSet.selector
        ];
        uint8[6] memory counts = [1, 2, 1, 2, 8, 1];
        for (uint256 i; i < 6; ++i) {
            uint256 count;
            for (uint256 k; k < logs.length; ++k) {
                if (logs[k].topics[0] == expected[i]) ++count;
            }
            _equal(count, counts[i]);
        }
    }

    /// The holders are the registry's: a replacement there applies here.
    function test_the_executor_follows_the_registrys_holders() public {
        vm.prank(admin);
        registry.replace(1, address(0xCAB));
        vm.prank(recovery);
        registry.replace(1, address(0xCAB));
        vm.prank(guardian);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.stop(Item.Everything, 0);
        vm.prank(address(0xCAB));
        executor.stop(Item.Everything, 0);
        require(executor.paused());
    }

    function _refusedSettings(Settings memory s) private {
        try this.deploy(abi.encode(address(registry), s)) {
            revert("deployed");
        } catch {}
    }

    function deploy(bytes calldata args) external {
        vm.deployCode("artifacts/RouteExecutor.json", args);
    }

    /// A stop with dirt in the upper bytes of its key still applies, and cancels what was scheduled for it.
    function test_C11_a_stop_records_the_key_that_it_acts_on() public {
        bytes32 dirt = bytes32(uint256(1) << 200);
        bytes[5] memory calls = [
            abi.encodeCall(ExecutorSettings.addRelayer, (thief)),
            abi.encodeCall(ExecutorSettings.addSigner, (thief)),
            abi.encodeCall(ExecutorSettings.addCollector, (thief)),
            abi.encodeCall(ExecutorSettings.setCap, (thief, 5)),
            abi.encodeCall(ExecutorSettings.setMaxNativeFee, (1 ether))
        ];
        Item[5] memory items = [Item.Relayer, Item.Signer, Item.Collector, Item.Cap, Item.NativeFee];
        for (uint256 i; i < 5; ++i) {
            vm.prank(admin);
            executor.schedule(calls[i]);
        }
        _wait(1);
        for (uint256 i; i < 5; ++i) {
            _stop(items[i], _key(thief) | dirt);
        }
        _wait(2 days);
        for (uint256 i; i < 5; ++i) {
            vm.prank(admin);
            vm.expectPartialRevert(ExecutorSettings.StoppedSince.selector);
            executor.applyChange(calls[i]);
        }
    }

    function test_C8_a_guard_must_have_the_reviewed_code() public {
        Rule memory rule = Rule(address(odd), 0x01020304, address(odd), swapGuard, swapGuard.codehash);
        bytes memory call = abi.encodeCall(ExecutorSettings.addRule, (rule));
        vm.prank(admin);
        executor.schedule(call);
        _wait(2 days);
        bytes memory code = swapGuard.code;
        bytes[3] memory others = [address(diamond).code, abi.encodePacked(hex"ef0100", bridgeGuard), bytes("")];
        for (uint256 i; i < 3; ++i) {
            vm.etch(swapGuard, others[i]);
            vm.prank(admin);
            vm.expectPartialRevert(ExecutorSettings.BadSetting.selector);
            executor.applyChange(call);
        }
        vm.etch(swapGuard, code);
        vm.prank(admin);
        executor.applyChange(call);
        // It is also compared at every use.
        usdc.mint(account, 200e6);
        _run(_bridge("1", address(usdc), 100e6, 0));
        vm.etch(bridgeGuard, openGuard.code);
        _refused(_bridge("2", address(usdc), 100e6, 0), RouteExecutor.GuardChanged.selector);
    }

    function test_C8_a_delegated_key_cannot_be_a_guard() public {
        vm.etch(thief, abi.encodePacked(hex"ef0100", openGuard));
        bytes memory call = abi.encodeCall(
            ExecutorSettings.addRule, (Rule(address(odd), 0x01020304, address(odd), thief, thief.codehash))
        );
        vm.prank(admin);
        executor.schedule(call);
        _wait(2 days);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.BadSetting.selector);
        executor.applyChange(call);
    }
}
