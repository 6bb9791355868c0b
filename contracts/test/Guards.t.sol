// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {
    AcrossV4Data,
    BridgeData,
    PolymerCCTPData,
    SendParam,
    StargateData,
    SwapData
} from "../devnet/DiamondCalldata.sol";
import {DevBridge} from "../devnet/DevBridge.sol";
import {Intent} from "../src/Order.sol";
import {endpointId, stargateToken, usdc as usdcOf, wrappedNative} from "../src/guards/Assets.sol";
import {IRouteGuard} from "../src/guards/IRouteGuard.sol";
import {Base} from "./support/Base.sol";

/// The guards read calls of the devnet's bridge, which has the functions of the real one.
contract GuardsTest is Base {
    uint256 private constant here = 8453;
    uint256 private constant there = 42161;
    uint256 private constant sent = 100e6;
    uint256 private constant net = 99.75e6;
    uint256 private constant least = 99e6;

    address private stargateGuard;
    address private polymerGuard;
    address private token;
    uint256 private extra;
    Intent private intent;
    BridgeData private bridge;
    AcrossV4Data private across;
    StargateData private stargate;
    PolymerCCTPData private polymer;

    function setUp() public override {
        super.setUp();
        bytes memory none;
        stargateGuard = vm.deployCode("artifacts/LifiStargateGuard.json", none);
        polymerGuard = vm.deployCode("artifacts/LifiPolymerGuard.json", none);
        _reset();
    }

    /// Resets everything to a valid call, for USDC from Base to Arbitrum.
    function _reset() private {
        vm.chainId(here);
        (token, extra) = (usdcOf(here), 0);
        intent = Intent(there, usdcOf(there), user, least);
        bridge = BridgeData("id", "tool", "us", address(0), token, user, sent, there, false, false);
        bytes32 to = _key(user);
        across = AcrossV4Data(to, _key(account), _key(token), _key(usdcOf(there)), least, 0.9925e18, 0, 0, 0, 0, "");
        (across.quoteTimestamp, across.fillDeadline) = (uint32(_now() - 60), uint32(_now() + 9_300));
        SendParam memory send = SendParam(uint32(endpointId(there)), to, sent, least, "", "", "");
        stargate.assetId = 1;
        stargate.sendParams = send;
        (stargate.fee.nativeFee, stargate.fee.lzTokenFee) = (0, 0);
        stargate.refundAddress = payable(account);
        polymer = PolymerCCTPData(0.5e6, 0.25e6, 0, 0, 1000, account, "");
    }

    function _fee(address of_, uint256 amount, bool deposit) private pure returns (SwapData[] memory swaps) {
        swaps = new SwapData[](1);
        swaps[0] = SwapData(address(1), address(1), of_, of_, amount, "some call", deposit);
    }

    function _says(address guard, bytes memory data) private view returns (bool) {
        return IRouteGuard(guard).check(data, account, token, sent, extra, intent);
    }

    function _acrossSays() private view returns (bool) {
        return _says(bridgeGuard, abi.encodeCall(DevBridge.startBridgeTokensViaAcrossV4, (bridge, across)));
    }

    function _stargateSays() private view returns (bool) {
        return _says(stargateGuard, abi.encodeCall(DevBridge.startBridgeTokensViaStargate, (bridge, stargate)));
    }

    function _polymerSays() private view returns (bool) {
        return _says(polymerGuard, abi.encodeCall(DevBridge.startBridgeTokensViaPolymerCCTP, (bridge, polymer)));
    }

    function _plainSay() private view returns (bool all, bool any) {
        (bool a, bool s, bool p) = (_acrossSays(), _stargateSays(), _polymerSays());
        return (a && s && p, a || s || p);
    }

    function _afterFeeSay(SwapData[] memory swaps) private view returns (bool all, bool any) {
        bool a =
            _says(bridgeGuard, abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, swaps, across)));
        bool s = _says(
            stargateGuard, abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaStargate, (bridge, swaps, stargate))
        );
        bool p = _says(
            polymerGuard, abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaPolymerCCTP, (bridge, swaps, polymer))
        );
        return (a && s && p, a || s || p);
    }

    function test_a_call_that_matches_the_order_passes() public {
        (bool all,) = _plainSay();
        require(all);
        (bridge.hasSourceSwaps, bridge.minAmount) = (true, net);
        (all,) = _afterFeeSay(_fee(token, sent, true));
        require(all);
    }

    /// The part that all facets share: each field, in both functions, in all three guards.
    function testFuzz_changed_bridge_data_are_refused(uint256 what, uint160 other) public {
        vm.assume(other != uint160(token) && other != uint160(user) && other != there && other > 1);
        vm.assume(other != sent && other != net);
        what %= 6;
        if (what == 0) bridge.sendingAssetId = address(other);
        if (what == 1) bridge.receiver = address(other);
        if (what == 2) bridge.minAmount = other;
        if (what == 3) bridge.destinationChainId = other;
        if (what == 4) bridge.hasSourceSwaps = true;
        if (what == 5) bridge.hasDestinationCall = true;
        (, bool any) = _plainSay();
        require(!any);
        if (what == 2 && other >= sent - sent / 100 && other <= sent) return; // the amount that fees may leave
        bridge.hasSourceSwaps = what != 4;
        if (what != 2) bridge.minAmount = net;
        (, any) = _afterFeeSay(_fee(token, sent, true));
        require(!any);
    }

    function test_fees_take_the_amount_once_and_swap_nothing() public {
        (bridge.hasSourceSwaps, bridge.minAmount) = (true, net);
        bool any;
        (, any) = _afterFeeSay(_fee(token, sent - 1, true));
        require(!any);
        (, any) = _afterFeeSay(_fee(token, sent + 1, true));
        require(!any);
        (, any) = _afterFeeSay(_fee(token, sent, false));
        require(!any);
        (, any) = _afterFeeSay(_fee(address(dai), sent, true));
        require(!any);
        (, any) = _afterFeeSay(new SwapData[](0));
        require(!any);
        SwapData[] memory swaps = _fee(token, sent, true);
        swaps[0].receivingAssetId = address(dai);
        (, any) = _afterFeeSay(swaps);
        require(!any);
        swaps = new SwapData[](2);
        (swaps[0], swaps[1]) = (_fee(token, 1e6, true)[0], _fee(token, sent - 1e6, true)[0]);
        (bool all,) = _afterFeeSay(swaps);
        require(all);
    }

    function test_fees_leave_at_least_99_percent_to_every_bridge() public {
        bridge.hasSourceSwaps = true;
        intent.minOut = stargate.sendParams.minAmountLD = 98e6;
        (polymer.polymerTokenFee, polymer.maxCCTPFee, across.outputAmountMultiplier) = (0, 0, 1e18);
        uint256[6] memory left = [uint256(99e6), 100e6, 99e6 - 1, 100e6 + 1, 1, 0];
        for (uint256 i; i < left.length; ++i) {
            bridge.minAmount = left[i];
            (bool all, bool any) = _afterFeeSay(_fee(token, sent, true));
            require(i < 2 ? all : !any);
        }
        // The same for native coin.
        _coin();
        for (uint256 i; i < left.length; ++i) {
            bridge.minAmount = left[i];
            (bool a, bool s) = _coinAfterFeeSays(_fee(address(0), sent, true));
            require(i < 2 ? a && s : !a && !s);
        }
    }

    /// The thief's call: a fee of all but one unit, with a multiplier that restores the minimum. No relayer fills it,
    /// and the refund is one unit.
    function test_C1_a_multiplier_cannot_compensate_for_a_fee() public {
        (bridge.hasSourceSwaps, bridge.minAmount, across.outputAmountMultiplier) = (true, 1, uint128(least * 1e18));
        bytes memory data =
            abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, _fee(token, sent, true), across));
        require(!_says(bridgeGuard, data));
        // Within the cap, the promise of the same asset is at most the bridged amount.
        (bridge.minAmount, intent.minOut, across.outputAmountMultiplier) = (net, net + 1, 2e18);
        data = abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, _fee(token, sent, true), across));
        require(!_says(bridgeGuard, data));
        intent.minOut = net;
        require(_says(bridgeGuard, data));
        (bridge.hasSourceSwaps, bridge.minAmount, intent.minOut) = (false, sent, sent + 1);
        across.outputAmount = sent + 1;
        require(!_acrossSays());
    }

    function _coin() private {
        (token, bridge.sendingAssetId, intent.tokenOut, stargate.assetId) = (address(0), address(0), address(0), 13);
        across.receivingAssetId = _key(wrappedNative(there));
    }

    function _coinAfterFeeSays(SwapData[] memory swaps) private view returns (bool a, bool s) {
        a = _says(bridgeGuard, abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, swaps, across)));
        s = _says(
            stargateGuard, abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaStargate, (bridge, swaps, stargate))
        );
    }

    function test_only_stargate_takes_a_native_fee_and_exactly_its_calldatas_amount() public {
        extra = 1;
        (, bool any) = _plainSay();
        require(!any);
        stargate.fee.nativeFee = 1;
        require(_stargateSays() && !_acrossSays() && !_polymerSays());
        stargate.fee.nativeFee = 2;
        require(!_stargateSays());
        bytes memory data = _swapCall(user, token, address(dai), sent, 1);
        Intent memory swap = Intent(here, address(dai), user, 1);
        require(!IRouteGuard(swapGuard).check(data, account, token, sent, 1, swap));
        require(IRouteGuard(swapGuard).check(data, account, token, sent, 0, swap));
    }

    function test_across_is_filled_within_a_day_and_by_anyone_after_15_minutes() public {
        uint32 time = uint32(_now());
        uint32[2][13] memory times = [
            [time + 1, uint32(0)],
            [time + 86_400, 0],
            [time + 9_300, 900],
            [time + 9_300, time + 900],
            [time + 9_300, time - 5],
            [time + 9_300, time],
            [time, 0],
            [time - 1, 0],
            [time + 86_401, 0],
            [time + 9_300, 901],
            [time + 9_300, time + 901],
            [time + 500, 500],
            [time - 1, time - 2]
        ];
        for (uint256 i; i < times.length; ++i) {
            (across.fillDeadline, across.exclusivityParameter) = (times[i][0], times[i][1]);
            require(_acrossSays() == (i < 6), vm.toString(i));
        }
    }

    function test_each_guard_accepts_only_its_two_functions() public view {
        require(!_says(stargateGuard, abi.encodeCall(DevBridge.startBridgeTokensViaAcrossV4, (bridge, across))));
        require(!_says(bridgeGuard, abi.encodeCall(DevBridge.startBridgeTokensViaPolymerCCTP, (bridge, polymer))));
        require(!_says(polymerGuard, abi.encodeCall(DevBridge.startBridgeTokensViaStargate, (bridge, stargate))));
    }

    function test_the_across_guard_checks_every_field_of_its_facet() public {
        for (uint256 i; i < 7; ++i) {
            _reset();
            require(_acrossSays());
            if (i == 0) across.receiverAddress = _key(thief);
            if (i == 1) across.refundAddress = _key(user);
            if (i == 2) across.sendingAssetId = _key(address(dai));
            if (i == 3) across.receivingAssetId = _key(address(dai));
            if (i == 4) across.outputAmount = least - 1;
            if (i == 5) across.message = "call";
            if (i == 6) across.receiverAddress |= bytes32(uint256(1) << 200);
            require(!_acrossSays());
        }
    }

    function test_across_applies_its_multiplier_after_a_fee() public {
        (bridge.hasSourceSwaps, bridge.minAmount, across.outputAmount) = (true, net, 0);
        bytes memory data;
        for (uint256 i; i < 2; ++i) {
            across.outputAmountMultiplier = uint128(least * 1e18 / net + 1 - i);
            data = abi.encodeCall(
                DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, _fee(token, sent, true), across)
            );
            require(_says(bridgeGuard, data) == (i == 0));
        }
    }

    function test_across_delivers_native_coin_for_the_wrapped_coin() public {
        (token, bridge.sendingAssetId, across.sendingAssetId) = (address(0), address(0), "ignored");
        across.receivingAssetId = _key(wrappedNative(there));
        intent.tokenOut = address(0);
        require(_acrossSays());
        intent.tokenOut = wrappedNative(there);
        require(!_acrossSays());
        (intent.tokenOut, across.receivingAssetId) = (address(0), 0);
        require(!_acrossSays());
        (intent.toChainId, bridge.destinationChainId) = (56, 56);
        require(!_acrossSays());
    }

    function test_a_fee_in_native_coin_may_be_less_than_the_amount() public {
        (token, bridge.sendingAssetId, intent.tokenOut) = (address(0), address(0), address(0));
        across.receivingAssetId = _key(wrappedNative(there));
        (bridge.hasSourceSwaps, bridge.minAmount) = (true, net);
        for (uint256 i; i < 2; ++i) {
            SwapData[] memory fee = _fee(address(0), i == 0 ? 0.25e6 : sent + 1, true);
            bytes memory data = abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, fee, across));
            require(_says(bridgeGuard, data) == (i == 0));
        }
        SwapData[] memory none = new SwapData[](0); // an empty list is not a valid zero fee
        require(
            !_says(bridgeGuard, abi.encodeCall(DevBridge.swapAndStartBridgeTokensViaAcrossV4, (bridge, none, across)))
        );
    }

    function test_the_stargate_guard_checks_every_field_of_its_facet() public {
        for (uint256 i; i < 11; ++i) {
            _reset();
            require(_stargateSays());
            if (i == 0) stargate.sendParams.to = _key(thief);
            if (i == 1) stargate.sendParams.dstEid = 30109;
            if (i == 2) stargate.refundAddress = payable(user);
            if (i == 3) stargate.sendParams.minAmountLD = least - 1;
            if (i == 4) stargate.sendParams.extraOptions = hex"0003";
            if (i == 5) stargate.sendParams.composeMsg = "call";
            if (i == 6) stargate.sendParams.oftCmd = hex"0000";
            if (i == 7) stargate.fee.lzTokenFee = 1;
            if (i == 8) stargate.assetId = 2;
            if (i == 9) stargate.assetId = 13;
            if (i == 10) intent.tokenOut = address(dai);
            require(!_stargateSays());
        }
        _reset();
        stargate.sendParams.extraOptions = "";
        stargate.sendParams.composeMsg = "";
        stargate.sendParams.oftCmd = hex"00";
        require(_stargateSays());
    }

    function test_a_stargate_asset_missing_on_one_chain_is_refused() public {
        (token, bridge.sendingAssetId, intent.tokenOut, stargate.assetId) = (address(0), address(0), address(0), 13);
        require(_stargateSays());
        vm.chainId(137);
        require(!_stargateSays());
        (bool known,) = stargateToken(2, here);
        require(!known);
        (known,) = stargateToken(3, 1);
        require(!known);
    }

    function test_the_polymer_guard_checks_every_field_of_its_facet() public {
        for (uint256 i; i < 7; ++i) {
            _reset();
            require(_polymerSays());
            if (i == 0) polymer.nonEVMReceiver = _key(thief);
            if (i == 1) polymer.solanaReceiverATA = _key(thief);
            if (i == 2) polymer.refundRecipient = user;
            if (i == 3) polymer.polymerTokenFee += 0.25e6 + 1;
            if (i == 4) polymer.maxCCTPFee += 0.25e6 + 1;
            if (i == 5) polymer.hookData = "hook";
            if (i == 6) intent.tokenOut = address(dai);
            require(!_polymerSays());
        }
        _reset();
        polymer.refundRecipient = address(0);
        require(_polymerSays());
        (bridge.hasSourceSwaps, bridge.minAmount) = (true, net);
        bytes memory data = abi.encodeCall(
            DevBridge.swapAndStartBridgeTokensViaPolymerCCTP, (bridge, _fee(token, sent, true), polymer)
        );
        require(!_says(polymerGuard, data));
    }

    /// Dirty words, moved arguments, or too little data.
    function test_malformed_calldata_is_refused() public {
        bytes memory data = abi.encodeCall(DevBridge.startBridgeTokensViaAcrossV4, (bridge, across));
        bytes memory dirty = bytes.concat(data);
        dirty[4 + 64 + 160] = 0x01; // the head of the two arguments is 64 bytes, and the receiver's word is the sixth
        require(!_says(bridgeGuard, dirty));
        bytes memory far = bytes.concat(data);
        far[4] = 0xff;
        vm.expectRevert();
        this.bridgeSays(far);
        vm.expectRevert();
        this.bridgeSays(hex"a1f1ce43");
        vm.expectRevert();
        this.bridgeSays(hex"a1f1");
        bytes memory cut = new bytes(data.length - 32);
        for (uint256 i; i < cut.length; ++i) {
            cut[i] = data[i];
        }
        vm.expectRevert();
        this.bridgeSays(cut);
    }

    function bridgeSays(bytes memory data) external view returns (bool) {
        return _says(bridgeGuard, data);
    }

    // ---------------------------------------------------------------- swaps

    function _swapSays(SwapData[] memory swaps) private view returns (bool) {
        bytes memory data = abi.encodeCall(
            DevBridge.swapTokensMultipleV3ERC20ToERC20, ("q", "switchyard", "", payable(user), 1, swaps)
        );
        return IRouteGuard(swapGuard).check(data, account, token, sent, extra, Intent(here, address(dai), user, 1));
    }

    /// A fee, then a swap of the rest.
    function _swaps() private view returns (SwapData[] memory swaps) {
        swaps = new SwapData[](2);
        swaps[0] = _fee(token, sent, true)[0];
        swaps[1] = SwapData(address(1), address(1), token, address(dai), net, "some call", false);
    }

    function test_swaps_take_the_amount_from_the_account_once() public view {
        require(_swapSays(_swaps()) && !_swapSays(new SwapData[](0)));
        SwapData[] memory swaps = _swaps();
        swaps[1].requiresDeposit = true;
        require(!_swapSays(swaps));
        swaps = _swaps();
        swaps[0].fromAmount = sent - 1;
        require(!_swapSays(swaps));
        swaps = _swaps();
        swaps[0].sendingAssetId = address(dai);
        require(!_swapSays(swaps));
    }

    function test_a_swap_states_the_orders_token_and_minimum() public view {
        SwapData[] memory swaps = _swaps();
        swaps[1].receivingAssetId = address(usdc);
        require(!_swapSays(swaps));
        IRouteGuard guard = IRouteGuard(swapGuard);
        bytes memory data = _swapCall(user, token, address(dai), sent, 9);
        for (uint256 minOut = 9; minOut < 11; ++minOut) {
            require(
                guard.check(data, account, token, sent, 0, Intent(here, address(dai), user, minOut)) == (minOut == 9)
            );
        }
        SwapData memory one = _swaps()[1];
        (one.fromAmount, one.receivingAssetId) = (sent, address(usdc));
        data = abi.encodeCall(DevBridge.swapTokensSingleV3ERC20ToERC20, ("q", "us", "", payable(user), 1, one));
        require(!guard.check(data, account, token, sent, 0, Intent(here, address(dai), user, 1)));
        require(guard.check(data, account, token, sent, 0, Intent(here, address(usdc), user, 1)));
    }

    /// A payment pays the whole amount, while a swap may keep what the minimum leaves.
    function test_a_token_is_not_swapped_for_itself() public view {
        SwapData memory one = _swaps()[1];
        (one.fromAmount, one.receivingAssetId) = (sent, token);
        bytes memory single = abi.encodeCall(
            DevBridge.swapTokensSingleV3ERC20ToERC20, ("q", "us", "", payable(user), sent * 97 / 100, one)
        );
        bytes memory multiple = _swapCall(user, token, token, sent, sent * 97 / 100);
        Intent memory asked = Intent(here, token, user, sent * 97 / 100);
        require(!IRouteGuard(swapGuard).check(single, account, token, sent, 0, asked));
        require(!IRouteGuard(swapGuard).check(multiple, account, token, sent, 0, asked));
    }

    function test_swaps_are_for_this_chain_and_this_recipient() public view {
        bytes memory data = _swapCall(user, token, address(dai), sent, 1);
        IRouteGuard guard = IRouteGuard(swapGuard);
        require(guard.check(data, account, token, sent, extra, Intent(here, address(dai), user, 1)));
        require(!guard.check(data, account, token, sent, extra, Intent(there, address(dai), user, 1)));
        require(!guard.check(data, account, token, sent, extra, Intent(here, address(dai), thief, 1)));
        data[0] = 0xff;
        require(!guard.check(data, account, token, sent, extra, Intent(here, address(dai), user, 1)));
    }

    function test_a_single_swap_takes_the_orders_token_and_amount() public view {
        SwapData memory swap = _swaps()[1];
        for (uint256 i; i < 3; ++i) {
            swap.fromAmount = i == 1 ? sent - 1 : sent;
            swap.sendingAssetId = i == 2 ? address(dai) : token;
            bytes memory data = abi.encodeCall(
                DevBridge.swapTokensSingleV3ERC20ToERC20, ("q", "switchyard", "", payable(user), 1, swap)
            );
            bool says =
                IRouteGuard(swapGuard).check(data, account, token, sent, extra, Intent(here, address(dai), user, 1));
            require(says == (i == 0));
        }
    }
}
