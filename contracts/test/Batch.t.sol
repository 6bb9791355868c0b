// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ExecutorSettings, Item} from "../src/ExecutorSettings.sol";
import {ModularAccount} from "../src/ModularAccount.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor, SignedOrder} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {OddDiamond} from "./support/Diamonds.sol";
import {HookToken, Token} from "./support/Tokens.sol";
import {Vm} from "./support/Vm.sol";

/// Many orders in one transaction: the failure of one does not affect the others.
contract BatchTest is Base {
    uint256 private constant GAS = 400_000;

    function _signed(Order memory o) private view returns (SignedOrder memory) {
        return SignedOrder(o, _sign(executor, o, signerKey), GAS);
    }

    function _batch(Order[] memory orders) private view returns (SignedOrder[] memory batch) {
        batch = new SignedOrder[](orders.length);
        for (uint256 i; i < orders.length; ++i) {
            batch[i] = _signed(orders[i]);
        }
    }

    function _three() private returns (Order[] memory orders) {
        orders = new Order[](3);
        for (uint256 i; i < 3; ++i) {
            orders[i] = _bridge(bytes32(i + 1), address(usdc), 100e6, 1e6);
            orders[i].accountSalt = bytes32(i);
            address from = registry.accountAddress(bytes32(i));
            account = from; // receives the refunds
            orders[i].data = _bridgeCall(address(usdc), user, 99e6, 137, false, false);
            usdc.mint(from, 150e6);
        }
    }

    function _send(SignedOrder[] memory batch, uint256 value) private returns (bool[] memory) {
        vm.prank(relayer);
        return executor.executeBatch{value: value}(batch);
    }

    function test_a_batch_executes_each_order_as_if_sent_alone() public {
        SignedOrder[] memory batch = _batch(_three());
        bool[] memory done = _send(batch, 0);
        for (uint256 i; i < 3; ++i) {
            require(done[i] && registry.routeUsed(bytes32(i), bytes32(i + 1)));
            require(usdc.balanceOf(registry.accountAddress(bytes32(i))) == 50e6);
        }
        require(usdc.balanceOf(collector) == 3e6 && usdc.balanceOf(address(executor)) == 0);
    }

    function test_a_failed_order_leaves_no_trace_and_the_others_are_executed() public {
        uint256 start = _now();
        for (uint256 fault; fault < 9; ++fault) {
            Order[] memory orders = _three();
            for (uint256 i; i < 3; ++i) {
                orders[i].routeId = keccak256(abi.encode(fault, i));
            }
            if (fault == 0) orders[1].amountIn = orders[1].minSpent = 1_000_000e6;
            if (fault == 1) orders[1].deadline = uint64(start - 1);
            if (fault == 2) orders[1].routeId = orders[0].routeId;
            if (fault == 2) orders[1].accountSalt = orders[0].accountSalt;
            if (fault == 3) orders[1].target = address(odd);
            if (fault == 4) orders[1].minGas = GAS + 1;
            if (fault == 5) orders[1].intent.recipient = thief;
            if (fault >= 6) {
                orders[1].target = orders[1].spender = address(odd);
                if (fault == 6) odd.set(OddDiamond.Mode.Fail, 7);
                if (fault == 7) odd.set(OddDiamond.Mode.RevertBomb, 1_000_000);
                if (fault == 8) odd.set(OddDiamond.Mode.TakePart, 1);
            }
            SignedOrder[] memory batch = _batch(orders);
            uint256 before = usdc.balanceOf(registry.accountAddress(bytes32(uint256(1))));
            vm.recordLogs();
            bool[] memory done = _send(batch, 0);
            require(done[0] && !done[1] && done[2]);
            require(usdc.balanceOf(registry.accountAddress(bytes32(uint256(1)))) == before);
            require(_failures(orders[1].routeId) == 1);
        }
    }

    function _failures(bytes32 routeId) private returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != RouteExecutor.OrderFailed.selector) continue;
            require(logs[i].topics[1] == routeId && abi.decode(logs[i].data, (bytes)).length <= 256);
            ++count;
        }
    }

    function test_an_order_uses_no_more_gas_than_it_was_given() public {
        Order[] memory orders = _three();
        orders[1].target = orders[1].spender = address(odd);
        odd.set(OddDiamond.Mode.PoorBranch, 0); // 150 new slots: more than the gas allows
        SignedOrder[] memory batch = _batch(orders);
        batch[1].gas = 300_000;
        vm.prank(relayer);
        uint256 used = gasleft();
        bool[] memory done = executor.executeBatch{gas: 1_400_000}(batch);
        used -= gasleft();
        require(done[0] && done[2] && used < 1_400_000);
        // The first order claims all gas of the batch, so no order is started.
        orders = _three();
        batch = _batch(orders);
        vm.prank(relayer);
        vm.expectPartialRevert(RouteExecutor.GasTooLow.selector);
        executor.executeBatch{gas: 1_200_000}(batch);
    }

    /// A call forwards 63 of 64 parts of the gas, and each order is copied. The batch demands both in addition.
    function test_a_batch_requires_the_gas_of_all_orders_and_their_calls() public {
        SignedOrder[] memory batch = _batch(_three());
        uint256 need = 3 * (GAS + GAS / 63 + 20_000);
        bytes memory call = abi.encodeCall(RouteExecutor.executeBatch, (batch));
        vm.prank(relayer);
        (bool ok, bytes memory reason) = address(executor).call{gas: need}(call);
        require(!ok && bytes4(reason) == RouteExecutor.GasTooLow.selector);
        (uint256 left, uint256 wanted) = abi.decode(_tail(reason), (uint256, uint256));
        _equal(wanted, need);
        require(left < need);
        vm.prank(relayer);
        (ok,) = address(executor).call{gas: need + 60_000}(call);
        require(ok);
    }

    /// The data of a target's `CallFailed` exceeds 256 bytes.
    function test_a_failed_order_emits_the_first_256_bytes_of_its_reason() public {
        Order[] memory orders = _three();
        orders[1].target = orders[1].spender = address(odd);
        odd.set(OddDiamond.Mode.RevertBomb, 1_000);
        SignedOrder[] memory batch = _batch(orders);
        vm.recordLogs();
        _send(batch, 0);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != RouteExecutor.OrderFailed.selector) continue;
            bytes memory reason = abi.decode(logs[i].data, (bytes));
            _equal(reason.length, 256);
            require(bytes4(reason) == ModularAccount.CallFailed.selector);
            return;
        }
        revert("no order failed");
    }

    function _tail(bytes memory reason) private pure returns (bytes memory tail) {
        tail = new bytes(reason.length - 4);
        for (uint256 i; i < tail.length; ++i) {
            tail[i] = reason[i + 4];
        }
    }

    function test_a_batch_requires_all_native_fees_and_returns_those_of_failed_orders() public {
        Order[] memory orders = _three();
        for (uint256 i; i < 3; ++i) {
            orders[i].target = orders[i].spender = address(odd);
            orders[i].nativeFee = 0.1 ether;
        }
        orders[1].deadline = uint64(_now() - 1);
        vm.deal(address(executor), 5 ether); // sent there by mistake; it must not pay for an order
        SignedOrder[] memory batch = _batch(orders);
        vm.prank(relayer);
        vm.expectPartialRevert(RouteExecutor.BadNativeFee.selector);
        executor.executeBatch{value: 0.2 ether}(batch);
        uint256 had = relayer.balance;
        odd.set(OddDiamond.Mode.GiveCoinBack, 0.04 ether);
        bool[] memory done = _send(batch, 0.3 ether);
        require(done[0] && !done[1] && done[2]);
        _equal(had - relayer.balance, 0.12 ether);
        require(address(executor).balance == 5 ether);
    }

    function test_a_batch_reverts_if_its_relayer_refuses_returned_coin() public {
        address stubborn = address(new Token());
        _change(abi.encodeCall(ExecutorSettings.addRelayer, (stubborn)));
        Order[] memory orders = _three();
        orders[1].nativeFee = 0.1 ether;
        orders[1].deadline = uint64(_now() - 1);
        SignedOrder[] memory batch = _batch(orders);
        vm.deal(stubborn, 1 ether);
        vm.prank(stubborn);
        vm.expectPartialRevert(RouteExecutor.BadNativeFee.selector);
        executor.executeBatch{value: 0.1 ether}(batch);
        require(stubborn.balance == 1 ether && !registry.routeUsed(0, bytes32(uint256(1))));
    }

    function test_only_a_relayer_sends_a_batch_and_only_a_batch_runs_its_orders() public {
        Order[] memory orders = _three();
        SignedOrder[] memory batch = _batch(orders);
        vm.prank(thief);
        vm.expectPartialRevert(RouteExecutor.NotRelayer.selector);
        executor.executeBatch(batch);
        vm.prank(relayer);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.executeOne(orders[0], batch[0].signature);
        // The admin cannot make the executor call it either, because no batch is running then.
        bytes memory call = abi.encodeCall(RouteExecutor.executeOne, (orders[0], batch[0].signature));
        vm.prank(admin);
        executor.schedule(call);
        _wait(2 days);
        vm.prank(admin);
        vm.expectPartialRevert(ExecutorSettings.Denied.selector);
        executor.applyChange(call);
    }

    function test_a_paused_executor_and_a_stopped_signer_execute_nothing_of_a_batch() public {
        SignedOrder[] memory batch = _batch(_three());
        _stop(Item.Signer, _key(vm.addr(signerKey)));
        bool[] memory done = _send(batch, 0);
        require(!done[0] && !done[1] && !done[2]);
        _stop(Item.Everything, 0);
        done = _send(batch, 0);
        require(!done[0] && !done[1] && !done[2]);
        require(usdc.balanceOf(collector) == 0);
    }

    function test_the_days_cap_counts_through_a_batch() public {
        vm.prank(guardian);
        executor.lowerCap(address(usdc), 250e6);
        bool[] memory done = _send(_batch(_three()), 0);
        require(done[0] && done[1] && !done[2]);
    }

    function test_a_token_that_calls_back_begins_no_second_batch() public {
        HookToken hook = new HookToken();
        _list(address(hook));
        _change(abi.encodeCall(ExecutorSettings.addRelayer, (address(hook))));
        hook.mint(account, 100);
        hook.mint(registry.accountAddress("b"), 100);
        Order[] memory orders = new Order[](1);
        orders[0] = _pay("1", address(hook), 100, 0);
        Order[] memory inner = new Order[](1);
        inner[0] = _pay("2", address(hook), 100, 0);
        inner[0].accountSalt = "b";
        hook.setHook(address(executor), abi.encodeCall(RouteExecutor.executeBatch, (_batch(inner))));
        require(_send(_batch(orders), 0)[0] && hook.called() && !hook.succeeded());
        bytes memory one = abi.encodeCall(RouteExecutor.executeOne, (inner[0], _batch(inner)[0].signature));
        hook.setHook(address(executor), one);
        hook.mint(account, 100);
        orders[0] = _pay("3", address(hook), 100, 0);
        require(_send(_batch(orders), 0)[0] && !hook.succeeded() && !registry.routeUsed("b", "2"));
    }

    function testFuzz_a_batch_executes_exactly_its_valid_orders(uint8 bad, uint8 size) public {
        size = size % 8 + 1;
        Order[] memory orders = new Order[](size);
        uint256 good;
        for (uint256 i; i < size; ++i) {
            address from = registry.accountAddress(bytes32(i));
            usdc.mint(from, 100e6);
            orders[i] = _pay(bytes32(i + 1), address(usdc), 100e6, 1e6);
            orders[i].accountSalt = bytes32(i);
            if (bad & (1 << i) != 0) orders[i].protocolFee = 50e6;
            else ++good;
        }
        bool[] memory done = _send(_batch(orders), 0);
        for (uint256 i; i < size; ++i) {
            require(done[i] == (bad & (1 << i) == 0));
            require(usdc.balanceOf(registry.accountAddress(bytes32(i))) == (done[i] ? 0 : 100e6));
        }
        require(usdc.balanceOf(user) == good * 99e6 && usdc.balanceOf(collector) == good * 1e6);
    }
}
