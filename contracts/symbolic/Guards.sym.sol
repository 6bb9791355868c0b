// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Intent} from "../src/Order.sol";
import {cctpDomain, usdc} from "../src/guards/Assets.sol";
import {CctpBurnGuard} from "../src/guards/CctpBurnGuard.sol";
import {Vm} from "../test/support/Vm.sol";

/// 5. A call that the guard admits moves the signed amount. The call has any words and any length up to Halmos' bound.
contract GuardsTest {
    Vm private constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    CctpBurnGuard private guard;

    function setUp() public {
        vm.chainId(8453);
        guard = new CctpBurnGuard();
    }

    function check_an_admitted_burn_is_of_the_amount_for_the_recipient(
        bytes4 selector,
        uint256[7] memory words,
        address account,
        address token,
        uint256 amount,
        uint256 nativeFee,
        Intent memory intent
    ) public view {
        bytes memory data = abi.encodePacked(
            selector, words[0], words[1], words[2], words[3], words[4], words[5], words[6]
        );
        if (!guard.check(data, account, token, amount, nativeFee, intent)) return;
        assert(selector == bytes4(keccak256("depositForBurn(uint256,uint32,bytes32,address,bytes32,uint256,uint32)")));
        assert(nativeFee == 0);
        assert(words[0] == amount); // the burn is of the signed amount
        assert(token == usdc(8453) && words[3] == uint160(token));
        assert(words[1] == cctpDomain(intent.toChainId) && intent.toChainId != 8453);
        assert(words[2] == uint160(intent.recipient)); // to the recipient, whole word
        assert(words[4] == 0); // and any caller may mint it
        assert(words[5] <= amount - intent.minOut && intent.minOut <= amount); // the fee leaves the minimum
        assert(intent.tokenOut == usdc(intent.toChainId) && intent.tokenOut != address(0));
    }

    /// A burn has one encoding: no bytes may be missing or follow.
    /// @custom:halmos --array-lengths data={0,3,4,227,229,260,484}
    function check_no_burn_of_another_length_is_admitted(bytes memory data, uint256 amount, Intent memory intent)
        public
        view
    {
        vm.assume(data.length != 228);
        assert(!guard.check(data, address(1), usdc(8453), amount, 0, intent));
    }
}
