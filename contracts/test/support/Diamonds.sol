// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {AcrossV4Data, BridgeData, SwapData} from "../../devnet/DiamondCalldata.sol";
import {Intent} from "../../src/Order.sol";
import {IRouteGuard} from "../../src/guards/IRouteGuard.sol";

/// Has the form of LI.FI's Diamond and behaves well, except for `anyCall`.
contract Diamond {
    receive() external payable {}

    function startBridgeTokensViaAcrossV4(BridgeData calldata bridge, AcrossV4Data calldata) external payable virtual {
        _take(bridge.sendingAssetId, bridge.minAmount);
    }

    function swapAndStartBridgeTokensViaAcrossV4(BridgeData calldata, SwapData[] calldata swaps, AcrossV4Data calldata)
        external
        payable
    {
        _take(swaps[0].sendingAssetId, swaps[0].fromAmount);
    }

    function swapTokensMultipleV3ERC20ToERC20(
        bytes32,
        string calldata,
        string calldata,
        address payable receiver,
        uint256,
        SwapData[] calldata swaps
    ) external payable {
        _take(swaps[0].sendingAssetId, swaps[0].fromAmount);
        _pay(swaps[0].receivingAssetId, receiver, abi.decode(swaps[0].callData, (uint256)));
    }

    function anyCall(address to, bytes calldata data) external payable {
        (bool ok, bytes memory reason) = to.call(data);
        if (!ok) {
            assembly {
                revert(add(reason, 0x20), mload(reason))
            }
        }
    }

    function _take(address token, uint256 amount) internal {
        if (token == address(0)) return;
        (bool ok, bytes memory ret) =
            token.call(abi.encodeCall(IERC20.transferFrom, (msg.sender, address(this), amount)));
        require(ok && (ret.length == 0 || abi.decode(ret, (bool))), "take");
    }

    function _pay(address token, address to, uint256 amount) internal {
        if (token != address(0)) {
            require(IERC20(token).transfer(to, amount), "pay");
            return;
        }
        (bool ok,) = to.call{value: amount}("");
        require(ok, "pay");
    }
}

/// The same entry point, with a misbehaviour that a test selects.
contract OddDiamond is Diamond {
    enum Mode {
        TakePart,
        GiveCoinBack,
        ReturnBomb,
        RevertBomb,
        Fail,
        Call,
        PoorBranch
    }

    Mode public mode;
    uint256 public number;
    address public callee;
    bytes public callData;
    uint256 public good;
    uint256 public poor;
    uint256[] private _junk;

    error Boom(uint256 number);

    function set(Mode mode_, uint256 number_) external {
        (mode, number) = (mode_, number_);
    }

    function setCall(address callee_, bytes calldata callData_) external {
        (mode, callee, callData) = (Mode.Call, callee_, callData_);
    }

    function startBridgeTokensViaAcrossV4(BridgeData calldata bridge, AcrossV4Data calldata) external payable override {
        if (mode == Mode.Fail) revert Boom(number);
        uint256 size = number;
        if (mode == Mode.RevertBomb) {
            assembly {
                revert(0, size)
            }
        }
        _take(bridge.sendingAssetId, mode == Mode.TakePart ? number : bridge.minAmount);
        if (mode == Mode.GiveCoinBack) _pay(address(0), msg.sender, number);
        if (mode == Mode.Call) this.anyCall(callee, callData);
        if (mode == Mode.PoorBranch) {
            try this.work() {
                ++good;
            } catch {
                ++poor;
            }
        }
        if (mode == Mode.ReturnBomb) {
            assembly {
                return(0, size)
            }
        }
    }

    function work() external {
        for (uint256 i; i < 150; ++i) {
            _junk.push(i);
        }
    }
}

/// Accepts everything, which lets a test reach the code behind the guard.
contract OpenGuard is IRouteGuard {
    function check(bytes calldata, address, address, uint256, uint256, Intent calldata) external pure returns (bool) {
        return true;
    }
}
