// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {AccountRegistry} from "../src/AccountRegistry.sol";
import {Item} from "../src/ExecutorSettings.sol";
import {ModularAccount} from "../src/ModularAccount.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {PlainModule} from "./support/Others.sol";

contract RegistryTest is Base {
    // ---------------------------------------------------------------- holders

    function test_F02_a_replaced_admin_has_no_powers() public {
        PlainModule module = new PlainModule();
        vm.prank(guardian);
        registry.replace(0, address(0xB0B));
        vm.prank(recovery);
        registry.replace(0, address(0xB0B));
        require(registry.holder(0) == address(0xB0B));
        vm.startPrank(admin);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.scheduleModule(address(module));
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.removeModule(address(executor));
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.replace(1, thief);
        vm.expectRevert();
        executor.schedule("");
        vm.expectRevert();
        executor.stop(Item.Everything, 0);
        vm.stopPrank();
    }

    function test_F03_the_admin_cannot_disarm_the_guardian() public {
        PlainModule drain = new PlainModule();
        vm.startPrank(admin);
        registry.replace(1, thief);
        registry.scheduleModule(address(drain));
        vm.stopPrank();
        require(registry.holder(1) == guardian);
        vm.prank(guardian);
        registry.cancelModule(address(drain));
        _wait(3 days);
        vm.prank(admin);
        vm.expectPartialRevert(AccountRegistry.NotScheduled.selector);
        registry.installModule(address(drain));
    }

    function test_two_holders_can_replace_any_holder_and_one_cannot() public {
        address[3] memory holders = [admin, guardian, recovery];
        for (uint8 role; role < 3; ++role) {
            uint256 snapshot = registry.replacements();
            address next = address(uint160(0xB000 + role));
            vm.prank(holders[role]);
            vm.expectPartialRevert(AccountRegistry.Denied.selector);
            registry.replace(role, next);
            vm.prank(holders[(role + 1) % 3]);
            registry.replace(role, next);
            vm.prank(holders[(role + 1) % 3]);
            registry.replace(role, next);
            require(registry.holder(role) == holders[role]);
            vm.prank(holders[(role + 2) % 3]);
            registry.replace(role, next);
            require(registry.holder(role) == next && registry.replacements() == snapshot + 1);
            holders[role] = next;
        }
    }

    function test_a_replacement_voids_open_votes() public {
        vm.prank(guardian);
        registry.replace(0, address(0xB0B));
        vm.prank(admin);
        registry.replace(1, address(0xCAB));
        vm.prank(recovery);
        registry.replace(1, address(0xCAB));
        vm.prank(recovery);
        registry.replace(0, address(0xB0B));
        require(registry.holder(0) == admin && registry.holder(1) == address(0xCAB));
    }

    function test_C9_a_vote_counts_for_fourteen_days() public {
        vm.prank(guardian);
        registry.replace(0, address(0xB0B));
        _wait(14 days + 1);
        vm.prank(recovery);
        registry.replace(0, address(0xB0B));
        require(registry.holder(0) == admin); // an abandoned vote and one key make no admin
        _wait(14 days);
        vm.prank(guardian); // the last second counts
        registry.replace(0, address(0xB0B));
        require(registry.holder(0) == address(0xB0B));
    }

    function test_C9_a_vote_can_be_withdrawn() public {
        vm.prank(guardian);
        registry.replace(0, address(0xB0B));
        vm.prank(recovery);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.withdraw(0, address(0xB0B)); // another holder's vote
        vm.prank(thief);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.withdraw(0, address(0xB0B));
        vm.prank(guardian);
        registry.withdraw(0, address(0xB0B));
        vm.prank(recovery);
        registry.replace(0, address(0xB0B));
        require(registry.holder(0) == admin);
        vm.prank(guardian);
        registry.replace(0, address(0xB0B));
        require(registry.holder(0) == address(0xB0B));
    }

    function test_C14_a_hot_key_cannot_become_a_holder() public {
        address[2] memory hot = [relayer, vm.addr(signerKey)];
        for (uint256 i; i < 2; ++i) {
            vm.prank(guardian);
            vm.expectPartialRevert(AccountRegistry.BadHolder.selector);
            registry.replace(0, hot[i]);
        }
        _stop(Item.Relayer, _key(relayer));
        vm.prank(guardian);
        registry.replace(0, relayer);
        // A removed module is not queried, and the list stays complete.
        PlainModule other = new PlainModule();
        _install(address(other));
        vm.prank(guardian);
        registry.removeModule(address(executor));
        require(registry.modules(0) == address(other));
        vm.prank(guardian);
        registry.replace(0, hot[1]);
        vm.prank(recovery);
        registry.replace(0, hot[1]);
        require(registry.holder(0) == hot[1]);
        // A module that lists a holder as a hot key is not installed.
        vm.startPrank(hot[1]);
        registry.scheduleModule(address(executor));
        _wait(3 days);
        vm.expectPartialRevert(AccountRegistry.BadHolder.selector);
        registry.installModule(address(executor));
        vm.stopPrank();
    }

    function test_F11_a_role_cannot_be_given_up_or_doubled() public {
        vm.startPrank(guardian);
        address[4] memory bad = [address(0), admin, guardian, recovery];
        for (uint256 i; i < 4; ++i) {
            vm.expectPartialRevert(AccountRegistry.BadHolder.selector);
            registry.replace(0, bad[i]);
        }
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.replace(3, thief);
        vm.stopPrank();
        vm.prank(thief);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.replace(0, thief);
    }

    function test_the_registry_needs_three_different_holders() public {
        address[3][5] memory bad = [
            [address(0), guardian, recovery],
            [admin, address(0), recovery],
            [admin, guardian, address(0)],
            [admin, admin, recovery],
            [admin, guardian, guardian]
        ];
        for (uint256 i; i < 5; ++i) {
            try vm.deployCode("artifacts/AccountRegistry.json", abi.encode(bad[i])) {
                revert("deployed");
            } catch {}
        }
    }

    // ---------------------------------------------------------------- modules

    function test_F04_a_module_must_have_its_own_code() public {
        vm.startPrank(admin);
        vm.expectPartialRevert(AccountRegistry.BadModule.selector);
        registry.scheduleModule(thief);
        vm.etch(thief, abi.encodePacked(hex"ef0100", address(executor)));
        vm.expectPartialRevert(AccountRegistry.BadModule.selector);
        registry.scheduleModule(thief);
        vm.etch(thief, new bytes(23));
        vm.expectPartialRevert(AccountRegistry.BadModule.selector);
        registry.scheduleModule(thief);
        vm.stopPrank();
    }

    function test_F04_code_is_compared_at_installation_and_at_every_use() public {
        PlainModule module = new PlainModule();
        bytes memory code = address(module).code;
        vm.prank(admin);
        registry.scheduleModule(address(module));
        _wait(3 days);
        vm.etch(address(module), address(diamond).code);
        vm.prank(admin);
        vm.expectPartialRevert(AccountRegistry.BadModule.selector);
        registry.installModule(address(module));
        vm.etch(address(module), code);
        vm.prank(admin);
        registry.installModule(address(module));
        require(registry.isExecutor(address(module)));
        vm.etch(address(module), address(diamond).code);
        require(!registry.isExecutor(address(module)));
        vm.prank(address(module));
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.open(salt, "id");
        registry.createAccount(salt);
        vm.prank(address(module));
        vm.expectPartialRevert(ModularAccount.NotExecutor.selector);
        ModularAccount(payable(account)).executeFromExecutor(0, new bytes(52));
    }

    function test_only_the_admin_installs_and_only_scheduled_modules_can_be_cancelled() public {
        PlainModule module = new PlainModule();
        vm.prank(admin);
        registry.scheduleModule(address(module));
        _wait(3 days);
        address[4] memory others = [guardian, recovery, thief, relayer];
        for (uint256 i; i < 4; ++i) {
            vm.prank(others[i]);
            vm.expectPartialRevert(AccountRegistry.Denied.selector);
            registry.installModule(address(module));
        }
        vm.prank(guardian);
        vm.expectPartialRevert(AccountRegistry.NotScheduled.selector);
        registry.cancelModule(address(odd));
    }

    function test_F14_a_schedule_has_a_delay_and_expires() public {
        PlainModule module = new PlainModule();
        vm.startPrank(admin);
        vm.expectPartialRevert(AccountRegistry.NotScheduled.selector);
        registry.installModule(address(module));
        registry.scheduleModule(address(module));
        _wait(3 days - 1);
        vm.expectPartialRevert(AccountRegistry.NotReady.selector);
        registry.installModule(address(module));
        _wait(14 days + 2);
        vm.expectPartialRevert(AccountRegistry.ScheduleExpired.selector);
        registry.installModule(address(module));
        registry.scheduleModule(address(module));
        _wait(17 days);
        registry.installModule(address(module));
        vm.expectPartialRevert(AccountRegistry.NotScheduled.selector);
        registry.installModule(address(module)); // a schedule can be used once
        vm.stopPrank();
    }

    function test_the_guardian_removes_a_module_for_all_accounts_immediately() public {
        usdc.mint(account, 100e6);
        vm.prank(thief);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.removeModule(address(executor));
        vm.prank(guardian);
        registry.removeModule(address(executor));
        _refused(_bridge("a", address(usdc), 100e6, 0), AccountRegistry.Denied.selector);
        vm.prank(guardian);
        vm.expectPartialRevert(AccountRegistry.NotInstalled.selector);
        registry.removeModule(address(executor));
        vm.prank(guardian);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.scheduleModule(address(executor));
        _install(address(executor));
        _run(_bridge("a", address(usdc), 100e6, 0));
    }

    /// The schedule has waited its three days when the guardian removes the module.
    function test_a_removal_voids_a_schedule_of_the_same_module() public {
        vm.prank(admin);
        registry.scheduleModule(address(executor));
        _wait(3 days);
        vm.prank(guardian);
        registry.removeModule(address(executor));
        vm.prank(admin);
        vm.expectPartialRevert(AccountRegistry.NotScheduled.selector);
        registry.installModule(address(executor));
        require(!registry.isExecutor(address(executor)));
    }

    // ---------------------------------------------------------------- routes

    function test_F07_a_route_id_is_spent_for_every_executor() public {
        usdc.mint(account, 200e6);
        _run(_bridge("a", address(usdc), 100e6, 1e6));
        RouteExecutor next = _newExecutor();
        _install(address(next));
        _refusedBy(next, _bridge("a", address(usdc), 100e6, 1e6), AccountRegistry.RouteUsed.selector);
        require(registry.routeUsed(salt, "a"));
    }

    function test_F33_a_route_id_belongs_to_one_account() public {
        usdc.mint(account, 100e6);
        usdc.mint(registry.accountAddress("other"), 100e6);
        _run(_bridge("a", address(usdc), 100e6, 0));
        require(!registry.routeUsed("other", "a"));
        account = registry.accountAddress("other");
        Order memory o = _bridge("a", address(usdc), 100e6, 0);
        o.accountSalt = "other";
        _run(o);
    }

    function test_only_modules_spend_route_ids() public {
        vm.prank(thief);
        vm.expectPartialRevert(AccountRegistry.Denied.selector);
        registry.open(salt, "a");
    }

    function testFuzz_F09_any_32_bytes_are_a_separate_route_id(bytes32 a, bytes32 b) public {
        vm.assume(a != b);
        vm.prank(address(executor));
        registry.open(salt, a);
        require(registry.routeUsed(salt, a) && !registry.routeUsed(salt, b));
        vm.prank(address(executor));
        registry.open(salt, b);
        vm.prank(address(executor));
        vm.expectPartialRevert(AccountRegistry.RouteUsed.selector);
        registry.open(salt, a);
    }

    function test_neighbouring_ids_in_one_storage_word_are_independent() public {
        for (uint256 i = 250; i < 262; ++i) {
            vm.prank(address(executor));
            registry.open(salt, bytes32(i));
            require(registry.routeUsed(salt, bytes32(i)) && !registry.routeUsed(salt, bytes32(i + 1)));
        }
        for (uint256 i = 250; i < 262; ++i) {
            require(registry.routeUsed(salt, bytes32(i)));
            vm.prank(address(executor));
            vm.expectPartialRevert(AccountRegistry.RouteUsed.selector);
            registry.open(salt, bytes32(i));
        }
    }

    // ---------------------------------------------------------------- accounts

    function test_anyone_creates_any_account_any_number_of_times() public {
        require(account.code.length == 0);
        vm.prank(thief);
        require(registry.createAccount(salt) == account && account.code.length == 51);
        require(registry.createAccount(salt) == account);
        usdc.mint(account, 100e6);
        _run(_bridge("a", address(usdc), 100e6, 0));
    }

    /// The same bytes deploy the same contract for any sender, and other holders give another address.
    function test_F10_the_registrys_address_depends_on_its_holders() public {
        address proxy = 0x4e59b44847b379578588920cA78FbF26c0B4956C;
        bytes memory code = vm.getCode("artifacts/AccountRegistry.json");
        vm.prank(thief);
        (bool ok, bytes memory made) =
            proxy.call(abi.encodePacked(bytes32(0), code, abi.encode(admin, guardian, recovery)));
        AccountRegistry first = AccountRegistry(address(bytes20(made)));
        require(ok && first.holder(0) == admin && first.holder(1) == guardian && first.holder(2) == recovery);
        require(address(ModularAccount(payable(first.implementation())).registry()) == address(first));
        (ok, made) = proxy.call(abi.encodePacked(bytes32(0), code, abi.encode(thief, guardian, recovery)));
        require(ok && address(bytes20(made)) != address(first));
    }

    /// On a real chain this needs a Keccak collision, or another way of counting nonces.
    function test_creating_an_account_fails_if_its_address_is_taken() public {
        vm.setNonce(registry.accountAddress("taken"), 1);
        vm.expectPartialRevert(AccountRegistry.DeployFailed.selector);
        registry.createAccount("taken");
    }

    function testFuzz_salts_give_distinct_addresses(bytes32 a, bytes32 b) public view {
        vm.assume(a != b);
        require(registry.accountAddress(a) != registry.accountAddress(b));
    }
}

