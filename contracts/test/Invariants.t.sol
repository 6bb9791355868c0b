// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Token} from "./support/Tokens.sol";
import {InvariantWorld} from "./support/InvariantWorld.sol";

/// (a) to (j) are the invariants of the first review, in its words if they fit.
contract InvariantsTest {
    InvariantWorld private world;

    function setUp() public {
        world = new InvariantWorld();
        world.start();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory selectors) {
        selectors = new FuzzSelector[](1);
        selectors[0].addr = address(world);
        selectors[0].selectors = new bytes4[](16);
        bytes4[16] memory all = [
            InvariantWorld.deposit.selector,
            InvariantWorld.deposit.selector,
            InvariantWorld.deposit.selector,
            InvariantWorld.route.selector,
            InvariantWorld.route.selector,
            InvariantWorld.route.selector,
            InvariantWorld.route.selector,
            InvariantWorld.batch.selector,
            InvariantWorld.misbehave.selector,
            InvariantWorld.replay.selector,
            InvariantWorld.steal.selector,
            InvariantWorld.ask.selector,
            InvariantWorld.stop.selector,
            InvariantWorld.widen.selector,
            InvariantWorld.exchangeModule.selector,
            InvariantWorld.pass.selector
        ];
        for (uint256 i; i < 16; ++i) {
            selectors[0].selectors[i] = all[i];
        }
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function invariant_a_to_j_hold_for_tokens_coin_and_swaps() public view {
        require(world.replayed() == 0, "b: a route id was used twice");
        for (uint256 i; i < 3; ++i) {
            address account = world.accounts(i);
            _a_nothing_stays_approved(account);
            _c_no_more_leaves_than_was_signed(account);
            _i_an_account_has_the_code_of_accounts(account);
        }
        _d_no_more_is_routed_on_a_day_than_the_cap();
        require(world.ranUninstalled() == 0, "e: a module acted without being installed");
        require(world.ranStopped() == 0, "f: a stopped item was used");
        require(world.widenedEarly() == 0, "f: a change took effect before its delay");
        require(world.lonelyReplacements() == 0, "g: one holder alone replaced another");
        _h_an_executor_keeps_nothing();
        require(world.traces() == 0, "j: a failure left a trace");
        require(world.stolen() == 0, "stolen");
    }

    function _a_nothing_stays_approved(address account) private view {
        address[2] memory spenders = world.spenders();
        for (uint256 t; t < 2; ++t) {
            for (uint256 k; k < 2; ++k) {
                uint256 left = Token(world.tokens(t)).allowance(account, spenders[k]);
                require(left == 0, "a: an allowance remained");
            }
        }
    }

    function _c_no_more_leaves_than_was_signed(address account) private view {
        for (uint256 t; t < 3; ++t) {
            address token = world.tokens(t);
            uint256 explained = _held(token, account) + world.signedOut(account, token);
            require(explained >= world.deposited(account, token), "c: more left the account than was signed");
        }
    }

    function _d_no_more_is_routed_on_a_day_than_the_cap() private view {
        for (uint256 t; t < 3; ++t) {
            address token = world.tokens(t);
            for (uint256 i; i < 2; ++i) {
                uint256 signed = world.signedOnDay(address(world.executors(i)), world.lastDay(), token);
                require(signed <= world.capOf(token), "d: over the day's cap");
            }
        }
    }

    function _h_an_executor_keeps_nothing() private view {
        for (uint256 t; t < 3; ++t) {
            for (uint256 i; i < 2; ++i) {
                uint256 kept = _held(world.tokens(t), address(world.executors(i)));
                require(kept == 0, "h: an executor kept money");
            }
        }
    }

    function _i_an_account_has_the_code_of_accounts(address account) private view {
        bytes32 codeHash = account.codehash;
        require(account.code.length == 0 || codeHash == world.accountCodeHash(), "i: an account has other code");
        require(world.strays() == 0, "i: an account has another address");
    }

    function _held(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : Token(token).balanceOf(who);
    }
}
