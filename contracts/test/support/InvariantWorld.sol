// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ExecutorSettings, Item} from "../../src/ExecutorSettings.sol";
import {Order} from "../../src/Order.sol";
import {RouteExecutor, SignedOrder} from "../../src/RouteExecutor.sol";
import {Base} from "./Base.sol";
import {Diamond, OddDiamond} from "./Diamonds.sol";
import {Token} from "./Tokens.sol";

/// A world with every party. Users deposit two tokens and coin. The service pays, swaps and bridges, alone and in
/// batches, with two executors. A bridge misbehaves, a thief tries, and holders replace, stop, widen and exchange
/// modules while time passes. The world's totals are what the invariants compare.
contract InvariantWorld is Base {
    bytes32[3] private _salts = [bytes32("a"), bytes32("b"), bytes32("c")];
    address[3] public accounts;
    address[3] public tokens;
    RouteExecutor[2] public executors;
    Order[] private _routed;
    mapping(address account => mapping(address token => uint256)) public deposited;
    mapping(address account => mapping(address token => uint256)) public signedOut;
    mapping(address executor => mapping(uint256 day => mapping(address token => uint256))) public signedOnDay;
    mapping(address executor => bool) private _oddIsStopped;
    mapping(uint256 n => uint256 at) private _scheduledAt;
    mapping(bytes32 question => uint256 askers) private _askers;
    bool private _isRemoved;
    bytes private _accountCode;
    bytes32 public accountCodeHash;
    uint256 public routes;
    uint256 public stolen;
    uint256 public replayed;
    uint256 public lastDay;
    uint256 public lonelyReplacements;
    uint256 public ranUninstalled;
    uint256 public ranStopped;
    uint256 public widenedEarly;
    uint256 public traces;
    uint256 public strays;
    uint256 private _id;

    function start() external {
        setUp();
        executors[0] = executor;
        _list(address(dai));
        executors[1] = _newExecutor();
        _install(address(executors[1]));
        executor = executors[1];
        _list(address(dai));
        executor = executors[0];
        tokens = [address(usdc), address(dai), address(0)];
        for (uint256 i; i < 6; ++i) {
            vm.prank(guardian);
            executors[i % 2].lowerCap(tokens[i / 2], 5000e6); // low enough to be reached
        }
        // Computed by the rule instead of read from the registry, whose own result would prove nothing.
        _accountCode = abi.encodePacked(
            hex"36600557005b363d3d373d3d3d363d73", registry.implementation(), hex"5af43d82803e903d91603157fd5bf3"
        );
        accountCodeHash = keccak256(_accountCode);
        for (uint256 i; i < 3; ++i) {
            accounts[i] = _addressOf(_salts[i]);
            if (registry.accountAddress(_salts[i]) != accounts[i]) ++strays;
        }
        vm.deal(relayer, 1e6 ether);
        lastDay = _now() / 1 days;
    }

    function _addressOf(bytes32 salt_) private view returns (address) {
        bytes32 initCodeHash = keccak256(abi.encodePacked(hex"3d603380600a3d3981f3", _accountCode));
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(registry), salt_, initCodeHash));
        return address(uint160(uint256(hash)));
    }

    function spenders() external view returns (address[2] memory) {
        return [address(diamond), address(odd)];
    }

    function capOf(address token) external view returns (uint256 limit) {
        (, limit,) = executors[0].capOf(token);
    }

    // ---------------------------------------------------------------- users and the service

    function deposit(uint256 who, uint256 what, uint256 amount) external {
        (address to, address token) = (accounts[who % 3], tokens[what % 3]);
        amount = amount % 9000e6;
        if (token == address(0)) vm.deal(to, to.balance + amount);
        else Token(token).mint(to, amount);
        deposited[to][token] += amount;
    }

    function route(uint256 who, uint256 what, uint256 amount, uint256 fee, uint256 kind, uint256 by) external {
        Order memory o = _someOrder(who, what, amount, fee, kind);
        bytes memory signature = _sign(executors[by % 2], o, signerKey);
        bytes32 before = _stateOf(o);
        vm.prank(relayer);
        try executors[by % 2].execute{value: o.nativeFee}(o, signature) {
            _book(executors[by % 2], o);
        } catch {
            if (_stateOf(o) != before) ++traces;
        }
    }

    function batch(uint256 what, uint256 amount, uint256 fee, uint256 kind, uint256 by) external {
        RouteExecutor executor_ = executors[by % 2];
        (what, kind) = (what % 3, kind % 28);
        SignedOrder[] memory orders = new SignedOrder[](3);
        uint256 coin;
        for (uint256 i; i < 3; ++i) {
            Order memory o = _someOrder(i, what + i, amount, fee, kind + i);
            orders[i] = SignedOrder(o, _sign(executor_, o, signerKey), 600_000);
            coin += o.nativeFee;
        }
        vm.prank(relayer);
        try executor_.executeBatch{value: coin}(orders) returns (bool[] memory done) {
            for (uint256 i; i < 3; ++i) {
                if (done[i]) _book(executor_, orders[i].order);
                else if (registry.routeUsed(orders[i].order.accountSalt, orders[i].order.routeId)) ++traces;
            }
        } catch {}
    }

    function replay(uint256 which, uint256 by) external {
        if (_routed.length == 0) return;
        Order memory o = _routed[which % _routed.length];
        // Only the id blocks it.
        address from = _addressOf(o.accountSalt);
        if (o.token == address(0)) vm.deal(from, from.balance + o.amountIn);
        else Token(o.token).mint(from, o.amountIn);
        deposited[from][o.token] += o.amountIn;
        o.deadline = uint64(_now() + 60);
        bytes memory signature = _sign(executors[by % 2], o, signerKey);
        vm.prank(relayer);
        try executors[by % 2].execute{value: o.nativeFee}(o, signature) {
            ++replayed;
        } catch {}
    }

    function _someOrder(uint256 who, uint256 what, uint256 amount, uint256 fee, uint256 kind)
        private
        returns (Order memory o)
    {
        address token = tokens[what % 3];
        account = accounts[who % 3];
        uint256 held = token == address(0) ? account.balance : Token(token).balanceOf(account);
        amount = amount % (held + held / 16 + 1) + 20; // sometimes more than the balance
        fee = fee % (amount / 8);
        bytes32 id = keccak256(abi.encode(++_id));
        if (kind % 4 == 0) o = _pay(id, token, amount, fee);
        else if (kind % 4 == 1) o = _bridge(id, token, amount, fee);
        else if (kind % 4 == 2 && token == address(usdc)) o = _swap(id, amount, fee, amount - fee);
        else o = _viaOdd(id, token, amount, fee);
        if (token == address(0)) o.spender = address(0);
        // On top of what a misbehaving bridge may return.
        if (o.target == address(odd) && _id % 2 == 0) o.nativeFee = 5000e6;
        o.accountSalt = _salts[who % 3];
        if (kind % 3 == 0) o.minSpent = fee + 1;
    }

    function _book(RouteExecutor by, Order memory o) private {
        address from = _addressOf(o.accountSalt);
        ++routes;
        _routed.push(o);
        signedOut[from][o.token] += o.amountIn;
        signedOnDay[address(by)][_now() / 1 days][o.token] += o.amountIn;
        if (_isRemoved && address(by) == address(executors[1])) ++ranUninstalled;
        if (o.target == address(odd) && o.token != address(0) && _oddIsStopped[address(by)]) ++ranStopped;
    }

    /// Every value that a route can change.
    function _stateOf(Order memory o) private view returns (bytes32) {
        address from = _addressOf(o.accountSalt);
        bytes32 held = keccak256(abi.encode(from.balance, user.balance, collector.balance, from.code.length));
        for (uint256 t; t < 2; ++t) {
            Token token = Token(tokens[t]);
            held = keccak256(
                abi.encode(
                    held,
                    token.balanceOf(from),
                    token.balanceOf(user),
                    token.balanceOf(collector),
                    token.allowance(from, address(diamond)),
                    token.allowance(from, address(odd))
                )
            );
        }
        (, uint256 spentDay) = _spentOf(o.token);
        return keccak256(abi.encode(held, registry.routeUsed(o.accountSalt, o.routeId), spentDay));
    }

    function _spentOf(address token) private view returns (uint256 day, uint256 spent) {
        for (uint256 i; i < 2; ++i) {
            (uint32 day_,, uint112 spent_) = executors[i].capOf(token);
            (day, spent) = (day + day_, spent + spent_);
        }
    }

    // ---------------------------------------------------------------- misbehaviour

    function misbehave(uint256 mode, uint256 number) external {
        odd.set(OddDiamond.Mode(mode % 5), number % 500e6); // less than most routes carry
    }

    function steal(uint256 who, uint256 way) external {
        address victim = accounts[who % 3];
        uint256 before = usdc.balanceOf(victim) + victim.balance;
        bytes memory take = abi.encodeCall(Token.transfer, (thief, 1));
        Order memory o = _pay(keccak256(abi.encode(++_id)), address(usdc), 20, 0);
        o.accountSalt = _salts[who % 3];
        o.intent.recipient = thief;
        bytes memory signature = _sign(executor, o, way % 2 == 0 ? signerKey : 0x7E1F);
        vm.startPrank(way % 2 == 0 ? thief : relayer);
        try executor.execute(o, signature) {} catch {}
        try executor.executeOne(o, signature) {} catch {}
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
        stolen += before - usdc.balanceOf(victim) - victim.balance;
    }

    // ---------------------------------------------------------------- holders, and time

    function ask(uint256 by, uint8 role, uint256 next) external {
        address[3] memory holders = [registry.holder(0), registry.holder(1), registry.holder(2)];
        uint256 before = registry.replacements();
        address heir = address(uint160(0xC0DE00 + next % 2));
        // Twice, because the same request by the same holder never completes it.
        for (uint256 i; i < 2 && registry.replacements() == before; ++i) {
            vm.prank(holders[by % 3]);
            try registry.replace(role % 3, heir) {
                bytes32 question = keccak256(abi.encode(before, role % 3, heir));
                _askers[question] |= 1 << (by % 3);
                uint256 askers = _askers[question];
                if (registry.replacements() != before && askers & (askers - 1) == 0) ++lonelyReplacements;
            } catch {}
        }
    }

    function stop(uint256 what, uint256 by) external {
        if (what % 16 != 1) return; // rarely: otherwise no route runs
        bytes32 rule = executor.ruleKey(address(odd), Diamond.startBridgeTokensViaAcrossV4.selector, address(odd));
        address guardian_ = registry.holder(1);
        vm.prank(guardian_);
        executors[by % 2].stop(Item.Rule, rule);
        _oddIsStopped[address(executors[by % 2])] = true;
    }

    /// A cap raised to its current value: scheduled, and applied whenever possible.
    function widen(uint256 n) external {
        bytes memory call = abi.encodeCall(ExecutorSettings.addCollector, (address(uint160(0xFEE0 + n % 3))));
        address admin_ = registry.holder(0);
        vm.startPrank(admin_);
        try executors[0].applyChange(call) {
            if (_now() < _scheduledAt[n % 3] + 2 days) ++widenedEarly;
        } catch {
            if (executors[0].readyAt(keccak256(call)) == 0) {
                executors[0].schedule(call);
                _scheduledAt[n % 3] = _now();
            }
        }
        vm.stopPrank();
    }

    /// The second executor is removed, or returns after its three days.
    function exchangeModule(uint256 n) external {
        if (n % 4 != 0) return;
        address module = address(executors[1]);
        address admin_ = registry.holder(0);
        vm.startPrank(admin_);
        if (!_isRemoved) {
            registry.removeModule(module);
            _isRemoved = true;
        } else {
            registry.scheduleModule(module);
            _wait(3 days);
            registry.installModule(module);
            _isRemoved = false;
        }
        vm.stopPrank();
        lastDay = _now() / 1 days;
    }

    function pass(uint256 time) external {
        _wait(time % 1 days);
        lastDay = _now() / 1 days;
    }
}
