// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IRouteGuard} from "../src/guards/IRouteGuard.sol";
import {Base} from "./support/Base.sol";
import {Diamond, SwapData} from "./support/Diamonds.sol";

contract GuardsTest is Base {
    function _bridgeSays(bytes memory data) private view returns (bool) {
        return IRouteGuard(bridgeGuard).check(data, address(usdc), 99e6, user, 137);
    }

    function _swapSays(SwapData[] memory swaps) private view returns (bool) {
        bytes memory data =
            abi.encodeCall(Diamond.swapTokensGeneric, ("q", "switchyard", "a referrer", payable(user), 1, swaps));
        return IRouteGuard(swapGuard).check(data, address(usdc), 99e6, user, block.chainid);
    }

    function _swaps(uint256 count) private view returns (SwapData[] memory swaps) {
        swaps = new SwapData[](count);
        for (uint256 i; i < count; ++i) {
            swaps[i] = SwapData(address(1), address(1), address(usdc), address(dai), 99e6, "some call", i == 0);
        }
    }

    function testFuzz_bridge_calls_pass_exactly_when_all_six_fields_agree(uint256 wrong, bool change) public view {
        wrong %= 6;
        address token = change && wrong == 0 ? address(dai) : address(usdc);
        address to = change && wrong == 1 ? thief : user;
        uint256 amount = change && wrong == 2 ? 99e6 + 1 : 99e6;
        uint256 chain = change && wrong == 3 ? 1 : 137;
        bytes memory data = _bridgeCall(token, to, amount, chain, change && wrong == 4, change && wrong == 5);
        require(_bridgeSays(data) != change);
    }

    /// Dirty upper bytes, an argument that lies elsewhere, or too little data: nothing that decodes differently passes.
    function test_crooked_bridge_calls() public {
        bytes memory data = _bridgeCall(address(usdc), user, 99e6, 137, false, false);
        require(_bridgeSays(data));
        bytes memory dirty = bytes.concat(data);
        dirty[4 + 96 + 160] = 0x01; // head of the two arguments is 96 bytes, the receiver's word is the sixth
        require(!_bridgeSays(dirty));
        bytes memory far = bytes.concat(data);
        far[4] = 0xff;
        vm.expectRevert();
        this.bridgeSays(far);
        vm.expectRevert();
        this.bridgeSays(hex"01020304");
        bytes memory cut = new bytes(4 + 96 + 319);
        for (uint256 i; i < cut.length; ++i) {
            cut[i] = data[i];
        }
        vm.expectRevert();
        this.bridgeSays(cut);
    }

    function bridgeSays(bytes memory data) external view returns (bool) {
        return _bridgeSays(data);
    }

    function test_swaps_take_from_the_account_once() public view {
        require(_swapSays(_swaps(1)) && _swapSays(_swaps(3)) && !_swapSays(_swaps(0)));
        SwapData[] memory swaps = _swaps(2);
        swaps[1].requiresDeposit = true;
        require(!_swapSays(swaps));
        swaps = _swaps(2);
        (swaps[0], swaps[1]) = (swaps[1], swaps[0]);
        require(!_swapSays(swaps));
        swaps = _swaps(2);
        swaps[0].fromAmount = 98e6;
        require(!_swapSays(swaps));
        swaps = _swaps(1);
        swaps[0].sendingAssetId = address(dai);
        require(!_swapSays(swaps));
    }

    function test_swaps_are_for_this_chain_and_this_recipient() public view {
        bytes memory data = _swapCall(user, address(usdc), address(dai), 99e6, 1);
        IRouteGuard guard = IRouteGuard(swapGuard);
        require(guard.check(data, address(usdc), 99e6, user, block.chainid));
        require(!guard.check(data, address(usdc), 99e6, user, 137));
        require(!guard.check(data, address(usdc), 99e6, thief, block.chainid));
    }
}
