// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {IERC20, SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Intent} from "../src/Order.sol";
import {IRouteGuard} from "../src/guards/IRouteGuard.sol";
import {DevBridge} from "./DevBridge.sol";
import {AcrossV4Data, BridgeData, PolymerCCTPData, StargateData, SwapData} from "./DiamondCalldata.sol";

/// The devnet's bridge. It stores its last lock.
contract ProbeBridge is DevBridge {
    Lock private _last;

    function last() external view returns (Lock memory) {
        return _last;
    }

    function _lock(Lock memory lock) internal override {
        super._lock(lock);
        _last = lock;
    }
}

/// Replaces an account in the differential test. For each call, it gets the guard's verdict, makes the call, and
/// reverts everything except its measurements.
contract RouteProbe {
    using SafeERC20 for IERC20;

    struct Case {
        address guard;
        bytes data;
        address token;
        uint256 amount;
        uint256 nativeFee;
        Intent intent;
    }

    struct Outcome {
        bool admitted;
        bool carried;
        uint256 spent; // of the token
        uint256 coinSpent; // of the native coin, if the token is another
        uint256 received; // of the output token, by the recipient on this chain
        uint256 taken; // of the token, by all strangers together
        DevBridge.Lock lock;
        address refundTo; // as the Diamond itself decodes it; the probe if the call has none
    }

    error Measured(Outcome outcome);

    receive() external payable {}

    function probe(ProbeBridge bridge, address[] calldata strangers, Case[] calldata cases)
        external
        returns (Outcome[] memory outcomes, uint256 time)
    {
        outcomes = new Outcome[](cases.length);
        for (uint256 i; i < cases.length; ++i) {
            bool admitted = _admits(cases[i]);
            try this.carry{gas: 1_200_000}(bridge, strangers, cases[i]) {}
            catch (bytes memory reason) {
                if (bytes4(reason) == Measured.selector) outcomes[i] = _decode(reason);
            }
            outcomes[i].admitted = admitted;
        }
        time = block.timestamp;
    }

    function _admits(Case calldata one) private view returns (bool) {
        try IRouteGuard(one.guard).check{gas: 500_000}(
            one.data, address(this), one.token, one.amount, one.nativeFee, one.intent
        ) returns (bool admitted) {
            return admitted;
        } catch {
            return false;
        }
    }

    function _decode(bytes memory reason) private pure returns (Outcome memory) {
        assembly ("memory-safe") {
            mstore(add(reason, 4), sub(mload(reason), 4))
            reason := add(reason, 4)
        }
        return abi.decode(reason, (Outcome));
    }

    /// Always reverts, with the measurements or with the bridge's own error.
    function carry(ProbeBridge bridge, address[] calldata strangers, Case calldata one) external {
        bool native = one.token == address(0);
        Outcome memory measured;
        uint256 held = _balance(one.token, address(this));
        uint256 coin = address(this).balance;
        uint256 had = _held(one.intent);
        uint256 taken = _sum(one.token, strangers);
        if (!native) IERC20(one.token).forceApprove(address(bridge), one.amount);
        (bool ok, bytes memory reason) =
            address(bridge).call{value: native ? one.amount + one.nativeFee : one.nativeFee}(one.data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(reason, 0x20), mload(reason))
            }
        }
        measured.carried = true;
        measured.spent = held - _balance(one.token, address(this));
        measured.coinSpent = native ? 0 : coin - address(this).balance;
        measured.received = _held(one.intent) - had;
        measured.taken = _sum(one.token, strangers) - taken;
        measured.lock = bridge.last();
        measured.refundTo = _refundOf(one.data);
        revert Measured(measured);
    }

    function _refundOf(bytes calldata data) private view returns (address) {
        bytes4 selector = bytes4(data);
        bytes calldata args = data[4:];
        if (selector == DevBridge.startBridgeTokensViaAcrossV4.selector) {
            (, AcrossV4Data memory across) = abi.decode(args, (BridgeData, AcrossV4Data));
            return address(uint160(uint256(across.refundAddress)));
        }
        if (selector == DevBridge.swapAndStartBridgeTokensViaAcrossV4.selector) {
            (,, AcrossV4Data memory across) = abi.decode(args, (BridgeData, SwapData[], AcrossV4Data));
            return address(uint160(uint256(across.refundAddress)));
        }
        if (selector == DevBridge.startBridgeTokensViaStargate.selector) {
            (, StargateData memory stargate) = abi.decode(args, (BridgeData, StargateData));
            return stargate.refundAddress;
        }
        if (selector == DevBridge.swapAndStartBridgeTokensViaStargate.selector) {
            (,, StargateData memory stargate) = abi.decode(args, (BridgeData, SwapData[], StargateData));
            return stargate.refundAddress;
        }
        if (selector == DevBridge.startBridgeTokensViaPolymerCCTP.selector) {
            (, PolymerCCTPData memory polymer) = abi.decode(args, (BridgeData, PolymerCCTPData));
            return polymer.refundRecipient;
        }
        if (selector == DevBridge.swapAndStartBridgeTokensViaPolymerCCTP.selector) {
            (,, PolymerCCTPData memory polymer) = abi.decode(args, (BridgeData, SwapData[], PolymerCCTPData));
            return polymer.refundRecipient;
        }
        return address(this);
    }

    function _sum(address token, address[] calldata who) private view returns (uint256 sum) {
        for (uint256 i; i < who.length; ++i) {
            sum += _balance(token, who[i]);
        }
    }

    function _held(Intent calldata intent) private view returns (uint256) {
        return intent.toChainId == block.chainid ? _balance(intent.tokenOut, intent.recipient) : 0;
    }

    function _balance(address token, address who) private view returns (uint256) {
        return token == address(0) ? who.balance : IERC20(token).balanceOf(who);
    }
}
