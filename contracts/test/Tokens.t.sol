// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {AccountRegistry} from "../src/AccountRegistry.sol";
import {ExecutorSettings, Rule} from "../src/ExecutorSettings.sol";
import {ModularAccount} from "../src/ModularAccount.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {Diamond, OddDiamond} from "./support/Diamonds.sol";
import {PlainModule} from "./support/Others.sol";
import {
    BlockToken,
    BombToken,
    FalseToken,
    FeeToken,
    HookToken,
    NativeMirror,
    OnTopToken,
    ShareToken,
    StickyToken,
    TetherLike
} from "./support/Tokens.sol";

/// Money in unusual tokens is routed correctly or not at all.
contract TokensTest is Base {
    function test_a_tether_like_token_is_routed_and_its_allowance_revoked() public {
        TetherLike t = new TetherLike();
        _list(address(t));
        t.mint(account, 1000e6);
        odd.set(OddDiamond.Mode.TakePart, 50e6);
        Order memory o = _viaOdd("1", address(t), 100e6, 1e6);
        o.minSpent = 51e6;
        _run(o);
        _equal(t.allowance(account, address(odd)), 0);
        _equal(t.balanceOf(account), 949e6);
        o.routeId = "2";
        _run(o);
    }

    function test_F28_a_leftover_allowance_blocks_nothing() public {
        TetherLike t = new TetherLike();
        PlainModule module = new PlainModule();
        _list(address(t));
        _install(address(module));
        registry.createAccount(salt);
        t.mint(account, 100e6);
        bytes memory approve = abi.encodeWithSignature("approve(address,uint256)", address(diamond), 1);
        module.single(account, address(t), 0, approve);
        _run(_bridge("1", address(t), 100e6, 1e6));
        _equal(t.allowance(account, address(diamond)), 0);
    }

    function test_a_token_whose_transfer_returns_false_is_only_bridged_without_a_fee() public {
        FalseToken t = new FalseToken();
        _list(address(t));
        t.mint(account, 100e18);
        _refused(_bridge("1", address(t), 100e18, 1e18), RouteExecutor.Underspent.selector);
        Order memory o = _bridge("1", address(t), 100e18, 1e18);
        o.minSpent = 99e18;
        _refused(o, RouteExecutor.FeeNotReceived.selector);
        _refused(_pay("1", address(t), 100e18, 0), RouteExecutor.Underspent.selector);
        _run(_bridge("1", address(t), 100e18, 0)); // transferFrom works: it is routed without a fee
    }

    function test_F30_a_fee_on_transfer_must_fit_the_signed_minimum() public {
        FeeToken t = new FeeToken();
        _list(address(t));
        t.mint(account, 100e18);
        _refused(_bridge("1", address(t), 100e18, 1e18), RouteExecutor.FeeNotReceived.selector);
        _refused(_pay("1", address(t), 100e18, 0), RouteExecutor.OutputTooLow.selector);
        Order memory o = _pay("1", address(t), 100e18, 0);
        o.intent.minOut = 99e18;
        _run(o);
        _equal(t.balanceOf(user), 99e18);
    }

    function test_F30_an_order_is_refused_whole_if_shares_round() public {
        ShareToken t = new ShareToken();
        _list(address(t));
        t.mint(address(0xdead), 1e18 + 3);
        t.mint(account, 1e18 + 6);
        uint256 had = t.balanceOf(account);
        bytes4[] memory reasons = new bytes4[](3);
        (reasons[0], reasons[1], reasons[2]) =
        (RouteExecutor.FeeNotReceived.selector, RouteExecutor.Underspent.selector, RouteExecutor.OutputTooLow.selector);
        uint256 refused;
        for (uint256 i; i < 20; ++i) {
            Order memory o = _pay(bytes32(i), address(t), 1e16 + i, 1e14 + i);
            bytes memory signature = _sign(executor, o, signerKey);
            vm.prank(relayer);
            try executor.execute(o, signature) {}
            catch (bytes memory reason) {
                require(bytes4(reason) == reasons[0] || bytes4(reason) == reasons[1] || bytes4(reason) == reasons[2]);
                ++refused;
                if (refused == 1) _equal(t.balanceOf(account), had);
            }
            had = t.balanceOf(account);
        }
        require(refused > 5);
    }

    function test_a_blocked_collector_stops_only_routes_that_pay_it() public {
        BlockToken t = new BlockToken();
        _list(address(t));
        t.mint(account, 200e6);
        t.setBlocked(collector);
        _refused(_bridge("1", address(t), 100e6, 1e6), ModularAccount.CallFailed.selector);
        _run(_bridge("1", address(t), 100e6, 0));
        _change(abi.encodeCall(ExecutorSettings.addCollector, (address(0xFEE2))));
        Order memory o = _bridge("2", address(t), 100e6, 1e6);
        o.collector = address(0xFEE2);
        _run(o);
    }

    function test_an_order_is_refused_if_an_allowance_remains() public {
        StickyToken t = new StickyToken();
        _list(address(t));
        t.mint(account, 100e6);
        odd.set(OddDiamond.Mode.TakePart, 1e6);
        Order memory o = _viaOdd("1", address(t), 100e6, 0);
        o.minSpent = 1e6;
        _refused(o, RouteExecutor.AllowanceLeft.selector);
        require(!registry.routeUsed(salt, "1"));
    }

    /// A hook in the token calls back as a relayer with a valid signature, and into the registry.
    function test_reentrant_token() public {
        HookToken t = new HookToken();
        _list(address(t));
        t.mint(account, 100e18);
        _change(abi.encodeCall(ExecutorSettings.addRelayer, (address(t))));
        Order memory inner = _pay("2", address(t), 1e18, 0);
        t.setHook(address(executor), abi.encodeCall(RouteExecutor.execute, (inner, _sign(executor, inner, signerKey))));
        _run(_bridge("1", address(t), 10e18, 1e18));
        require(t.called() && !t.succeeded() && !registry.routeUsed(salt, "2"));
        t.setHook(address(registry), abi.encodeCall(AccountRegistry.createAccount, (keccak256("z"))));
        _run(_bridge("3", address(t), 10e18, 1e18));
        require(t.succeeded());
    }

    /// The account's own lock does not cover it: the inner order belongs to another account.
    function test_reentrant_bridge_with_another_accounts_order() public {
        usdc.mint(account, 100e6);
        usdc.mint(registry.accountAddress("other"), 100e6);
        _change(abi.encodeCall(ExecutorSettings.addRelayer, (address(odd))));
        Order memory inner = _pay("2", address(usdc), 10e6, 0);
        inner.accountSalt = "other";
        bytes memory signature = _sign(executor, inner, signerKey);
        odd.setCall(address(executor), abi.encodeCall(RouteExecutor.execute, (inner, signature)));
        _refused(_viaOdd("1", address(usdc), 10e6, 0), ModularAccount.CallFailed.selector);
        vm.prank(address(odd));
        executor.execute(inner, signature); // alone it is valid
    }

    function test_a_token_that_takes_more_than_the_amount_is_refused() public {
        OnTopToken t = new OnTopToken();
        _list(address(t));
        t.mint(account, 1000e18);
        _refused(_bridge("1", address(t), 100e18, 0), RouteExecutor.Overspent.selector);
        _refused(_pay("1", address(t), 100e18, 0), RouteExecutor.Overspent.selector);
        _equal(t.balanceOf(account), 1000e18);
    }

    /// The bridge itself is a relayer and holds a valid signature.
    function test_reentrant_bridge() public {
        usdc.mint(account, 100e6);
        _change(abi.encodeCall(ExecutorSettings.addRelayer, (address(odd))));
        Order memory inner = _pay("2", address(usdc), 10e6, 0);
        odd.setCall(
            address(executor), abi.encodeCall(RouteExecutor.execute, (inner, _sign(executor, inner, signerKey)))
        );
        Order memory o = _viaOdd("1", address(usdc), 10e6, 0);
        bytes memory signature = _sign(executor, o, signerKey);
        bytes memory reentered = abi.encodeWithSelector(ExecutorSettings.Reentered.selector);
        vm.prank(relayer);
        vm.expectRevert(abi.encodeWithSelector(ModularAccount.CallFailed.selector, 1, address(odd), reentered));
        executor.execute(o, signature);
        _equal(usdc.balanceOf(account), 100e6);
    }

    function test_return_bombs_of_a_token_are_not_copied() public {
        BombToken t = new BombToken();
        _list(address(t));
        t.mint(account, 100e6);
        _run(_pay("1", address(t), 1e6, 1e5));
        uint256 used = _gasOf(_pay("2", address(t), 1e6, 1e5));
        emit log_named_uint("gas with two answers of 100,000 bytes", used);
        require(used < 350_000); // the token itself uses some 57,000 for each
        _run(_bridge("3", address(t), 1e6, 0));
    }

    function test_polygons_native_mirror_is_refused() public {
        NativeMirror t = new NativeMirror();
        _list(address(t));
        vm.deal(account, 1 ether);
        _refused(_pay("1", address(t), 1 ether, 0.1 ether), RouteExecutor.Underspent.selector);
        _refused(_pay("1", address(t), 1 ether, 0), RouteExecutor.Underspent.selector);
        bytes memory signature;
        Order memory o = _bridge("1", address(t), 1 ether, 0);
        signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectRevert();
        executor.execute(o, signature);
        _run(_pay("1", address(0), 1 ether, 0)); // the same money leaves as native coin
    }

    function test_a_token_without_code_is_refused() public {
        _list(address(0x70CE));
        bytes memory signature;
        Order memory o = _pay("1", address(0x70CE), 1, 0);
        signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectRevert();
        executor.execute(o, signature);
    }

    /// approve(address,uint256) is also ERC-721's: the NFT stays.
    function test_an_erc721_does_not_leave_by_a_shared_selector() public {
        HalfNft nft = new HalfNft(account);
        _list(address(nft));
        Order memory o = _any("1", 1, address(nft), abi.encodeCall(HalfNft.transferFrom, (account, thief, 1)));
        o.token = address(nft);
        o.spender = address(diamond);
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectRevert();
        executor.execute(o, signature);
        require(nft.owner() == account);
    }
}

contract HalfNft {
    address public owner;
    address public approved;

    constructor(address to) {
        owner = to;
    }

    function balanceOf(address who) external view returns (uint256) {
        return who == owner ? 1 : 0;
    }

    function approve(address to, uint256) external {
        approved = to;
    }

    function transferFrom(address, address to, uint256) external {
        require(msg.sender == approved);
        owner = to;
    }
}
