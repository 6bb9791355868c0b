// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ModularAccount} from "./ModularAccount.sol";

interface IHotKeys {
    function isHotKey(address key) external view returns (bool);
}

/// One registry per chain, at the same address on every chain. It is the factory of accounts, the list of modules that
/// may move their funds, and the store of spent routeIds that all modules share. Frozen: its init code fixes every
/// user's address.
contract AccountRegistry {
    /// The role that schedules changes that widen power.
    uint8 public constant ADMIN = 0;
    /// The role that stops and vetoes.
    uint8 public constant GUARDIAN = 1;
    /// The role that helps to replace another holder.
    uint8 public constant RECOVERY = 2;
    /// How long a module waits before it can be installed.
    uint64 public constant MODULE_DELAY = 3 days;
    /// How long it can be installed after that.
    uint64 public constant MODULE_WINDOW = 14 days;
    /// How long a vote counts.
    uint64 public constant VOTE_WINDOW = 14 days;
    uint256 private constant HOT_KEY_GAS = 50_000;

    struct PendingModule {
        bytes32 codeHash;
        uint64 readyAt;
    }

    /// The contract that all accounts delegate to.
    address public immutable implementation;
    /// The hash that determines the addresses of accounts.
    bytes32 public immutable accountInitCodeHash;

    /// The three holders: admin, guardian, recovery.
    address[3] public holder;
    /// Counts replacements. Votes are bound to it, so a replacement voids every open vote.
    uint256 public replacements;
    /// A scheduled module: the reviewed code, and the time when it may be installed.
    mapping(address module => PendingModule) public pendingModule;
    /// The code that each installed module must have; zero for others.
    mapping(address module => bytes32 codeHash) public moduleCodeHash;
    /// All installed modules. They state which keys are hot.
    address[] public modules;
    mapping(bytes32 vote => mapping(uint8 by => uint64 at)) private _votes;
    mapping(bytes32 salt => mapping(uint256 word => uint256 bits)) private _spent;

    event AccountCreated(address indexed account, bytes32 indexed salt);
    event ReplacementAsked(uint8 indexed role, address indexed next, address by);
    event ReplacementWithdrawn(uint8 indexed role, address indexed next, address by);
    event RoleReplaced(uint8 indexed role, address from, address to);
    event ModuleScheduled(address indexed module, bytes32 codeHash, uint64 readyAt);
    event ModuleInstalled(address indexed module, bytes32 codeHash);
    event ModuleCancelled(address indexed module, address by);
    event ModuleRemoved(address indexed module, address by);

    error Denied(address caller);
    error BadHolder(address holder);
    error BadModule(address module);
    error NotScheduled(address module);
    error NotReady(address module, uint64 readyAt);
    error ScheduleExpired(address module, uint64 expiredAt);
    error NotInstalled(address module);
    error RouteUsed(bytes32 routeId);
    error DeployFailed(bytes32 salt);

    constructor(address admin, address guardian, address recovery) {
        holder = [admin, guardian, recovery];
        if (admin == address(0) || admin == guardian || admin == recovery) revert BadHolder(admin);
        if (guardian == address(0) || guardian == recovery) revert BadHolder(guardian);
        if (recovery == address(0)) revert BadHolder(recovery);
        implementation = address(new ModularAccount());
        accountInitCodeHash = keccak256(_accountInitCode(implementation));
    }

    // ---------------------------------------------------------------- holders

    /// Takes effect once the other two holders have both requested the same replacement within the window. No holder
    /// can act alone or for its own role, and a hot key of a module can never become a holder.
    function replace(uint8 role, address next) external {
        uint8 by = _roleOf(msg.sender);
        if (by > RECOVERY || by == role || role > RECOVERY) revert Denied(msg.sender);
        if (next == address(0) || _roleOf(next) <= RECOVERY) revert BadHolder(next);
        for (uint256 i; i < modules.length; ++i) {
            if (_isHot(modules[i], next)) revert BadHolder(next);
        }
        mapping(uint8 by => uint64 at) storage votes = _votes[_vote(role, next)];
        votes[by] = uint64(block.timestamp);
        emit ReplacementAsked(role, next, msg.sender);
        uint64 other = votes[ADMIN + GUARDIAN + RECOVERY - role - by]; // the remaining holder
        if (other == 0 || block.timestamp > other + VOTE_WINDOW) return;
        ++replacements;
        emit RoleReplaced(role, holder[role], next);
        holder[role] = next;
    }

    /// Withdraws the caller's own vote.
    function withdraw(uint8 role, address next) external {
        uint8 by = _roleOf(msg.sender);
        mapping(uint8 by => uint64 at) storage votes = _votes[_vote(role, next)];
        if (by > RECOVERY || votes[by] == 0) revert Denied(msg.sender);
        delete votes[by];
        emit ReplacementWithdrawn(role, next, msg.sender);
    }

    function _vote(uint8 role, address next) private view returns (bytes32) {
        return keccak256(abi.encode(replacements, role, next));
    }

    function _roleOf(address who) private view returns (uint8) {
        if (who == holder[ADMIN]) return ADMIN;
        if (who == holder[GUARDIAN]) return GUARDIAN;
        return who == holder[RECOVERY] ? RECOVERY : RECOVERY + 1;
    }

    // ---------------------------------------------------------------- modules

    /// Pins the code that is reviewed during the delay: other code cannot be installed, or used later.
    function scheduleModule(address module) external {
        if (msg.sender != holder[ADMIN]) revert Denied(msg.sender);
        bytes32 codeHash = _moduleCode(module);
        uint64 readyAt = uint64(block.timestamp) + MODULE_DELAY;
        pendingModule[module] = PendingModule(codeHash, readyAt);
        emit ModuleScheduled(module, codeHash, readyAt);
    }

    /// By the admin, after the delay and within the window. The code must be the scheduled one, and none of its hot
    /// keys may hold a role.
    function installModule(address module) external {
        if (msg.sender != holder[ADMIN]) revert Denied(msg.sender);
        PendingModule memory pending = pendingModule[module];
        if (pending.readyAt == 0) revert NotScheduled(module);
        if (block.timestamp < pending.readyAt) revert NotReady(module, pending.readyAt);
        uint64 expiresAt = pending.readyAt + MODULE_WINDOW;
        if (block.timestamp > expiresAt) revert ScheduleExpired(module, expiresAt);
        if (_moduleCode(module) != pending.codeHash) revert BadModule(module);
        for (uint8 role; role <= RECOVERY; ++role) {
            if (_isHot(module, holder[role])) revert BadHolder(holder[role]);
        }
        delete pendingModule[module];
        if (moduleCodeHash[module] == 0) modules.push(module);
        moduleCodeHash[module] = pending.codeHash;
        emit ModuleInstalled(module, pending.codeHash);
    }

    /// Deletes a schedule, by the admin or the guardian.
    function cancelModule(address module) external {
        _onlyAdminOrGuardian();
        if (pendingModule[module].readyAt == 0) revert NotScheduled(module);
        delete pendingModule[module];
        emit ModuleCancelled(module, msg.sender);
    }

    /// Takes effect immediately, for all accounts of this chain; a pending schedule of the same module is deleted too.
    function removeModule(address module) external {
        _onlyAdminOrGuardian();
        if (moduleCodeHash[module] == 0) revert NotInstalled(module);
        delete moduleCodeHash[module];
        delete pendingModule[module];
        uint256 at;
        while (modules[at] != module) ++at;
        modules[at] = modules[modules.length - 1];
        modules.pop();
        emit ModuleRemoved(module, msg.sender);
    }

    /// True while the module is installed and still has the code it was installed with.
    function isExecutor(address module) public view returns (bool) {
        bytes32 codeHash = moduleCodeHash[module];
        return codeHash != 0 && module.codehash == codeHash;
    }

    /// A module without hot keys, or one that does not respond, holds none.
    function _isHot(address module, address key) private view returns (bool) {
        (bool ok, bytes memory answer) = module.staticcall{gas: HOT_KEY_GAS}(abi.encodeCall(IHotKeys.isHotKey, (key)));
        return ok && answer.length == 32 && abi.decode(answer, (uint256)) == 1;
    }

    function _onlyAdminOrGuardian() private view {
        if (msg.sender != holder[ADMIN] && msg.sender != holder[GUARDIAN]) revert Denied(msg.sender);
    }

    /// A module has its own code: a plain key is refused, and so is a key with an EIP-7702 delegation (0xef0100..).
    function _moduleCode(address module) private view returns (bytes32) {
        uint256 head;
        assembly ("memory-safe") {
            extcodecopy(module, 0x00, 0x00, 0x20)
            head := shr(232, mload(0x00))
        }
        if (module.code.length < 24 || head == 0xef0100) revert BadModule(module);
        return module.codehash;
    }

    // ---------------------------------------------------------------- routes

    /// For modules: spends the account's routeId, permanently and for every module, and deploys the account if missing.
    function open(bytes32 salt, bytes32 routeId) external returns (address account) {
        if (!isExecutor(msg.sender)) revert Denied(msg.sender);
        uint256 bit = 1 << (uint256(routeId) & 0xff);
        uint256 bits = _spent[salt][uint256(routeId) >> 8];
        if (bits & bit != 0) revert RouteUsed(routeId);
        _spent[salt][uint256(routeId) >> 8] = bits | bit;
        return createAccount(salt);
    }

    /// Whether a routeId of an account is spent.
    function routeUsed(bytes32 salt, bytes32 routeId) external view returns (bool) {
        return _spent[salt][uint256(routeId) >> 8] & (1 << (uint256(routeId) & 0xff)) != 0;
    }

    // ---------------------------------------------------------------- accounts

    /// Callable by anyone, any number of times: the address depends only on `salt` and this registry.
    function createAccount(bytes32 salt) public returns (address account) {
        account = accountAddress(salt);
        if (account.code.length != 0) return account;
        bytes memory code = _accountInitCode(implementation);
        address made;
        assembly ("memory-safe") {
            made := create2(0, add(code, 0x20), mload(code), salt)
        }
        if (made != account) revert DeployFailed(salt);
        emit AccountCreated(account, salt);
    }

    /// The address of the account of a salt, deployed or not.
    function accountAddress(bytes32 salt) public view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, accountInitCodeHash));
        return address(uint160(uint256(hash)));
    }

    /// An ERC-1167 proxy with a prologue that stops on empty calldata. A plain transfer needs no DELEGATECALL and fits
    /// the 2300 gas of `transfer`, before and after deployment alike.
    function _accountInitCode(address implementation_) private pure returns (bytes memory) {
        return abi.encodePacked(
            hex"3d603380600a3d3981f3", // return the 0x33 bytes that follow
            hex"36600557005b", // if (calldatasize == 0) stop
            hex"363d3d373d3d3d363d73",
            implementation_,
            hex"5af43d82803e903d91603157fd5bf3"
        );
    }
}
