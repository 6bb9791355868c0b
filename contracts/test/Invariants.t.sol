// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Item} from "../src/ExecutorSettings.sol";
import {Order} from "../src/Order.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Base} from "./support/Base.sol";
import {Diamond, OddDiamond} from "./support/Diamonds.sol";
import {Token} from "./support/Tokens.sol";

/// Everybody at once: users who deposit, the service that routes, a bridge that misbehaves, a thief who tries, holders
/// who replace, stop and upgrade, and time that passes. It keeps the books that the invariants are checked against.
contract World is Base {
    bytes32[3] private _salts = [bytes32("a"), bytes32("b"), bytes32("c")];
    address[3] public accounts;
    RouteExecutor[2] public executors;
    Order[] private _routed;
    mapping(address account => uint256) public deposited;
    mapping(address account => uint256) public signedOut;
    mapping(uint256 day => uint256) public signedPerDay;
    uint256 public routes;
    uint256 public stolen;
    uint256 public replayed;
    uint256 public lastDay;
    uint256 public lonelyReplacements;
    uint256 private _id;

    function start() external {
        setUp();
        executors[0] = executor;
        executors[1] = _newExecutor();
        _install(address(executors[1]));
        for (uint256 i; i < 3; ++i) {
            accounts[i] = registry.accountAddress(_salts[i]);
        }
        lastDay = _now() / 1 days;
    }

    function token() external view returns (Token) {
        return usdc;
    }

    function spenders() external view returns (address[2] memory) {
        return [address(diamond), address(odd)];
    }

    // ---------------------------------------------------------------- what happens

    function deposit(uint256 who, uint256 amount) external {
        amount = amount % 9000e6;
        usdc.mint(accounts[who % 3], amount);
        deposited[accounts[who % 3]] += amount;
    }

    function route(uint256 who, uint256 amount, uint256 fee, uint256 kind, uint256 by) external {
        uint256 held = usdc.balanceOf(accounts[who % 3]);
        amount = amount % (held + held / 16 + 1) + 20; // now and then more than there is
        fee = fee % (amount / 8);
        Order memory o = kind % 3 == 0
            ? _pay(_next(), address(usdc), amount, fee)
            : kind % 3 == 1
                ? _bridge(_next(), address(usdc), amount, fee)
                : _viaOdd(_next(), address(usdc), amount, fee);
        o.accountSalt = _salts[who % 3];
        if (kind % 7 == 0) o.minSpent = fee + 1;
        _try(executors[by % 2], o, accounts[who % 3]);
    }

    function misbehave(uint256 mode, uint256 number) external {
        odd.set(OddDiamond.Mode(mode % 5), number % 4000e6);
    }

    function replay(uint256 which, uint256 by) external {
        if (_routed.length == 0) return;
        Order memory o = _routed[which % _routed.length];
        o.deadline = uint64(_now() + 60);
        bytes memory signature = _sign(executors[by % 2], o, signerKey);
        vm.prank(relayer);
        try executors[by % 2].execute(o, signature) {
            ++replayed;
        } catch {}
    }

    function steal(uint256 who, uint256 way) external {
        address victim = accounts[who % 3];
        uint256 before = usdc.balanceOf(victim);
        bytes memory take = abi.encodeCall(Token.transfer, (thief, 1));
        Order memory o = _pay(_next(), address(usdc), 20, 0);
        o.accountSalt = _salts[who % 3];
        o.intent.recipient = thief;
        bytes memory signature = _sign(executor, o, way % 2 == 0 ? signerKey : 0x7E1F);
        vm.startPrank(way % 2 == 0 ? thief : relayer);
        try executor.execute(o, signature) {} catch {}
        (bool ok,) = victim.call(
            abi.encodeWithSignature(
                "executeFromExecutor(bytes32,bytes)", 0, abi.encodePacked(address(usdc), uint256(0), take)
            )
        );
        (ok,) = address(diamond)
            .call(
                abi.encodeCall(Diamond.anyCall, (address(usdc), abi.encodeCall(Token.transferFrom, (victim, thief, 1))))
            );
        (ok,) = address(registry).call(abi.encodeWithSignature("scheduleModule(address)", address(odd)));
        vm.stopPrank();
        stolen += before - usdc.balanceOf(victim);
    }

    function ask(uint256 by, uint8 role, uint256 next) external {
        address[3] memory holders = [registry.holder(0), registry.holder(1), registry.holder(2)];
        uint256 before = registry.replacements();
        vm.prank(holders[by % 3]);
        try registry.replace(role % 3, address(uint160(0xC0DE00 + next % 2))) {
            // The same ask again by the same holder never completes it.
            if (registry.replacements() == before) {
                vm.prank(holders[by % 3]);
                registry.replace(role % 3, address(uint160(0xC0DE00 + next % 2)));
                if (registry.replacements() != before) ++lonelyReplacements;
            }
        } catch {}
    }

    function stop(uint256 what, uint256 by) external {
        if (what % 8 != 1) return; // rarely, so that routes go on
        bytes32 rule = executor.ruleKey(address(odd), Diamond.startBridgeTokensViaAcrossV4.selector, address(odd));
        address guardian_ = registry.holder(1);
        vm.prank(guardian_);
        executors[by % 2].stop(Item.Rule, rule);
    }

    function pass(uint256 time) external {
        _wait(time % 1 days);
        lastDay = _now() / 1 days;
    }

    function _next() private returns (bytes32) {
        return keccak256(abi.encode(++_id));
    }

    function _try(RouteExecutor by, Order memory o, address from) private {
        bytes memory signature = _sign(by, o, signerKey);
        vm.prank(relayer);
        try by.execute(o, signature) {
            ++routes;
            _routed.push(o);
            signedOut[from] += o.amountIn;
            if (by == executors[0]) signedPerDay[_now() / 1 days] += o.amountIn;
        } catch {}
    }
}

contract InvariantsTest {
    World private world;

    function setUp() public {
        world = new World();
        world.start();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory selectors) {
        selectors = new FuzzSelector[](1);
        selectors[0].addr = address(world);
        selectors[0].selectors = new bytes4[](11);
        bytes4[11] memory all = [
            World.deposit.selector,
            World.deposit.selector,
            World.route.selector,
            World.route.selector,
            World.route.selector,
            World.misbehave.selector,
            World.replay.selector,
            World.steal.selector,
            World.ask.selector,
            World.stop.selector,
            World.pass.selector
        ];
        for (uint256 i; i < 11; ++i) {
            selectors[0].selectors[i] = all[i];
        }
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    /// Between transactions nobody may take from an account, no executor keeps money, and nobody stole or replayed.
    function invariant_nothing_is_approved_kept_stolen_or_replayed() public view {
        Token token = world.token();
        for (uint256 i; i < 3; ++i) {
            address account = world.accounts(i);
            address[2] memory spenders = world.spenders();
            for (uint256 k; k < 2; ++k) {
                require(token.allowance(account, spenders[k]) == 0, "approved");
            }
            require(
                token.balanceOf(account) + world.signedOut(account) >= world.deposited(account), "more left than signed"
            );
        }
        for (uint256 i; i < 2; ++i) {
            address executor = address(world.executors(i));
            require(token.balanceOf(executor) == 0 && executor.balance == 0, "kept");
        }
        require(world.stolen() == 0, "stolen");
        require(world.replayed() == 0, "replayed");
        require(world.lonelyReplacements() == 0, "one holder alone");
        require(world.signedPerDay(world.lastDay()) <= 10_000e6, "over the cap");
    }
}
