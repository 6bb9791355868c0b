// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Token} from "./support/Tokens.sol";
import {InvariantWorld} from "./support/InvariantWorld.sol";

/// (a) to (j) are the invariants of the first review, in its words where they fit.
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
        for (uint256 i; i < 3; ++i) {
            _ofAccount(world.accounts(i));
        }
        for (uint256 t; t < 3; ++t) {
            address token = world.tokens(t);
            for (uint256 i; i < 2; ++i) {
                address executor = address(world.executors(i));
                require(_held(token, executor) == 0, "h: an executor kept something");
                require(
                    world.signedOnDay(executor, world.lastDay(), token) <= world.capOf(token), "d: over the day's cap"
                );
            }
        }
        require(world.stolen() == 0, "stolen");
        require(world.replayed() == 0, "b: a route id was used twice");
        require(world.ranUninstalled() == 0, "e: a module acted that is not installed");
        require(world.ranStopped() == 0, "f: what was stopped ran");
        require(world.widenedEarly() == 0, "f: a change took effect before its delay");
        require(world.lonelyReplacements() == 0, "g: one holder alone replaced another");
        require(world.traces() == 0, "j: a failure left a trace");
    }

    function _ofAccount(address account) private view {
        bytes32 codeHash = account.codehash;
        require(account.code.length == 0 || codeHash == world.accountCodeHash(), "i: other code at an account");
        for (uint256 t; t < 3; ++t) {
            address token = world.tokens(t);
            uint256 explained = _held(token, account) + world.signedOut(account, token);
            require(explained >= world.deposited(account, token), "c: more left than was signed");
            if (token == address(0)) continue;
            address[2] memory spenders = world.spenders();
            for (uint256 k; k < 2; ++k) {
                require(Token(token).allowance(account, spenders[k]) == 0, "a: something stayed approved");
            }
        }
    }

    function _held(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : Token(token).balanceOf(who);
    }
}
