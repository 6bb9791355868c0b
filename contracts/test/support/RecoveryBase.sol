// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {Order} from "../../src/Order.sol";
import {Recovery, RecoveryExecutor} from "../../src/RecoveryExecutor.sol";
import {Base} from "./Base.sol";
import {Collectible, Collectibles, Token} from "./Tokens.sol";

abstract contract RecoveryBase is Base {
    address internal constant other = address(0x07E6);
    RecoveryExecutor internal recoveries;
    Token internal stray;
    Collectible internal nft;
    Collectibles internal nfts;

    function setUp() public virtual override {
        super.setUp();
        recoveries =
            RecoveryExecutor(vm.deployCode("artifacts/RecoveryExecutor.json", abi.encode(address(executor))));
        _install(address(recoveries));
        stray = new Token();
        nft = new Collectible();
        nfts = new Collectibles();
    }

    function _refundOrder(bytes32 id, address token, uint256 amount) internal view returns (Order memory o) {
        o = _pay(id, token, amount, 0);
        o.intent.minOut = amount;
    }

    function _signRefund(Order memory o, uint256 key) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, recoveries.hashOrder(o));
        return abi.encodePacked(r, s, v);
    }

    function _refund(Order memory o) internal {
        bytes memory signature = _signRefund(o, signerKey);
        vm.prank(relayer);
        recoveries.execute(o, signature);
    }

    function _refundRefused(Order memory o, bytes4 reason) internal {
        bytes memory signature = _signRefund(o, signerKey);
        vm.prank(relayer);
        vm.expectPartialRevert(reason);
        recoveries.execute(o, signature);
    }

    function _refundRefusedWith(Order memory o, bytes4 reason, uint256 gas) internal {
        bytes memory signature = _signRefund(o, signerKey);
        vm.prank(relayer);
        vm.expectPartialRevert(reason);
        recoveries.execute{gas: gas}(o, signature);
    }

    function _tokens(address token, uint256 amount) internal pure returns (Recovery memory) {
        return Recovery(salt, 1, token, 0, amount, other, "deposit");
    }

    function _nft(uint256 id) internal view returns (Recovery memory) {
        return Recovery(salt, 2, address(nft), id, 0, other, "deposit");
    }

    function _multi(uint256 id, uint256 amount) internal view returns (Recovery memory) {
        return Recovery(salt, 3, address(nfts), id, amount, other, "deposit");
    }

    function _approve(address by, Recovery memory r) internal {
        vm.prank(by);
        recoveries.approve(r);
    }

    function _approveBoth(Recovery memory r) internal {
        _approve(admin, r);
        _approve(guardian, r);
    }

    function _recoverRefused(Recovery memory r, bytes4 reason) internal {
        vm.prank(recovery);
        vm.expectPartialRevert(reason);
        recoveries.recover(r);
    }

    function _statusOf(Recovery memory r) internal view returns (bytes32 id, uint64 readyAt, uint64[3] memory approvedAt) {
        return recoveries.status(r);
    }
}
