// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {DevMessageTransmitter, DevTokenMessenger, IMintBurnToken} from "../../devnet/DevCctp.sol";
import {DevToken} from "../../devnet/DevToken.sol";
import {ExecutorSettings, Rule} from "../../src/ExecutorSettings.sol";
import {Order} from "../../src/Order.sol";
import {usdc as usdcOf} from "../../src/guards/Assets.sol";
import {Base} from "./Base.sol";
import {Vm} from "./Vm.sol";

/// USDC on Base, which the executor burns, and USDC on Arbitrum, which is minted for it. Both chains are in one EVM,
/// whose chain id stays Base's.
abstract contract CctpBase is Base {
    uint256 internal constant here = 8453;
    uint256 internal constant there = 42161;
    bytes4 internal constant burnSelector = 0x8e0250ee;
    uint256 internal constant attesterKey = 0xA77E57;
    address internal constant circle = address(0xC12C1E);

    address internal cctpGuard;
    DevTokenMessenger internal messenger;
    DevTokenMessenger internal messengerThere;
    DevMessageTransmitter internal transmitterThere;
    DevToken internal burnt;
    DevToken internal minted;

    /// The seven words of a burn.
    struct Words {
        uint256 amount;
        uint256 domain;
        uint256 recipient;
        uint256 token;
        uint256 caller;
        uint256 maxFee;
        uint256 threshold;
    }

    function setUp() public virtual override {
        super.setUp();
        vm.chainId(here);
        bytes memory none;
        cctpGuard = vm.deployCode("artifacts/CctpBurnGuard.json", none);
        (burnt, minted) = (_token(usdcOf(here)), _token(usdcOf(there)));
        (messenger, messengerThere) = (new DevTokenMessenger(), new DevTokenMessenger());
        _connect(messenger, _transmitter(6), burnt, DevTokenMessenger.Remote(3, address(messengerThere), address(minted)));
        transmitterThere = _transmitter(3);
        _connect(messengerThere, transmitterThere, minted, DevTokenMessenger.Remote(6, address(messenger), address(burnt)));
        _change(
            abi.encodeCall(
                ExecutorSettings.addRule,
                (Rule(address(messenger), burnSelector, address(messenger), cctpGuard, cctpGuard.codehash))
            )
        );
        _list(address(burnt));
    }

    function _token(address where) private returns (DevToken token) {
        vm.etch(where, address(new DevToken()).code);
        token = DevToken(where);
        token.initialize("USDC", "USDC", 6, address(this));
    }

    function _transmitter(uint32 domain) internal returns (DevMessageTransmitter transmitter) {
        transmitter = new DevMessageTransmitter();
        address[] memory attesters = new address[](1);
        attesters[0] = vm.addr(attesterKey);
        transmitter.initialize(domain, attesters);
    }

    function _connect(
        DevTokenMessenger to,
        DevMessageTransmitter transmitter,
        DevToken token,
        DevTokenMessenger.Remote memory remote
    ) internal {
        DevTokenMessenger.Remote[] memory remotes = new DevTokenMessenger.Remote[](1);
        remotes[0] = remote;
        to.initialize(transmitter, IMintBurnToken(address(token)), circle, remotes);
        token.setMinter(address(to));
    }

    function _burn(bytes32 id, uint256 amount, uint256 maxFee) internal view returns (Order memory o) {
        o = _order(id, address(burnt), amount, 0);
        o.kind = 3;
        o.intent.toChainId = there;
        o.intent.tokenOut = address(minted);
        o.intent.minOut = amount - maxFee;
        o.target = o.spender = address(messenger);
        o.data = _call(_words(amount, maxFee));
    }

    function _words(uint256 amount, uint256 maxFee) internal view returns (Words memory) {
        return Words(amount, 3, uint160(user), uint160(address(burnt)), 0, maxFee, 1000);
    }

    function _call(Words memory words) internal pure returns (bytes memory) {
        return bytes.concat(burnSelector, abi.encode(words));
    }

    /// Fills in and signs the last sent message, as Circle does.
    function _attested(bytes memory sent, bytes32 nonce, uint256 fee, uint256 expiration)
        internal
        pure
        returns (bytes memory message, bytes memory attestation)
    {
        message = bytes.concat(sent);
        assembly ("memory-safe") {
            mstore(add(message, add(32, 12)), nonce)
            mstore(add(message, add(32, 312)), fee)
            mstore(add(message, add(32, 344)), expiration)
        }
        (message[146], message[147]) = (0x03, 0xe8); // a fast attestation
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(attesterKey, keccak256(message));
        attestation = abi.encodePacked(r, s, v);
    }

    function _sentMessage(Vm.Log[] memory logs) internal pure returns (bytes memory) {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == DevMessageTransmitter.MessageSent.selector) return abi.decode(logs[i].data, (bytes));
        }
        revert("nothing was sent");
    }
}
