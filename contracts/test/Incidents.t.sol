// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {Diamond, OddDiamond} from "./support/Diamonds.sol";
import {Sender} from "./support/Others.sol";
import {Token} from "./support/Tokens.sol";

/// Incidents of other projects, replayed on our contracts. docs/security.md lists those that concern only the service.
contract IncidentsTest is Base {
    /// LI.FI, July 2024 and March 2022: any caller could make the Diamond call a token in its own name, which drained
    /// standing approvals.
    function test_lifi_2024_an_arbitrary_call_of_the_diamond_takes_nothing() public {
        usdc.mint(account, 1000e6);
        _run(_bridge("1", address(usdc), 100e6, 1e6));
        bytes memory take = abi.encodeCall(IERC20.transferFrom, (account, thief, 900e6));
        vm.prank(thief);
        (bool ok,) = address(diamond).call(abi.encodeCall(Diamond.anyCall, (address(usdc), take)));
        require(!ok && usdc.balanceOf(thief) == 0);
        // The same call during a route, beyond the order's terms.
        odd.setCall(address(usdc), abi.encodeCall(IERC20.transferFrom, (account, thief, 900e6)));
        vm.prank(relayer);
        bytes memory signature = _sign(executor, _viaOdd("2", address(usdc), 100e6, 0), signerKey);
        try executor.execute(_viaOdd("2", address(usdc), 100e6, 0), signature) {} catch {}
        require(usdc.balanceOf(thief) == 0);
    }

    /// Socket, January 2024: a route that was three days old took approved funds.
    function test_socket_2024_an_unlisted_function_is_not_called() public {
        usdc.mint(account, 100e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 0);
        o.data = abi.encodePacked(bytes4(0xdeadbeef), o.data);
        _refused(o, RouteExecutor.NoRule.selector);
        // A new function waits two days, and the daily cap limits it from its first moment.
        usdc.mint(account, 2 * dayCap);
        _refused(_bridge("2", address(usdc), dayCap + 1, 0), bytes4(keccak256("CapReached(address,uint256,uint256)")));
    }

    /// SwapNet and Matcha, January 2026: an approval left over from one transaction was used in another.
    function test_matcha_2026_no_approval_remains_if_the_target_takes_less() public {
        usdc.mint(account, 100e6);
        odd.set(OddDiamond.Mode.TakePart, 40e6);
        Order memory o = _viaOdd("1", address(usdc), 100e6, 0);
        o.minSpent = 1;
        _run(o);
        require(usdc.balanceOf(account) == 60e6 && usdc.allowance(account, address(odd)) == 0);
        bytes memory take = abi.encodeCall(IERC20.transferFrom, (account, thief, 60e6));
        (bool ok,) = address(odd).call(abi.encodeCall(Diamond.anyCall, (address(usdc), take)));
        require(!ok && usdc.balanceOf(account) == 60e6);
    }

    /// Kraken, June 2024: a transfer inside a reverted call was credited. Also test/routing/verify-balance.test.ts.
    function test_kraken_2024_a_reverted_call_brings_no_money() public {
        Sender sender = new Sender();
        vm.deal(address(sender), 5 ether);
        try this.sendAndFail(sender, account) {} catch {}
        require(account.balance == 0);
        _refused(_bridge("1", address(0), 5 ether, 0), RouteExecutor.InsufficientBalance.selector);
    }

    function sendAndFail(Sender sender, address to) external {
        require(sender.send(to, 5 ether, ""));
        revert("undone");
    }

    /// Bybit, February 2025: the signed transaction differed from the displayed one. Also test/signer/signer.test.ts.
    function test_bybit_2025_signed_calldata_that_differ_from_the_intent_are_refused() public {
        usdc.mint(account, 100e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 0);
        o.data = _bridgeCall(address(usdc), thief, 100e6, 137, false, false);
        _refused(o, RouteExecutor.GuardRefused.selector);
        o.data = _bridgeCall(address(usdc), user, 100e6, 137, false, true);
        _refused(o, RouteExecutor.GuardRefused.selector);
    }

    /// Multichain, July 2023: one person held all keys. Also test/app/roles.test.ts.
    function test_multichain_2023_one_key_alone_moves_nothing() public {
        usdc.mint(account, 100e6);
        Order memory o = _pay("1", address(usdc), 100e6, 0);
        o.intent.recipient = thief;
        bytes memory signature = _sign(executor, o, signerKey);
        address[6] memory alone = [vm.addr(signerKey), admin, guardian, recovery, collector, thief];
        for (uint256 i; i < 6; ++i) {
            vm.prank(alone[i]);
            vm.expectPartialRevert(RouteExecutor.NotRelayer.selector);
            executor.execute(o, signature);
        }
        (bytes memory foreign) = _sign(executor, o, 0x7E1F);
        vm.prank(relayer);
        vm.expectRevert(RouteExecutor.BadSignature.selector);
        executor.execute(o, foreign);
    }

    /// A swap of March 2025: 220,764 USDC were sandwiched into 5,271 USDT, because it had no minimum.
    /// Also test/e2e/providers.test.ts.
    function test_sandwich_2025_a_swap_below_its_minimum_reverts() public {
        usdc.mint(account, 1000e6);
        Order memory o = _swap("1", 1000e6, 0, 990e6);
        o.data = _swapPaying(user, address(usdc), address(dai), 1000e6, 990e6, 24e6);
        _refused(o, RouteExecutor.OutputTooLow.selector);
        o.intent.minOut = 0;
        _refused(o, RouteExecutor.BadMinimum.selector);
        require(usdc.balanceOf(account) == 1000e6);
    }

    /// Base halted for 33 minutes in August 2025: an order that waited has expired, and its id is unused.
    /// Also test/e2e/statuses.test.ts.
    function test_base_2025_an_order_expires_during_a_halt_and_can_be_signed_again() public {
        usdc.mint(account, 100e6);
        Order memory o = _bridge("1", address(usdc), 100e6, 0);
        _wait(33 minutes);
        _refused(o, RouteExecutor.Expired.selector);
        _run(_bridge("1", address(usdc), 100e6, 0));
        require(registry.routeUsed(salt, "1"));
    }

    /// Address poisoning: transfers of nothing and of look-alike tokens are ordinary noise.
    /// Also test/e2e/unlisted.test.ts.
    function test_poisoning_2025_dust_and_look_alikes_are_not_routed() public {
        Token fake = new Token();
        fake.mint(account, 1000e6);
        _refused(_bridge("1", address(fake), 1000e6, 0), bytes4(keccak256("CapReached(address,uint256,uint256)")));
        _refused(_bridge("2", address(usdc), 0, 0), RouteExecutor.BadFees.selector);
    }
}
