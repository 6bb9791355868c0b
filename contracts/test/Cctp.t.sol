// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {DevMessageTransmitter, DevTokenMessenger, IMintBurnToken} from "../devnet/DevCctp.sol";
import {DevToken} from "../devnet/DevToken.sol";
import {RouteExecutor} from "../src/RouteExecutor.sol";
import {Intent, Order} from "../src/Order.sol";
import {usdc as usdcOf} from "../src/guards/Assets.sol";
import {IRouteGuard} from "../src/guards/IRouteGuard.sol";
import {CctpBase} from "./support/CctpBase.sol";

/// Tests the guard of Circle's burns over each word of a call, and the devnet's stand-ins for Circle's contracts.
contract CctpTest is CctpBase {
    uint256 private constant sent = 100e6;
    uint256 private constant fee = 10_000;
    uint256 private constant least = sent - fee;

    function _says(Words memory words) private view returns (bool) {
        return _says(_call(words), address(burnt), sent, 0, Intent(there, address(minted), user, least));
    }

    function _says(bytes memory data, address token, uint256 amount, uint256 coin, Intent memory intent)
        private
        view
        returns (bool)
    {
        try IRouteGuard(cctpGuard).check(data, account, token, amount, coin, intent) returns (bool ok) {
            return ok;
        } catch {
            return false;
        }
    }

    function test_a_burn_is_admitted_at_fast_or_standard_finality() public view {
        Words memory words = _words(sent, fee);
        require(_says(words));
        words.threshold = 2000;
        require(_says(words));
        uint256[7] memory others = [uint256(0), 500, 999, 1001, 1999, 2001, type(uint256).max];
        for (uint256 i; i < others.length; ++i) {
            words.threshold = others[i];
            require(!_says(words));
        }
    }

    function test_circles_fee_is_at_most_the_amount_above_the_minimum() public view {
        Words memory words = _words(sent, fee);
        words.maxFee = 0;
        require(_says(words));
        words.maxFee = fee + 1;
        require(!_says(words));
        words.maxFee = type(uint256).max;
        require(!_says(words));
        Intent memory intent = Intent(there, address(minted), user, sent + 1);
        require(!_says(_call(_words(sent, 0)), address(burnt), sent, 0, intent));
        intent.minOut = sent;
        require(_says(_call(_words(sent, 0)), address(burnt), sent, 0, intent));
    }

    function test_a_burn_that_differs_from_the_order_is_refused() public {
        bytes memory data = _call(_words(sent, fee));
        Intent memory intent = Intent(there, address(minted), user, least);
        require(_says(data, address(burnt), sent, 0, intent));
        require(!_says(data, address(burnt), sent, 1, intent));
        require(!_says(data, address(burnt), sent - 1, 0, intent));
        require(!_says(data, address(burnt), sent + 1, 0, intent));
        require(!_says(data, address(dai), sent, 0, intent));
        require(!_says(data, address(0), sent, 0, intent));
        require(!_says(data, address(burnt), sent, 0, Intent(there, address(burnt), user, least)));
        require(!_says(data, address(burnt), sent, 0, Intent(there, address(0), user, least)));
        require(!_says(data, address(burnt), sent, 0, Intent(there, address(minted), thief, least)));
        require(!_says(data, address(burnt), sent, 0, Intent(1, usdcOf(1), user, least)));
        require(!_says(data, address(burnt), sent, 0, Intent(10, address(minted), user, least)));
        require(!_says(data, address(burnt), sent, 0, Intent(there, address(minted), user, least + 1)));
        vm.chainId(1);
        require(!_says(data, address(burnt), sent, 0, intent));
        vm.chainId(there); // to the chain itself, which Circle refuses as well
        Words memory words = _words(sent, fee);
        words.token = uint160(address(minted));
        require(!_says(_call(words), address(minted), sent, 0, intent));
        vm.chainId(10); // a chain without a known USDC
        words.token = 0;
        require(!_says(_call(words), address(0), sent, 0, intent));
    }

    function testFuzz_a_changed_word_in_a_burn_is_refused(uint256 which, uint256 other) public view {
        uint256[7] memory words = abi.decode(abi.encode(_words(sent, fee)), (uint256[7]));
        which %= 7;
        if (other == words[which]) return;
        words[which] = other;
        bool isAllowed = (which == 5 && other <= fee) || (which == 6 && other == 2000);
        bytes memory data = bytes.concat(burnSelector, abi.encode(words));
        require(_says(data, address(burnt), sent, 0, Intent(there, address(minted), user, least)) == isAllowed);
    }

    function testFuzz_a_flipped_bit_in_a_burn_is_refused_unless_it_lowers_the_fee(uint256 bit) public view {
        bytes memory data = _call(_words(sent, fee));
        bit %= data.length * 8;
        data[bit / 8] ^= bytes1(uint8(1 << (bit % 8)));
        bool isFee = bit / 8 >= 164 && bit / 8 < 196;
        uint256 maxFee;
        assembly ("memory-safe") {
            maxFee := mload(add(data, 196))
        }
        bool ok = _says(data, address(burnt), sent, 0, Intent(there, address(minted), user, least));
        require(ok == (isFee && maxFee < fee));
    }

    function testFuzz_a_burn_of_another_length_is_refused(uint16 length, bytes32 tail) public view {
        bytes memory data = _call(_words(sent, fee));
        bytes memory other = bytes.concat(data, tail, tail, tail, tail);
        uint256 size = uint256(length) % other.length;
        if (size == data.length) return;
        assembly ("memory-safe") {
            mstore(other, size)
        }
        require(!_says(other, address(burnt), sent, 0, Intent(there, address(minted), user, least)));
    }

    function testFuzz_random_bytes_are_refused_as_a_burn(bytes calldata data) public view {
        require(!_says(data, address(burnt), sent, 0, Intent(there, address(minted), user, least)));
    }

    /// depositForBurnWithHook with the same words, which has another selector and another length.
    function test_a_hook_is_refused() public view {
        bytes memory data = bytes.concat(bytes4(0x779b432d), abi.encode(_words(sent, fee)));
        Intent memory intent = Intent(there, address(minted), user, least);
        require(!_says(data, address(burnt), sent, 0, intent));
        data = bytes.concat(bytes4(0x779b432d), abi.encode(_words(sent, fee)), abi.encode(256, 1, "x"));
        require(!_says(data, address(burnt), sent, 0, intent));
    }

    // ---------------------------------------------------------------- through the executor

    function _sendBurn() private returns (bytes memory) {
        burnt.mint(account, sent);
        vm.recordLogs();
        _run(_burn(keccak256(abi.encode(burnt.totalSupply(), _now())), sent, fee));
        return _sentMessage(vm.getRecordedLogs());
    }

    function test_any_caller_can_mint_a_burn_once() public {
        bytes memory message = _sendBurn();
        require(burnt.totalSupply() == 0 && burnt.allowance(account, address(messenger)) == 0);
        bytes memory attestation;
        (message, attestation) = _attested(message, keccak256("nonce"), fee, 0);
        vm.prank(thief);
        transmitterThere.receiveMessage(message, attestation);
        require(minted.balanceOf(user) == least && minted.balanceOf(circle) == fee);
        require(minted.balanceOf(thief) == 0 && transmitterThere.usedNonces(keccak256("nonce")) == 1);
        vm.expectRevert(bytes("Nonce already used"));
        transmitterThere.receiveMessage(message, attestation);
    }

    function test_a_burn_is_minted_only_with_circles_attestation() public {
        bytes memory raw = _sendBurn();
        (bytes memory message, bytes memory attestation) = _attested(raw, keccak256("nonce"), fee, 0);
        vm.expectRevert(bytes("Invalid signature: not attester"));
        transmitterThere.receiveMessage(raw, attestation);
        vm.expectRevert(bytes("Invalid attestation length"));
        transmitterThere.receiveMessage(message, "");
        message[140] = 0x01;
        vm.expectRevert(bytes("Invalid signature: not attester"));
        transmitterThere.receiveMessage(message, attestation);
        require(minted.totalSupply() == 0);
    }

    function test_a_burn_with_an_excessive_fee_or_an_expired_message_is_not_minted() public {
        bytes memory raw = _sendBurn();
        (bytes memory message, bytes memory attestation) = _attested(raw, keccak256("a"), fee + 1, 0);
        vm.expectRevert(bytes("Fee exceeds max fee"));
        transmitterThere.receiveMessage(message, attestation);
        (message, attestation) = _attested(raw, keccak256("a"), fee, block.number);
        vm.expectRevert(bytes("Message expired and must be re-signed"));
        transmitterThere.receiveMessage(message, attestation);
        // The failed mint used no nonce, so the message can be re-attested.
        (message, attestation) = _attested(raw, keccak256("a"), 0, block.number + 1);
        transmitterThere.receiveMessage(message, attestation);
        require(minted.balanceOf(user) == sent);
    }

    /// The guard refuses before the account does anything, and a refusal by Circle reverts everything.
    function test_a_failed_burn_leaves_the_money_in_the_account() public {
        burnt.mint(account, sent);
        Order memory order = _burn(keccak256("refused"), sent, fee);
        order.intent.recipient = thief;
        _refused(order, RouteExecutor.GuardRefused.selector);
        order.intent.recipient = user;
        messenger.setMinFee(1_001); // a hundredth of a basis point more than the call allows
        bytes memory signature = _sign(executor, order, signerKey);
        vm.prank(relayer);
        vm.expectRevert();
        executor.execute(order, signature);
        require(burnt.balanceOf(account) == sent && burnt.allowance(account, address(messenger)) == 0);
        messenger.setMinFee(1_000);
        _run(order);
        require(burnt.balanceOf(account) == 0);
    }

    // ---------------------------------------------------------------- a real message from Circle

    /// A fast transfer from Sepolia to Fuji as Circle attested it (test/fixtures/real-answers/cctp/messages.json). The
    /// stand-in, with that attestation's signers, reads and mints it as the real contract did.
    function test_the_stand_in_mints_a_real_message_from_circle() public {
        bytes memory head = hex"000000010000000000000001ab82c6ffdf792b349fcaa92ef033a59cb216b48dfb01201583fb0d1752f41b800000000000000000000000008fe6b999dc680ccfdd5bf7eb0974218be2542daa0000000000000000000000008fe6b999dc680ccfdd5bf7eb0974218be2542daa0000000000000000000000000000000000000000000000000000000000000000000003e8000003e8";
        bytes memory body = hex"000000010000000000000000000000001c7d4b196cb0c7b01d743fbc6116a902379c7238000000000000000000000000e6094b4f775f9daa59b4dac2535fc0a48f75fc0c00000000000000000000000000000000000000000000000000000000000f4240000000000000000000000000e6094b4f775f9daa59b4dac2535fc0a48f75fc0c00000000000000000000000000000000000000000000000000000000000001f4000000000000000000000000000000000000000000000000000000000000006400000000000000000000000000000000000000000000000000000000028d3946";
        bytes memory message = bytes.concat(head, body);
        bytes[2] memory signatures = [
            bytes(
                hex"eb8f70de97040b6af857960ed32d0510f663d760b9faa54fa45249a9bdba7c8213136a7b66f608e3acaddddb1dac0cdcffdabfbe320eef1b7063b0549728a7581b"
            ),
            hex"8c4d19d02a2f72f0273d744d00d83493945abdaa811b3a9ae8c69ccb5b69cce40c0a4c8a2dafcb38b4b4c31a6b343cc220d3fca91c45d90a572479eecb4d641c1b"
        ];
        address[] memory attesters = new address[](2);
        for (uint256 i; i < 2; ++i) {
            attesters[i] = _signerOf(keccak256(message), signatures[i]);
        }
        address testMessenger = 0x8FE6B999Dc680CcFDD5Bf7EB0974218be2542DAA;
        vm.etch(testMessenger, address(messengerThere).code);
        DevMessageTransmitter fuji = new DevMessageTransmitter();
        fuji.initialize(1, attesters);
        DevToken token = new DevToken();
        token.initialize("USDC", "USDC", 6, address(this));
        address sepolia = 0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238;
        _connect(DevTokenMessenger(testMessenger), fuji, token, DevTokenMessenger.Remote(0, testMessenger, sepolia));
        fuji.receiveMessage(message, bytes.concat(signatures[0], signatures[1]));
        require(token.balanceOf(0xe6094B4f775f9DAA59b4dAC2535Fc0a48F75FC0c) == 999_900);
        require(token.balanceOf(circle) == 100);
    }

    function _signerOf(bytes32 digest, bytes memory signature) private pure returns (address) {
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s);
    }
}
