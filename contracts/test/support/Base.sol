// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {AcrossV4Data, BridgeData, SwapData} from "../../devnet/DiamondCalldata.sol";
import {AccountRegistry} from "../../src/AccountRegistry.sol";
import {Item, Rule, Settings, TokenCap} from "../../src/ExecutorSettings.sol";
import {ModularAccount} from "../../src/ModularAccount.sol";
import {Intent, Order} from "../../src/Order.sol";
import {ExecutorSettings, RouteExecutor} from "../../src/RouteExecutor.sol";
import {wrappedNative} from "../../src/guards/Assets.sol";
import {Diamond, OddDiamond, OpenGuard} from "./Diamonds.sol";
import {PlainModule} from "./Others.sol";
import {Token} from "./Tokens.sol";
import {Vm} from "./Vm.sol";

abstract contract Base {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    event log_named_uint(string, uint256);

    address internal constant admin = address(0xA11CE);
    address internal constant guardian = address(0x60A2D);
    address internal constant recovery = address(0x4EC0);
    address internal constant collector = address(0xFEE);
    address internal constant relayer = address(0x1234);
    address internal constant thief = address(0x7717EF);
    address internal constant user = address(0xD57);
    uint256 internal constant signerKey = 0xBEEF;
    uint256 internal constant secondSignerKey = 0xCAFE;
    bytes32 internal constant salt = keccak256("organization/user");
    uint256 internal constant dayCap = 10_000e6;

    AccountRegistry internal registry;
    RouteExecutor internal executor;
    Diamond internal diamond;
    OddDiamond internal odd;
    Token internal usdc;
    Token internal dai;
    address internal bridgeGuard;
    address internal swapGuard;
    address internal openGuard;
    address internal account;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        bytes memory none;
        registry =
            AccountRegistry(vm.deployCode("artifacts/AccountRegistry.json", abi.encode(admin, guardian, recovery)));
        bridgeGuard = vm.deployCode("artifacts/LifiAcrossGuard.json", none);
        swapGuard = vm.deployCode("artifacts/LifiSwapGuard.json", none);
        openGuard = address(new OpenGuard());
        diamond = new Diamond();
        odd = new OddDiamond();
        usdc = new Token();
        dai = new Token();
        executor = _newExecutor();
        _install(address(executor));
        account = registry.accountAddress(salt);
        dai.mint(address(diamond), 1_000_000e18);
        vm.deal(address(diamond), 1000 ether);
        vm.deal(relayer, 10 ether);
    }

    // ---------------------------------------------------------------- fixtures

    function _settings() internal view returns (Settings memory s) {
        s.relayers = new address[](1);
        s.relayers[0] = relayer;
        s.signers = new address[](2);
        (s.signers[0], s.signers[1]) = (vm.addr(signerKey), vm.addr(secondSignerKey));
        s.collectors = new address[](1);
        s.collectors[0] = collector;
        s.caps = new TokenCap[](2);
        s.caps[0] = TokenCap(address(usdc), dayCap);
        s.caps[1] = TokenCap(address(0), 100 ether);
        s.rules = new Rule[](8);
        bytes4 start = Diamond.startBridgeTokensViaAcrossV4.selector;
        s.rules[0] = Rule(address(diamond), start, address(diamond), bridgeGuard, bridgeGuard.codehash);
        s.rules[1] = Rule(address(diamond), start, address(0), bridgeGuard, bridgeGuard.codehash);
        s.rules[2] = Rule(
            address(diamond),
            Diamond.swapTokensMultipleV3ERC20ToERC20.selector,
            address(diamond),
            swapGuard,
            swapGuard.codehash
        );
        s.rules[3] = Rule(
            address(diamond),
            Diamond.swapTokensMultipleV3ERC20ToERC20.selector,
            address(0),
            swapGuard,
            swapGuard.codehash
        );
        // its effect on the account is not in the calldata
        s.rules[4] = Rule(address(odd), start, address(odd), openGuard, openGuard.codehash);
        s.rules[5] = Rule(address(diamond), Diamond.anyCall.selector, address(diamond), openGuard, openGuard.codehash);
        start = Diamond.swapAndStartBridgeTokensViaAcrossV4.selector;
        s.rules[6] = Rule(address(diamond), start, address(diamond), bridgeGuard, bridgeGuard.codehash);
        start = Diamond.startBridgeTokensViaAcrossV4.selector;
        s.rules[7] = Rule(address(odd), start, address(0), openGuard, openGuard.codehash);
        s.maxNativeFee = 0.5 ether;
    }

    function _newExecutor() internal returns (RouteExecutor) {
        return RouteExecutor(vm.deployCode("artifacts/RouteExecutor.json", abi.encode(address(registry), _settings())));
    }

    function _install(address module) internal {
        vm.prank(admin);
        registry.scheduleModule(module);
        _wait(3 days);
        vm.prank(admin);
        registry.installModule(module);
    }

    function _change(bytes memory call) internal {
        vm.prank(admin);
        executor.schedule(call);
        _wait(2 days);
        vm.prank(admin);
        executor.applyChange(call);
    }

    function _list(address token) internal {
        _change(abi.encodeCall(ExecutorSettings.setCap, (token, type(uint112).max)));
    }

    // ---------------------------------------------------------------- orders

    function _order(bytes32 id, address token, uint256 amount, uint256 protocolFee)
        internal
        view
        returns (Order memory o)
    {
        o.routeId = id;
        o.accountSalt = salt;
        o.token = token;
        o.amountIn = amount;
        o.minSpent = amount;
        o.protocolFee = protocolFee;
        o.collector = collector;
        o.deadline = uint64(_now() + 600);
        o.intent.recipient = user;
        o.intent.toChainId = block.chainid;
        o.intent.tokenOut = token;
        o.intent.minOut = amount - protocolFee;
    }

    function _pay(bytes32 id, address token, uint256 amount, uint256 fee) internal view returns (Order memory o) {
        o = _order(id, token, amount, fee);
        o.kind = 1;
    }

    function _bridge(bytes32 id, address token, uint256 amount, uint256 fee) internal view returns (Order memory o) {
        o = _order(id, token, amount, fee);
        o.kind = 3;
        o.intent.toChainId = 137;
        o.target = address(diamond);
        o.spender = token == address(0) ? address(0) : address(diamond);
        o.data = _bridgeCall(token, user, amount - fee, 137, false, false);
    }

    function _viaOdd(bytes32 id, address token, uint256 amount, uint256 fee) internal view returns (Order memory o) {
        o = _bridge(id, token, amount, fee);
        o.target = o.spender = address(odd);
    }

    /// USDC for DAI, one to one, with any minimum.
    function _swap(bytes32 id, uint256 amount, uint256 fee, uint256 out) internal view returns (Order memory o) {
        o = _order(id, address(usdc), amount, fee);
        o.kind = 2;
        o.intent.tokenOut = address(dai);
        o.intent.minOut = out;
        o.target = o.spender = address(diamond);
        o.data = _swapCall(user, address(usdc), address(dai), amount - fee, out);
    }

    function _any(bytes32 id, uint256 amount, address to, bytes memory data) internal view returns (Order memory o) {
        o = _bridge(id, address(usdc), amount, 0);
        o.data = abi.encodeCall(Diamond.anyCall, (to, data));
    }

    function _bridgeCall(address token, address to, uint256 amount, uint256 chainId, bool swaps, bool call)
        internal
        view
        returns (bytes memory)
    {
        (BridgeData memory b, AcrossV4Data memory a) = _across(token, to, amount, chainId);
        b.hasSourceSwaps = swaps;
        b.hasDestinationCall = call;
        return abi.encodeCall(Diamond.startBridgeTokensViaAcrossV4, (b, a));
    }

    /// The same money through the function that lets LI.FI take a fee first.
    function _bridgeAfterFeeCall(address token, address to, uint256 amount, uint256 fee, uint256 chainId)
        internal
        view
        returns (bytes memory)
    {
        (BridgeData memory b, AcrossV4Data memory a) = _across(token, to, amount - fee, chainId);
        b.hasSourceSwaps = true;
        SwapData[] memory swaps = new SwapData[](1);
        swaps[0] = SwapData(address(1), address(1), token, token, amount, "some call", true);
        return abi.encodeCall(Diamond.swapAndStartBridgeTokensViaAcrossV4, (b, swaps, a));
    }

    function _across(address token, address to, uint256 amount, uint256 chainId)
        internal
        view
        returns (BridgeData memory b, AcrossV4Data memory a)
    {
        b.transactionId = "quote";
        b.bridge = "across";
        b.integrator = "switchyard";
        b.sendingAssetId = token;
        b.receiver = to;
        b.minAmount = amount;
        b.destinationChainId = chainId;
        a.receiverAddress = _key(to);
        a.refundAddress = _key(account);
        a.sendingAssetId = _key(token);
        a.receivingAssetId = _key(token == address(0) ? wrappedNative(chainId) : token);
        a.outputAmount = amount;
        a.outputAmountMultiplier = 1e18;
        a.fillDeadline = uint32(_now() + 9_300);
    }

    function _swapCall(address to, address from, address into, uint256 amount, uint256 out)
        internal
        pure
        returns (bytes memory)
    {
        return _swapPaying(to, from, into, amount, out, out);
    }

    function _swapPaying(address to, address from, address into, uint256 amount, uint256 out, uint256 paid)
        internal
        pure
        returns (bytes memory)
    {
        SwapData[] memory swaps = new SwapData[](1);
        swaps[0] = SwapData(address(1), address(1), from, into, amount, abi.encode(paid), true);
        return
            abi.encodeCall(
                Diamond.swapTokensMultipleV3ERC20ToERC20, ("quote", "switchyard", "", payable(to), out, swaps)
            );
    }

    // ---------------------------------------------------------------- sending

    function _sign(RouteExecutor by, Order memory o, uint256 key) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, by.hashOrder(o));
        return abi.encodePacked(r, s, v);
    }

    function _run(Order memory o) internal {
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        executor.execute{value: o.nativeFee}(o, signature);
    }

    function _refused(Order memory o, bytes4 reason) internal {
        _refusedBy(executor, o, reason);
    }

    function _refusedBy(RouteExecutor by, Order memory o, bytes4 reason) internal {
        bytes memory signature = _sign(by, o, signerKey);
        vm.prank(relayer);
        vm.expectPartialRevert(reason);
        by.execute{value: o.nativeFee}(o, signature);
    }

    function _gasOf(Order memory o) internal returns (uint256 used) {
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        used = gasleft();
        executor.execute{value: o.nativeFee}(o, signature);
        used -= gasleft();
    }

    // ---------------------------------------------------------------- helpers

    /// block.timestamp may be cached by the optimizer across a warp, so this reads it from the machine.
    function _now() internal view returns (uint256) {
        return vm.getBlockTimestamp();
    }

    function _wait(uint256 time) internal {
        vm.warp(_now() + time);
    }

    function _key(address who) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(who)));
    }

    function _equal(uint256 got, uint256 want) internal pure {
        require(got == want, string.concat("got ", vm.toString(got), ", want ", vm.toString(want)));
    }

    function _stop(Item what, bytes32 key) internal {
        vm.prank(guardian);
        executor.stop(what, key);
    }
}
