// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface IHolders {
    function holder(uint256 role) external view returns (address);
}

struct TokenCap {
    address token;
    uint256 limit; // per UTC day, in the token's units; 0 = not routable
}

struct Rule {
    address target;
    bytes4 selector;
    address spender; // zero for the native coin
    address guard;
    bytes32 guardCodeHash; // the reviewed code of the guard
}

struct Settings {
    address[] relayers;
    address[] signers;
    address[] collectors;
    TokenCap[] caps;
    Rule[] rules;
    uint256 maxNativeFee;
}

enum Item {
    Everything,
    Relayer,
    Signer,
    Collector,
    Rule,
    Cap,
    NativeFee
}

/// The settings that decide who may route which token. A change that widens power is scheduled by the admin, waits, can
/// be vetoed and expires. A change that narrows it takes effect immediately, by the admin or the guardian. The initial
/// settings are reviewed during the registry's own delay.
abstract contract ExecutorSettings {
    using SafeERC20 for IERC20;

    /// How long a change that widens power waits.
    uint64 public constant DELAY = 2 days;
    /// How long it can be applied after that.
    uint64 public constant WINDOW = 14 days;
    uint256 private constant ADMIN = 0;
    uint256 private constant GUARDIAN = 1;
    uint256 private constant RECOVERY = 2;

    struct Cap {
        uint32 day;
        uint112 limit;
        uint112 spent;
    }

    struct Guard {
        address at;
        bytes32 codeHash;
    }

    /// The registry whose holders decide, and whose accounts are routed.
    IHolders public immutable registry;
    /// The addresses that may send orders.
    mapping(address => bool) public isRelayer;
    /// The addresses that may sign orders.
    mapping(address => bool) public isSigner;
    /// The addresses that may receive fees.
    mapping(address => bool) public isCollector;
    /// The guard that reads the calls of a rule, and the code that it must have.
    mapping(bytes32 ruleKey => Guard) public guardOf;
    /// The daily cap of a token per UTC day, and the amount routed on its last day.
    mapping(address token => Cap) public capOf;
    /// While true, nothing is routed.
    bool public paused;
    /// The most coin that a relayer may send along.
    uint128 public maxNativeFee;
    /// When a scheduled change may be applied.
    mapping(bytes32 id => uint64) public readyAt;
    /// A stop voids every change that was scheduled before it for the same item.
    mapping(Item what => mapping(bytes32 key => uint64)) public stoppedAt;
    uint64 private transient _scheduledAt;
    bool private transient _busy;

    event Scheduled(bytes32 indexed id, uint64 readyAt, bytes call);
    event Applied(bytes32 indexed id);
    event Cancelled(bytes32 indexed id, address by);
    event Stopped(Item indexed what, bytes32 indexed key, address by);
    event RelayerAdded(address indexed relayer);
    event SignerAdded(address indexed signer);
    event CollectorAdded(address indexed collector);
    event RuleAdded(
        address indexed target, bytes4 indexed selector, address indexed spender, address guard, bytes32 guardCodeHash
    );
    event CapSet(address indexed token, uint256 limit);
    event MaxNativeFeeSet(uint256 maxNativeFee);
    event Unpaused();
    event Swept(address indexed token, address indexed collector, uint256 amount);

    error Denied(address caller);
    error NotScheduled(bytes32 id);
    error NotReady(bytes32 id, uint64 readyAt);
    error ScheduleExpired(bytes32 id, uint64 expiredAt);
    error StoppedSince(Item what, bytes32 key);
    error BadSetting(Item what, address value);
    error CapReached(address token, uint256 limit, uint256 wanted);
    error Reentered();

    modifier nonReentrant() {
        if (_busy) revert Reentered();
        _busy = true;
        _;
        _busy = false;
    }

    modifier only(uint256 role) {
        if (msg.sender != registry.holder(role)) revert Denied(msg.sender);
        _;
    }

    modifier onlyAdminOrGuardian() {
        if (msg.sender != registry.holder(ADMIN) && msg.sender != registry.holder(GUARDIAN)) revert Denied(msg.sender);
        _;
    }

    /// Reached only through `applyChange`, and only if the item was not stopped since it was scheduled.
    modifier scheduled(Item what, bytes32 key) {
        if (msg.sender != address(this)) revert Denied(msg.sender);
        if (_scheduledAt <= stoppedAt[what][key]) revert StoppedSince(what, key);
        _;
    }

    constructor(IHolders registry_, Settings memory initial) {
        registry = registry_;
        for (uint256 i; i < initial.relayers.length; ++i) {
            _addRelayer(initial.relayers[i]);
        }
        for (uint256 i; i < initial.signers.length; ++i) {
            _addSigner(initial.signers[i]);
        }
        for (uint256 i; i < initial.collectors.length; ++i) {
            _addCollector(initial.collectors[i]);
        }
        for (uint256 i; i < initial.caps.length; ++i) {
            _setCap(initial.caps[i].token, initial.caps[i].limit);
        }
        for (uint256 i; i < initial.rules.length; ++i) {
            _addRule(initial.rules[i]);
        }
        _setMaxNativeFee(initial.maxNativeFee);
    }

    // ---------------------------------------------------------------- widening

    /// @param call One of addRelayer, addSigner, addCollector, addRule, setCap, setMaxNativeFee, unpause, encoded.
    function schedule(bytes calldata call) external only(ADMIN) returns (bytes32 id) {
        id = keccak256(call);
        uint64 ready = uint64(block.timestamp) + DELAY;
        readyAt[id] = ready;
        emit Scheduled(id, ready, call);
    }

    /// Deletes a scheduled change, by the admin or the guardian.
    function cancel(bytes32 id) external onlyAdminOrGuardian {
        if (readyAt[id] == 0) revert NotScheduled(id);
        delete readyAt[id];
        emit Cancelled(id, msg.sender);
    }

    /// Makes a change that has waited, by the admin.
    /// @param call The call as it was scheduled.
    function applyChange(bytes calldata call) external only(ADMIN) nonReentrant {
        bytes32 id = keccak256(call);
        uint64 ready = readyAt[id];
        if (ready == 0) revert NotScheduled(id);
        if (block.timestamp < ready) revert NotReady(id, ready);
        if (block.timestamp > ready + WINDOW) revert ScheduleExpired(id, ready + WINDOW);
        delete readyAt[id];
        _scheduledAt = ready - DELAY;
        (bool ok, bytes memory reason) = address(this).call(call);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
        _scheduledAt = 0;
        emit Applied(id);
    }

    /// By `applyChange` alone, as for every change that widens power.
    function addRelayer(address relayer) external scheduled(Item.Relayer, _key(relayer)) {
        _addRelayer(relayer);
    }

    /// By `applyChange` alone.
    function addSigner(address signer) external scheduled(Item.Signer, _key(signer)) {
        _addSigner(signer);
    }

    /// By `applyChange` alone.
    function addCollector(address collector) external scheduled(Item.Collector, _key(collector)) {
        _addCollector(collector);
    }

    /// By `applyChange` alone; a rule of the same key is replaced.
    function addRule(Rule calldata rule)
        external
        scheduled(Item.Rule, ruleKey(rule.target, rule.selector, rule.spender))
    {
        _addRule(rule);
    }

    /// By `applyChange` alone.
    function setCap(address token, uint256 limit) external scheduled(Item.Cap, _key(token)) {
        _setCap(token, limit);
    }

    /// By `applyChange` alone.
    function setMaxNativeFee(uint256 limit) external scheduled(Item.NativeFee, 0) {
        _setMaxNativeFee(limit);
    }

    /// By `applyChange` alone.
    function unpause() external scheduled(Item.Everything, 0) {
        paused = false;
        emit Unpaused();
    }

    // ---------------------------------------------------------------- narrowing

    /// @param key The address, left-padded; `ruleKey` for a rule; zero for everything and for the native fee.
    function stop(Item what, bytes32 key) external onlyAdminOrGuardian {
        // The recorded key is the one acted on, so a change scheduled for it is void, even if the unused bits of the
        // key differ.
        address who = address(uint160(uint256(key)));
        if (what == Item.Everything || what == Item.NativeFee) key = 0;
        else if (what != Item.Rule) key = _key(who);
        if (what == Item.Everything) paused = true;
        else if (what == Item.Relayer) isRelayer[who] = false;
        else if (what == Item.Signer) isSigner[who] = false;
        else if (what == Item.Collector) isCollector[who] = false;
        else if (what == Item.Rule) delete guardOf[key];
        else if (what == Item.Cap) capOf[who].limit = 0;
        else maxNativeFee = 0;
        stoppedAt[what][key] = uint64(block.timestamp);
        emit Stopped(what, key, msg.sender);
    }

    /// Takes effect immediately, by the admin or the guardian; a waiting raise is void.
    function lowerCap(address token, uint256 limit) external onlyAdminOrGuardian {
        if (limit >= capOf[token].limit) revert BadSetting(Item.Cap, token);
        stoppedAt[Item.Cap][_key(token)] = uint64(block.timestamp);
        _setCap(token, limit);
    }

    /// Collects coins and tokens that were sent here by mistake; the executor holds no funds.
    function sweep(address token, address collector) external only(ADMIN) nonReentrant {
        if (!isCollector[collector]) revert BadSetting(Item.Collector, collector);
        uint256 amount = token == address(0) ? address(this).balance : IERC20(token).balanceOf(address(this));
        emit Swept(token, collector, amount);
        if (token != address(0)) return IERC20(token).safeTransfer(collector, amount);
        (bool ok,) = collector.call{value: amount}("");
        if (!ok) revert BadSetting(Item.Collector, collector);
    }

    // ---------------------------------------------------------------- the settings

    /// The key that stores and stops a rule.
    function ruleKey(address target, bytes4 selector, address spender) public pure returns (bytes32) {
        return keccak256(abi.encode(target, selector, spender));
    }

    function _countAgainstCap(address token, uint256 amount) internal {
        Cap memory cap = capOf[token];
        uint32 today = uint32(block.timestamp / 1 days);
        if (cap.day != today) (cap.day, cap.spent) = (today, 0);
        if (amount > cap.limit || cap.spent + amount > cap.limit) revert CapReached(token, cap.limit, amount);
        cap.spent += uint112(amount);
        capOf[token] = cap;
    }

    function _addRelayer(address relayer) private {
        _checkHotKey(Item.Relayer, relayer, isSigner[relayer]);
        isRelayer[relayer] = true;
        emit RelayerAdded(relayer);
    }

    function _addSigner(address signer) private {
        _checkHotKey(Item.Signer, signer, isRelayer[signer]);
        isSigner[signer] = true;
        emit SignerAdded(signer);
    }

    function _addCollector(address collector) private {
        if (collector == address(0)) revert BadSetting(Item.Collector, collector);
        isCollector[collector] = true;
        emit CollectorAdded(collector);
    }

    function _addRule(Rule memory rule) private {
        if (rule.target.code.length == 0) revert BadSetting(Item.Rule, rule.target);
        _checkGuard(rule.guard, rule.guardCodeHash);
        if (rule.spender != address(0) && rule.spender.code.length == 0) revert BadSetting(Item.Rule, rule.spender);
        guardOf[ruleKey(rule.target, rule.selector, rule.spender)] = Guard(rule.guard, rule.guardCodeHash);
        emit RuleAdded(rule.target, rule.selector, rule.spender, rule.guard, rule.guardCodeHash);
    }

    /// The guard has its own, reviewed code. It is no plain key and has no EIP-7702 delegation (0xef0100..).
    function _checkGuard(address guard, bytes32 codeHash) private view {
        bytes memory code = guard.code;
        bool isDelegation = code.length == 23 && bytes3(code) == 0xef0100;
        if (code.length == 0 || isDelegation || keccak256(code) != codeHash) revert BadSetting(Item.Rule, guard);
    }

    function _setCap(address token, uint256 limit) private {
        if (limit > type(uint112).max) revert BadSetting(Item.Cap, token);
        capOf[token].limit = uint112(limit);
        emit CapSet(token, limit);
    }

    function _setMaxNativeFee(uint256 limit) private {
        if (limit > type(uint128).max) revert BadSetting(Item.NativeFee, address(0));
        maxNativeFee = uint128(limit);
        emit MaxNativeFeeSet(limit);
    }

    /// The registry calls this before it makes a key a holder.
    function isHotKey(address key) external view returns (bool) {
        return isRelayer[key] || isSigner[key];
    }

    /// One key never has two powers.
    function _checkHotKey(Item what, address key, bool hasOtherPower) private view {
        bool holds =
            key == registry.holder(ADMIN) || key == registry.holder(GUARDIAN) || key == registry.holder(RECOVERY);
        if (key == address(0) || hasOtherPower || holds) revert BadSetting(what, key);
    }

    function _key(address who) private pure returns (bytes32) {
        return bytes32(uint256(uint160(who)));
    }
}
