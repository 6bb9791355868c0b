// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Order} from "../src/Order.sol";
import {CctpBase} from "./support/CctpBase.sol";

/// A world of honest burns, falsified calls signed by both hot keys, attestations at any fee, mints by any caller, a
/// thief, and passing time. Its totals are what the invariants compare.
contract CctpWorld is CctpBase {
    bytes[] private _sent;
    bytes[] private _attestedMessages;
    bytes[] private _attestations;
    uint256 private _id;
    uint256 public deposited;
    uint256 public burntInOrders;
    /// The minimum that users must get from the mints, and the maximum that Circle kept.
    uint256 public promised;
    uint256 public mintedGross;
    uint256 public stolen;

    function start() external {
        setUp();
    }

    function totals() external view returns (uint256 here_, uint256 there_, uint256 ofUser, uint256 ofCircle) {
        return (burnt.totalSupply(), minted.totalSupply(), minted.balanceOf(user), minted.balanceOf(circle));
    }

    function left() external view returns (uint256 held, uint256 approved) {
        return (burnt.balanceOf(account), burnt.allowance(account, address(messenger)));
    }

    function deposit(uint256 amount) external {
        amount = amount % 1_000e6;
        deposited += amount;
        burnt.mint(account, amount);
    }

    /// A signed order, with a call that can differ from it.
    function burn(uint256 amount, uint256 fee, uint256 lie, uint256 word) external {
        amount = amount % (burnt.balanceOf(account) + 2) + 1;
        fee = fee % amount;
        Order memory o = _burn(keccak256(abi.encode(++_id)), amount, fee);
        uint256[7] memory words = abi.decode(abi.encode(_words(amount, fee)), (uint256[7]));
        uint256[6] memory lies = [words[word % 7], 0, uint160(thief), type(uint256).max, words[word % 7] + 1, 6];
        words[word % 7] = lies[lie % 6];
        o.data = bytes.concat(burnSelector, abi.encode(words));
        bytes memory signature = _sign(executor, o, signerKey);
        vm.recordLogs();
        vm.prank(relayer);
        try executor.execute(o, signature) {
            burntInOrders += amount;
            _sent.push(_sentMessage(vm.getRecordedLogs()));
        } catch {
            vm.getRecordedLogs();
        }
    }

    function attest(uint256 which, uint256 fee) external {
        if (_sent.length == 0) return;
        which %= _sent.length;
        bytes memory sent = _sent[which];
        // Sometimes Circle's fee exceeds the maximum.
        (bytes memory message, bytes memory attestation) =
            _attested(sent, keccak256(abi.encode(which)), fee % (_word(sent, 280) + 2), 0);
        _attestedMessages.push(message);
        _attestations.push(attestation);
    }

    function mint(uint256 which, address caller) external {
        if (_attestedMessages.length == 0) return;
        which %= _attestedMessages.length;
        bytes memory message = _attestedMessages[which];
        vm.prank(caller);
        try transmitterThere.receiveMessage(message, _attestations[which]) {
            promised += _word(message, 216) - _word(message, 280);
            mintedGross += _word(message, 216);
        } catch {}
    }

    /// Tries another message's attestation, a changed recipient, and no attestation.
    function steal(uint256 which, uint256 other) external {
        if (_attestedMessages.length == 0) return;
        bytes memory message = bytes.concat(_attestedMessages[which % _attestedMessages.length]);
        bytes32 to = _key(thief);
        assembly ("memory-safe") {
            mstore(add(message, add(32, 184)), to)
        }
        vm.prank(thief);
        try transmitterThere.receiveMessage(message, _attestations[other % _attestations.length]) {
            ++stolen;
        } catch {}
    }

    function pass(uint256 time) external {
        _wait(time % 2 days);
    }

    function _word(bytes memory data, uint256 offset) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(data, add(32, offset)))
        }
    }
}

contract CctpInvariantsTest {
    CctpWorld private world;

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function setUp() public {
        world = new CctpWorld();
        world.start();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(world);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory selectors) {
        bytes4[6] memory all = [
            CctpWorld.deposit.selector,
            CctpWorld.burn.selector,
            CctpWorld.attest.selector,
            CctpWorld.mint.selector,
            CctpWorld.steal.selector,
            CctpWorld.pass.selector
        ];
        selectors = new FuzzSelector[](1);
        selectors[0].addr = address(world);
        selectors[0].selectors = new bytes4[](6);
        for (uint256 i; i < 6; ++i) {
            selectors[0].selectors[i] = all[i];
        }
    }

    function invariant_a_burn_is_minted_once_to_the_recipient_less_a_bounded_fee() public view {
        (uint256 here, uint256 there, uint256 ofUser, uint256 ofCircle) = world.totals();
        (uint256 held, uint256 approved) = world.left();
        require(here == world.deposited() - world.burntInOrders(), "the burned amount differs from the signed amount");
        require(held == here, "money is outside the account");
        require(approved == 0, "an allowance remained");
        require(there == world.mintedGross() && there <= world.burntInOrders(), "minted without a burn");
        require(ofUser + ofCircle == there, "another recipient was paid");
        require(ofUser >= world.promised(), "the recipient got less than the minimum");
        require(world.stolen() == 0, "stolen");
    }
}
