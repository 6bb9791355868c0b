// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Order} from "../src/Order.sol";
import {Base} from "./support/Base.sol";

/// Each call is a transaction of its own, all addresses cold.
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
        emit log_named_uint("first route", first);
        emit log_named_uint("later route", later);
        emit log_named_uint("later route, after a fee", afterFee);
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
        emit log_named_uint("native bridge", native);
        emit log_named_uint("swap to a new holder", swap);
        require(pay <= 160_000 && native <= 150_000 && swap <= 220_000);
    }
}
