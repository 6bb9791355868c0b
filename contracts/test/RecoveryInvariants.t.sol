// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Item} from "../src/ExecutorSettings.sol";
import {Order} from "../src/Order.sol";
import {Recovery} from "../src/RecoveryExecutor.sol";
import {RecoveryBase} from "./support/RecoveryBase.sol";

/// Holders who approve, withdraw, veto and are replaced, hot keys that refund, a thief, and passing time. It keeps its
/// own record of each approval since the last veto or replacement, and of when the second one came.
contract RecoveryWorld is RecoveryBase {
    uint256 private constant COUNT = 4;
    address[3] private _holders = [admin, guardian, recovery];
    Order[] private _refunded;
    uint256 private _id;
    mapping(uint256 which => mapping(uint256 role => bool)) private _approves;
    mapping(uint256 which => uint256 at) private _agreedAt;
    mapping(uint256 which => uint256) public recovered;
    mapping(uint256 day => uint256) public refundsOn;
    uint256 public lastDay;
    uint256 public tooEarly;
    uint256 public withoutGuardian;
    uint256 public replayed;
    uint256 public stolen;
    uint256 public refunded;
    uint256 public recoveredStray;
    uint256 public deposited;

    function start() external {
        setUp();
        nft.mint(account, 7);
        lastDay = _now() / 1 days;
    }

    function left() external view returns (uint256) {
        return stray.balanceOf(account);
    }

    function kept() external view returns (uint256) {
        return stray.balanceOf(address(recoveries)) + usdc.balanceOf(address(recoveries)) + address(recoveries).balance;
    }

    // ---------------------------------------------------------------- actions

    function deposit(uint256 amount) external {
        amount = amount % 1e18;
        stray.mint(account, amount);
        usdc.mint(account, 5e6);
        deposited += amount;
    }

    function refund(uint256 amount) external {
        Order memory o = _refundOrder(keccak256(abi.encode(++_id)), address(stray), amount % 1e17 + 1);
        bytes memory signature = _signRefund(o, signerKey);
        vm.prank(relayer);
        try recoveries.execute(o, signature) {
            ++refundsOn[_now() / 1 days];
            refunded += o.amountIn;
            _refunded.push(o);
        } catch {}
    }

    function replay(uint256 which) external {
        if (_refunded.length == 0) return;
        Order memory o = _refunded[which % _refunded.length];
        o.deadline = uint64(_now() + 60);
        bytes memory signature = _signRefund(o, signerKey);
        vm.prank(relayer);
        try recoveries.execute(o, signature) {
            ++replayed;
        } catch {}
    }

    function approve(uint256 by, uint256 which) external {
        (by, which) = (by % 3, which % COUNT);
        _approve(_holders[by], _recovery(which));
        if (_approves[which][by]) return;
        _approves[which][by] = true;
        if (_agreeing(which) == 2) _agreedAt[which] = _now();
    }

    function withdraw(uint256 by, uint256 which) external {
        (by, which) = (by % 3, which % COUNT);
        vm.prank(_holders[by]);
        try recoveries.withdraw(_recovery(which)) {
            _approves[which][by] = false;
        } catch {}
    }

    function veto(uint256 by, uint256 which) external {
        if (by % 4 != 0) return; // rarely: otherwise no recovery completes
        which = which % COUNT;
        vm.prank(guardian);
        try recoveries.veto(_recovery(which)) {
            _forget(which);
        } catch {}
    }

    function unlist(uint256 by) external {
        if (by % 4 != 0) return; // rarely: otherwise no cap stays in place
        vm.prank(admin);
        executor.stop(Item.Cap, _key(address(usdc)));
    }

    function recover(uint256 by, uint256 which) external {
        which = which % COUNT;
        vm.prank(_holders[by % 3]);
        try recoveries.recover(_recovery(which)) {
            ++recovered[which];
            if (which < 2) recoveredStray += _recovery(which).amount;
            if (_agreeing(which) < 2 || _now() < _agreedAt[which] + 3 days) ++tooEarly;
            if (which == 3 && !_approves[which][1]) ++withoutGuardian;
        } catch {}
    }

    function steal(uint256 which) external {
        Recovery memory r = _recovery(which % COUNT);
        r.to = thief;
        Order memory o = _refundOrder(keccak256(abi.encode(++_id)), address(stray), 1);
        o.intent.recipient = thief;
        bytes memory signature = _signRefund(o, signerKey);
        vm.startPrank(thief);
        try recoveries.approve(r) {} catch {}
        try recoveries.recover(r) {} catch {}
        try recoveries.execute(o, signature) {} catch {}
        vm.stopPrank();
        vm.prank(admin); // one holder who is a thief
        recoveries.approve(r);
        vm.prank(admin);
        try recoveries.recover(r) {} catch {}
        stolen = stray.balanceOf(thief) + usdc.balanceOf(thief);
    }

    function pass(uint256 time) external {
        _wait(time % 5 days);
        lastDay = _now() / 1 days;
    }

    // ---------------------------------------------------------------- totals

    function _recovery(uint256 which) private view returns (Recovery memory r) {
        if (which == 2) return _nft(7);
        r = _tokens(which == 3 ? address(usdc) : address(stray), 1e6 + which);
    }

    function _agreeing(uint256 which) private view returns (uint256 count) {
        for (uint256 role; role < 3; ++role) {
            if (_approves[which][role]) ++count;
        }
    }

    function _forget(uint256 which) private {
        for (uint256 role; role < 3; ++role) {
            _approves[which][role] = false;
        }
    }
}

contract RecoveryInvariantsTest {
    RecoveryWorld private world;

    function setUp() public {
        world = new RecoveryWorld();
        world.start();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetSelectors() external view returns (FuzzSelector[] memory selectors) {
        selectors = new FuzzSelector[](1);
        selectors[0].addr = address(world);
        selectors[0].selectors = new bytes4[](12);
        bytes4[12] memory all = [
            RecoveryWorld.deposit.selector,
            RecoveryWorld.refund.selector,
            RecoveryWorld.replay.selector,
            RecoveryWorld.approve.selector,
            RecoveryWorld.approve.selector,
            RecoveryWorld.withdraw.selector,
            RecoveryWorld.veto.selector,
            RecoveryWorld.unlist.selector,
            RecoveryWorld.recover.selector,
            RecoveryWorld.recover.selector,
            RecoveryWorld.steal.selector,
            RecoveryWorld.pass.selector
        ];
        for (uint256 i; i < 12; ++i) {
            selectors[0].selectors[i] = all[i];
        }
    }

    /// No asset is recovered early, by one holder, or twice. Refunds stay within the daily limit. No money is stolen or
    /// kept.
    function invariant_recoveries_need_two_holders_and_three_days_and_refunds_a_daily_limit() public view {
        require(world.tooEarly() == 0, "recovered early");
        require(world.withoutGuardian() == 0, "a token that has or had a cap left without the guardian");
        for (uint256 which; which < 4; ++which) {
            require(world.recovered(which) <= 1, "recovered twice");
        }
        require(world.replayed() == 0, "replayed");
        require(world.stolen() == 0, "stolen");
        require(world.kept() == 0, "kept");
        require(world.refundsOn(world.lastDay()) <= 20, "above the daily limit");
        require(world.left() + world.refunded() + world.recoveredStray() == world.deposited(), "unexplained");
    }
}
