// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Order} from "../src/Order.sol";
import {SignedOrder} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {CctpBase} from "./support/CctpBase.sol";

/// Each call is a separate transaction, with all addresses cold.
contract GasTest is Base {
    /// forge-config: default.isolate = true
    function test_gas_budget_of_a_bridge_route() public {
        usdc.mint(account, 1000e6);
        usdc.mint(collector, 1);
        usdc.mint(address(diamond), 1);
        uint256 first = _gasOf(_bridge(keccak256("1"), address(usdc), 100e6, 1e6));
        uint256 later = _gasOf(_bridge(keccak256("2"), address(usdc), 100e6, 1e6));
        Order memory order = _bridge(keccak256("3"), address(usdc), 100e6, 1e6);
        order.data = _bridgeAfterFeeCall(address(usdc), user, 99e6, 0.25e6, 137);
        order.intent.minOut = 98.75e6;
        uint256 afterFee = _gasOf(order);
        emit log_named_uint("bridge, first route", first);
        // Consecutive ids instead of hashes: neighbours share a storage word of the registry.
        _run(_bridge(bytes32(uint256(1)), address(usdc), 100e6, 1e6));
        uint256 dense = _gasOf(_bridge(bytes32(uint256(2)), address(usdc), 100e6, 1e6));
        emit log_named_uint("bridge, later route, if ids were dense", dense);
        emit log_named_uint("bridge, later route", later);
        emit log_named_uint("bridge, later route, after a fee", afterFee);
        require(first <= 210_000 && later <= 166_000 && afterFee <= 175_000);
    }

    /// forge-config: default.isolate = true
    function test_gas_budget_of_other_routes() public {
        usdc.mint(account, 1000e6);
        usdc.mint(collector, 1);
        vm.deal(account, 10 ether);
        vm.deal(collector, 1);
        dai.mint(address(diamond), 1);
        registry.createAccount(salt);
        uint256 pay = _gasOf(_pay(keccak256("1"), address(usdc), 100e6, 1e6));
        uint256 native = _gasOf(_bridge(keccak256("2"), address(0), 1 ether, 0.01 ether));
        uint256 swap = _gasOf(_swap(keccak256("3"), 100e6, 1e6, 99e18));
        emit log_named_uint("payment to a new holder", pay);
        emit log_named_uint("bridge of native coin", native);
        emit log_named_uint("swap to a new holder", swap);
        require(pay <= 160_000 && native <= 150_000 && swap <= 220_000);
    }

    /// forge-config: default.isolate = true
    function test_gas_budget_of_a_batch_of_ten() public {
        usdc.mint(collector, 1);
        usdc.mint(address(diamond), 1);
        SignedOrder[] memory batch = new SignedOrder[](10);
        for (uint256 i; i < 10; ++i) {
            account = registry.createAccount(bytes32(i)); // receives the refunds
            usdc.mint(account, 150e6);
            Order memory o = _bridge(keccak256(abi.encode(i)), address(usdc), 100e6, 1e6);
            o.accountSalt = bytes32(i);
            batch[i] = SignedOrder(o, _sign(executor, o, signerKey), 300_000);
        }
        vm.prank(relayer);
        uint256 used = gasleft();
        bool[] memory done = executor.executeBatch(batch);
        used -= gasleft();
        for (uint256 i; i < 10; ++i) {
            require(done[i]);
        }
        emit log_named_uint("bridge, later route, each of ten in a batch", used / 10);
        require(used <= 1_200_000);
    }
}

/// A burn by Circle's bridge. The stand-in does the same as the real contract, but without its proxies.
contract CctpGasTest is CctpBase {
    /// forge-config: default.isolate = true
    function test_gas_budget_of_a_burn() public {
        burnt.mint(account, 1000e6);
        burnt.mint(collector, 1);
        uint256 first = _gasOf(_burn(keccak256("1"), 100e6, 1e6));
        uint256 later = _gasOf(_burn(keccak256("2"), 100e6, 1e6));
        emit log_named_uint("burn by Circle's bridge, first route", first);
        emit log_named_uint("burn by Circle's bridge, later route", later);
        require(first <= 240_500 && later <= 196_500);
    }
}
